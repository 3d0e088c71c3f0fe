import type { Logger } from '../logging/logger.ts';
import type { TraceSettings } from './trace-settings.ts';
import type { Tracing } from './tracing.ts';

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
  const { startTracing } = await import('./start-tracing.ts');
  return startTracing(settings, log, patience);
}
