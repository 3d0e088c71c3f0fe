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

/**
 * The standard's `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG` and `OTEL_EXPORTER_OTLP_HEADERS`, which may come from a
 * file. Everything else OpenTelemetry reads by itself.
 */
export interface TraceSettings {
  readonly sampler: SamplerName;
  /** Share of the traces, 0 to 1, for the samplers by ratio. */
  readonly ratio: number;
  /** `name=value,name=value` */
  readonly headers?: string | undefined;
}

export type SamplerName = (typeof SAMPLERS)[number];

export const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;
