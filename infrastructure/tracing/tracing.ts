import type { Served } from '../../adapters/http/kit/exchange.ts';
import type { RequestListener } from '../../adapters/http/kit/server.ts';
import type { Sweeps } from '../../adapters/jobs/sweep.ts';
import type { Logger } from '../logging/logger.ts';

/** The standard's `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`. Everything else OpenTelemetry reads by itself. */
export interface TraceSettings {
  readonly sampler: SamplerName;
  /** Share of the traces, 0 to 1; of the samplers by ratio. */
  readonly ratio: number;
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

/** Spans of requests, of jobs, and of what both ask of the ports; see docs/operations.md. */
export interface Tracing {
  /** The same application; each request is a span, which continues the trace of its header `traceparent`. */
  handler(app: RequestListener): RequestListener;
  /** Names the span of the request under way by its route. Nothing that callers send is ever told. */
  served(request: Served): void;
  /** The same ports; whatever of them takes time is a span, the wait for a batch included. */
  ports<Ports extends object>(ports: Ports): Ports;
  sweeps(sweeps: Sweeps): Sweeps;
  /** Sends what is left; whatever the collector does, it takes no longer than its patience. */
  stop(): Promise<void>;
}

/**
 * null where no collector is named: then nothing is loaded and nothing wrapped, and it costs nothing.
 *
 * @param patience milliseconds of the stop
 */
export async function openTracing(
  settings: TraceSettings | null,
  log: Logger,
  patience = 3_000,
): Promise<Tracing | null> {
  if (settings === null) return null;
  const { startTracing } = await import('./spans.ts');
  return startTracing(settings, log, patience);
}
