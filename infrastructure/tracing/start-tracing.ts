import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import {
  parseKeyPairsIntoRecord,
  setGlobalErrorHandler,
  TRACE_PARENT_HEADER,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { JOBS } from '../../domain/jobs.ts';
import type { Logger } from '../logging/logger.ts';
import { VERSION } from '../version.ts';
import { serviceResource } from './service-resource.ts';
import type { TraceSettings, Tracing } from './tracing.ts';

const EVERY = 2_000;
/** Spans beyond this number of waiting ones are dropped. */
const MOST_WAITING = 5_000;

/** Tracing by OpenTelemetry. Of its globals only the error handler is set. */
export function startTracing(settings: TraceSettings, log: Logger, patience: number): Tracing {
  const { provider, stop } = spanExport(settings, log, patience);
  const tracer = provider.getTracer('stancebook', VERSION);
  const under = new AsyncLocalStorage<Context>();
  const spanned = <T>(name: string, parent: Context, work: () => T): T => {
    const span = tracer.startSpan(name, {}, parent);
    const result = under.run(trace.setSpan(parent, span), work);
    if (result instanceof Promise) endWith(result, span);
    return result;
  };
  return {
    handler: (app) => (request, response) => {
      const caller = new W3CTraceContextPropagator().extract(ROOT_CONTEXT, request.headers, ONLY_TRACEPARENT);
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, caller);
      response.once('close', () => span.end());
      under.run(trace.setSpan(caller, span), () => app(request, response));
    },
    served({ request_id, method, route, status, code }) {
      const span = trace.getSpan(under.getStore() ?? ROOT_CONTEXT);
      const name = route ?? 'unmatched';
      span?.updateName(`${method} ${name}`);
      span?.setAttributes({ request_id, 'http.request.method': method, 'http.route': name });
      span?.setAttributes({ 'http.response.status_code': status, ...(code && { 'error.type': code }) });
      if (status >= 500) span?.setStatus(FAILED);
    },
    ports(ports) {
      return traced(ports, (name, work) => {
        const parent = under.getStore();
        return parent && isSampled(parent) ? spanned(name, parent, work) : work();
      });
    },
    sweeps(sweeps) {
      const all = { ...sweeps };
      for (const name of JOBS) all[name] = () => spanned(`job ${name}`, ROOT_CONTEXT, sweeps[name]);
      return all;
    },
    stop,
  };
}

const FAILED = { code: SpanStatusCode.ERROR };

/** A call that returns no promise takes no time worth a span: its span is never ended, and so never sent. */
function endWith(result: Promise<unknown>, span: Span): void {
  result.then(
    () => span.end(),
    () => span.setStatus(FAILED).end(),
  );
}

/** The header `tracestate` would be sent with every span and may contain anything: it is not read. */
const ONLY_TRACEPARENT = {
  keys: () => [TRACE_PARENT_HEADER],
  get: (headers: IncomingHttpHeaders, name: string) => (name === TRACE_PARENT_HEADER ? headers[name] : undefined),
};

/** Also after the end of the span: some work takes longer than its request. */
function isSampled(context: Context): boolean {
  return ((trace.getSpanContext(context)?.traceFlags ?? TraceFlags.NONE) & TraceFlags.SAMPLED) !== 0;
}

type Around = <T>(name: string, work: () => T) => T;

/** The same ports; each of their functions, also of nested objects, is called inside `around`. */
function traced<T extends object>(ports: T, around: Around, prefix = ''): T {
  const entries = Object.entries(ports).map(([name, part]) => {
    if (typeof part === 'function')
      return [name, (...args: unknown[]) => around(prefix + name, () => part.apply(ports, args))];
    const isPort = prefix === '' && typeof part === 'object' && part !== null && name !== 'settings';
    return [name, isPort ? traced(part, around, `${name}.`) : part];
  });
  return Object.fromEntries(entries);
}

interface SpanExport {
  readonly provider: TracerProvider;
  stop(): Promise<void>;
}

/**
 * Sends spans by OTLP over HTTP in JSON, in batches. Spans that cannot be sent are dropped: no request waits for them.
 */
function spanExport(settings: TraceSettings, log: Logger, patience: number): SpanExport {
  const failed = (error: unknown) =>
    log.warn('Could not send traces; these spans are dropped', { error, status: statusOf(error) });
  setGlobalErrorHandler(failed);
  const exporter = new OTLPTraceExporter({ headers: parseKeyPairsIntoRecord(settings.headers) });
  const batches = new BatchSpanProcessor({ exporter, scheduledDelayMillis: EVERY, maxQueueSize: MOST_WAITING });
  const provider = new TracerProvider({
    resource: serviceResource(),
    sampler: samplerOf(settings),
    spanProcessors: [batches],
  });
  const stop = () => Promise.race([provider.shutdown().catch(failed), pause(patience, undefined, { ref: false })]);
  return { provider, stop };
}

/** The status of the collector's reply. */
function statusOf(error: unknown): number | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'number' ? code : undefined;
}

function samplerOf({ sampler, ratio }: TraceSettings): Sampler {
  const [, follows, name] = /^(parentbased_)?(.*)$/.exec(sampler) ?? [];
  const root = name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : all(name === 'always_on');
  return follows ? new ParentBasedSampler({ root }) : root;
}

function all(on: boolean): Sampler {
  return on ? new AlwaysOnSampler() : new AlwaysOffSampler();
}
