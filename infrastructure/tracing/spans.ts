import { randomBytes } from 'node:crypto';

/** Where a span stands in its trace (W3C Trace Context): hex. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

export type SpanKind = 'internal' | 'server';

/** Something that took time, as it is told. */
export interface Span extends SpanContext {
  readonly parentSpanId: string | null;
  readonly kind: SpanKind;
  /** Epoch milliseconds, with fractions. */
  readonly begin: number;
  name: string;
  end: number;
  failed: boolean;
  readonly attributes: Record<string, string | number>;
}

export function newSpan(name: string, kind: SpanKind, parent: SpanContext | null): Span {
  const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  const begin = now();
  const place = { traceId, spanId, parentSpanId: parent?.spanId ?? null };
  return { ...place, kind, name, begin, end: begin, failed: false, attributes: {} };
}

/** Epoch milliseconds that do not jump while a span lasts. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Whom a request continues; `unsampled` when its caller does not record this trace, null without a valid header. */
export function continued(traceparent: string | undefined): SpanContext | 'unsampled' | null {
  const [, version, traceId = '', spanId = '', flags = ''] = FORM.exec(traceparent ?? '') ?? [];
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return Number.parseInt(flags, 16) & 1 ? { traceId, spanId } : 'unsampled';
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
