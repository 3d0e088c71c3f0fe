import { createLogger, type Logger, type LoggerOptions } from './logger.ts';

/** Where log lines are sent to. Certificates, compression and times OpenTelemetry reads from its own variables. */
export interface ForwardingSettings {
  readonly url: string;
  /** `name=value,name=value`; empty: none. */
  readonly headers: string;
}

/** The lines of this process: how many wait, and what became of the others. */
export interface ForwardingFigures {
  readonly waiting: number;
  readonly sent: number;
  readonly lost: Readonly<Record<LossReason, number>>;
}

/** `full`: too many waited; `refused`: the receiver wants none of a request; `rejected`: it left out some lines of one. */
export const LOSS_REASONS = ['full', 'refused', 'rejected'] as const;
export type LossReason = (typeof LOSS_REASONS)[number];

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
