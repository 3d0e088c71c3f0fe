import type { Served } from '../../adapters/http/kit/exchange.ts';
import type { RequestListener } from '../../adapters/http/kit/server.ts';
import type { Sweeps } from '../../adapters/jobs/sweep.ts';

/** Spans of requests, of jobs, and of their calls of ports; see docs/watching.md. */
export interface Tracing {
  /** The same application; each request is a span, which continues the trace of its header `traceparent`. */
  handler(app: RequestListener): RequestListener;
  /** Names the span of the request under way by its route. Spans never contain what callers send. */
  served(request: Served): void;
  /** The same ports; each asynchronous call is a span, the wait for a batch included. */
  ports<Ports extends object>(ports: Ports): Ports;
  sweeps(sweeps: Sweeps): Sweeps;
  /** Sends the remaining spans; it takes no longer than its patience, even if the collector does not reply. */
  stop(): Promise<void>;
}

/** No spans: every part is returned unchanged. */
export const NO_TRACING: Tracing = {
  handler: (app) => app,
  served: () => undefined,
  ports: (ports) => ports,
  sweeps: (sweeps) => sweeps,
  stop: async () => undefined,
};
