import type { ForwardingFigures, ForwardingSettings } from './logger.ts';
import { createLogger, type Logger, type LoggerOptions } from './logger.ts';

export interface OpenLog {
  readonly log: Logger;
  /** null where lines go to standard output alone. */
  readonly forwarding: (() => ForwardingFigures) | null;
  /** Sends at once what waits; it takes no longer than LOG_FORWARDING.atEnd, even if the receiver does not reply. */
  close(): Promise<void>;
}

export interface LogSettings extends Pick<LoggerOptions, 'level' | 'format' | 'stream'> {
  readonly forwarding: ForwardingSettings | null;
}

/** The log of a process. Without a receiver OpenTelemetry is not loaded. */
export async function openLog({ forwarding: settings, ...options }: LogSettings): Promise<OpenLog> {
  if (settings === null) return { log: createLogger(options), forwarding: null, close: async () => undefined };
  const { forwardLines } = await import('./forward-lines.ts');
  const forwarding = forwardLines(settings, () => log);
  const log = createLogger({ ...options, further: [forwarding.stream] });
  return { log, forwarding: forwarding.figures, close: forwarding.close };
}
