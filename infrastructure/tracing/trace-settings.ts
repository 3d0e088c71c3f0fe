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
