import { AsyncLocalStorage } from 'node:async_hooks';
import type { Served } from '../adapters/http/exchange.ts';
import type { RequestListener } from '../adapters/http/server.ts';
import type { Sweep, Sweeps } from '../adapters/jobs/sweep.ts';
import { JOBS } from '../domain/jobs.ts';
import type { Logger } from './logger.ts';
import { type OtlpTarget, otlpExport } from './tracing/otlp-export.ts';
import { continued, newSpan, now, type Span, type SpanKind } from './tracing/spans.ts';

/** Spans of requests, of jobs, and of what both ask of the ports; see docs/operations.md. */
export interface Tracing {
  /** The same application; each request is a span, which continues the trace of its header `traceparent`. */
  handler(app: RequestListener): RequestListener;
  /** Names the span of the request under way by its route. Nothing that callers send is ever told. */
  served(request: Served): void;
  /** The same ports; whatever of them takes time is a span, the wait for a batch included. */
  ports<Ports extends object>(ports: Ports): Ports;
  sweeps(sweeps: Sweeps): Sweeps;
  stop(): Promise<void>;
}

/** null where no collector is named: then nothing is wrapped, and it costs nothing. */
export function openTracing(target: OtlpTarget | null, log: Logger): Tracing | null {
  if (target === null) return null;
  const sent = otlpExport(target, log);
  // null: within a trace that is not recorded.
  const under = new AsyncLocalStorage<Span | null>();
  const finish = (span: Span) => {
    span.end = now();
    sent.add(span);
  };
  const spanned = <T>(name: string, kind: SpanKind, work: () => T): T => {
    const parent = under.getStore();
    if (parent === null) return work();
    const span = newSpan(name, kind, parent ?? null);
    const result = under.run(span, work);
    // What is told at once took no time worth telling.
    if (result instanceof Promise) {
      result.then(
        () => finish(span),
        () => {
          span.failed = true;
          finish(span);
        },
      );
    }
    return result;
  };
  return {
    handler: (app) => (request, response) => {
      const caller = continued(request.headers.traceparent?.toString());
      if (caller === 'unsampled') return under.run(null, () => app(request, response));
      const span = newSpan('request', 'server', caller);
      response.once('close', () => finish(span));
      under.run(span, () => app(request, response));
    },
    served({ request_id, method, route, status, code }) {
      const span = under.getStore();
      if (!span) return;
      span.name = `${method} ${route ?? 'unmatched'}`;
      span.failed = status >= 500;
      const about = { 'http.request.method': method, 'http.route': route ?? 'unmatched', request_id };
      Object.assign(span.attributes, about, { 'http.response.status_code': status }, code && { 'error.type': code });
    },
    ports: (ports) => traced(ports, (name, work) => (under.getStore() ? spanned(name, 'internal', work) : work())),
    sweeps(sweeps) {
      const all = { ...sweeps };
      const job =
        (name: string, sweep: Sweep): Sweep =>
        () =>
          spanned(`job ${name}`, 'internal', sweep);
      for (const name of JOBS) all[name] = job(name, sweeps[name]);
      return all;
    },
    stop: () => sent.stop(),
  };
}

type Around = <T>(name: string, work: () => T) => T;

/** The functions of ports, and of the objects that ports are, each called within `around`. */
function traced<T extends object>(ports: T, around: Around, within = ''): T {
  const entries = Object.entries(ports).map(([name, part]) => {
    if (typeof part === 'function')
      return [name, (...args: unknown[]) => around(within + name, () => part.apply(ports, args))];
    const isPort = within === '' && typeof part === 'object' && part !== null && name !== 'settings';
    return [name, isPort ? traced(part, around, `${name}.`) : part];
  });
  return Object.fromEntries(entries);
}
