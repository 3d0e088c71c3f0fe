import type { Logger } from '../logging/logger.ts';
import type { TraceSettings } from './tracing.ts';
import { NO_TRACING, type Tracing } from './tracing.ts';

/**
 * Without settings no collector is configured: OpenTelemetry is not loaded and tracing costs nothing.
 * @param patience the longest time that a stop takes, in milliseconds
 */
export async function openTracing(settings: TraceSettings | null, log: Logger, patience = 3_000): Promise<Tracing> {
  if (settings === null) return NO_TRACING;
  const { startTracing } = await import('./start-tracing.ts');
  return startTracing(settings, log, patience);
}
