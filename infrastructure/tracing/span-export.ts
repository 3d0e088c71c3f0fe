import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '../logging/logger.ts';
import { VERSION } from '../version.ts';
import type { TraceSettings } from './trace-settings.ts';

export interface SpanExport {
  readonly provider: TracerProvider;
  stop(): Promise<void>;
}

const EVERY = 2_000;
/** Spans beyond this number of waiting ones are dropped. */
const MOST_WAITING = 5_000;

/**
 * Sends spans by OTLP over HTTP in JSON, in batches. Spans that cannot be sent are dropped: no request waits for them.
 */
export function spanExport(settings: TraceSettings, log: Logger, patience: number): SpanExport {
  const failed = (error: unknown) =>
    log.warn('Could not send traces; these spans are dropped', { error, status: statusOf(error) });
  setGlobalErrorHandler(failed);
  const exporter = new OTLPTraceExporter();
  const batches = new BatchSpanProcessor({ exporter, scheduledDelayMillis: EVERY, maxQueueSize: MOST_WAITING });
  const provider = new TracerProvider({ resource: ours(), sampler: samplerOf(settings), spanProcessors: [batches] });
  const stop = () => Promise.race([provider.shutdown().catch(failed), pause(patience, undefined, { ref: false })]);
  return { provider, stop };
}

/** The status of the collector's reply. */
function statusOf(error: unknown): number | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'number' ? code : undefined;
}

/** Attributes from the environment take precedence over those of the service. */
function ours() {
  const attributes = { 'service.name': 'stancebook', 'service.version': VERSION, 'host.name': hostname() };
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  return defaultResource().merge(resourceFromAttributes(attributes)).merge(detectResources({ detectors }));
}

function samplerOf({ sampler, ratio }: TraceSettings): Sampler {
  const [, follows, name] = /^(parentbased_)?(.*)$/.exec(sampler) ?? [];
  const root = name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : all(name === 'always_on');
  return follows ? new ParentBasedSampler({ root }) : root;
}

function all(on: boolean): Sampler {
  return on ? new AlwaysOnSampler() : new AlwaysOffSampler();
}
