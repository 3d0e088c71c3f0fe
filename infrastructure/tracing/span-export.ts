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
/** What comes while so many wait is dropped. */
const MOST_WAITING = 5_000;

/** Sends spans by OTLP over HTTP in JSON, some at a time. What cannot be sent is dropped: nobody waits for it. */
export function spanExport(settings: TraceSettings, log: Logger, patience: number): SpanExport {
  const failed = (error: unknown) => log.warn('Traces could not be sent', { error, status: statusOf(error) });
  setGlobalErrorHandler(failed);
  const exporter = new OTLPTraceExporter();
  const batches = new BatchSpanProcessor({ exporter, scheduledDelayMillis: EVERY, maxQueueSize: MOST_WAITING });
  const provider = new TracerProvider({ resource: ours(), sampler: samplerOf(settings), spanProcessors: [batches] });
  const stop = () => Promise.race([provider.shutdown().catch(failed), pause(patience, undefined, { ref: false })]);
  return { provider, stop };
}

/** Of the collector's answer. */
function statusOf(error: unknown): number | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'number' ? code : undefined;
}

/** What the environment says of the service goes before what we say. */
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
