import { hostname } from 'node:os';
import type { Logger } from '../logger.ts';
import { VERSION } from '../version.ts';
import type { Span } from './spans.ts';

export interface OtlpTarget {
  /** Base address, without /v1/traces and without a closing slash. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface SpanExport {
  add(span: Span): void;
  /** Sends what is left, within the patience for one request. */
  stop(): Promise<void>;
}

const EVERY = 2_000;
const PATIENCE = 3_000;
/** Of one request, and of those that wait; what comes while so many wait is dropped. */
const MOST = 500;
const MOST_WAITING = 5_000;

/** Sends spans by OTLP over HTTP in JSON, some at a time. What cannot be sent is dropped: nobody waits for it. */
export function otlpExport({ endpoint, headers }: OtlpTarget, log: Logger): SpanExport {
  let waiting: Span[] = [];
  let sending = Promise.resolve();
  const send = async () => {
    for (let spans = waiting.splice(0, MOST); spans.length > 0; spans = waiting.splice(0, MOST)) {
      try {
        const reply = await fetch(`${endpoint}/v1/traces`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(documentOf(spans)),
          signal: AbortSignal.timeout(PATIENCE),
        });
        await reply.body?.cancel();
        if (!reply.ok) throw new Error(`Answered ${reply.status}`);
      } catch (error) {
        waiting = [];
        log.warn('Traces could not be sent', { error, count: spans.length });
      }
    }
  };
  const round = () => {
    sending = sending.then(send);
    return sending;
  };
  const timer = setInterval(round, EVERY);
  timer.unref();
  return {
    add(span) {
      if (waiting.length < MOST_WAITING) waiting.push(span);
    },
    async stop() {
      clearInterval(timer);
      await round();
    },
  };
}

/** An ExportTraceServiceRequest. */
function documentOf(spans: readonly Span[]) {
  const resource = attributes({ 'service.name': 'stancebook', 'service.version': VERSION, 'host.name': hostname() });
  const scope = { name: 'stancebook', version: VERSION };
  const scopeSpans = [{ scope, spans: spans.map(spanOf) }];
  return { resourceSpans: [{ resource: { attributes: resource }, scopeSpans }] };
}

const KINDS = { internal: 1, server: 2 };
const FAILED = 2;

function spanOf({ traceId, spanId, parentSpanId, kind, name, begin, end, failed, attributes: about }: Span) {
  return {
    ...{ traceId, spanId, name, kind: KINDS[kind] },
    ...(parentSpanId === null ? {} : { parentSpanId }),
    startTimeUnixNano: nanos(begin),
    endTimeUnixNano: nanos(end),
    attributes: attributes(about),
    status: failed ? { code: FAILED } : {},
  };
}

function nanos(millis: number): string {
  return String(BigInt(Math.round(millis * 1_000)) * 1_000n);
}

function attributes(of: Readonly<Record<string, string | number>>) {
  return Object.entries(of).map(([key, value]) => {
    return { key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } };
  });
}
