import { LogChanged } from '../../application/log/append-batch.ts';
import { keepLog } from '../../application/log/keep-log.ts';
import type { Ports } from '../../application/ports.ts';
import { LOG } from '../../domain/limits.ts';
import type { Logger } from '../logging/logger.ts';

/** The evidence log as /readyz shows it: `degraded` while it is not signed, or receipts are later than promised. */
export type LogState = true | 'off' | 'unguarded' | 'degraded';

/** `unguarded`: it is signed without a note of what was seen of it; `stopped`: the last run ended with an error. */
export const SIGNING_STATES = ['guarded', 'unguarded', 'stopped'] as const;

export type SigningState = (typeof SIGNING_STATES)[number];

export interface LogWatch {
  /** Runs the sequencer once; returns when to run it next. */
  keep(): Promise<Date | undefined>;
  state(): Promise<LogState>;
  /** What this process does; null where it does not write the log. */
  signing(): SigningState | null;
}

/** Runs the sequencer, and reports to operators once when it stops to sign and when it goes on. */
export function watchLog(
  ports: Pick<Ports, 'transaction' | 'canonicalJson' | 'clock' | 'log' | 'logWriter'>,
  log: Pick<Logger, 'error' | 'info'>,
): LogWatch {
  const { logWriter } = ports;
  let isGuarded = true;
  let stoppedBy: string | null = null;

  async function keep(): Promise<Date | undefined> {
    if (logWriter === null) return undefined;
    try {
      const { next, guard } = await keepLog({ ...ports, ...logWriter }, logWriter);
      if (stoppedBy !== null) log.info('The evidence log is signed again');
      stoppedBy = null;
      isGuarded &&= guard === 'guarded';
      return next;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (stoppedBy !== message) log.error('The evidence log is not signed; the next run tries again', { error });
      stoppedBy = message;
      // The job reports and retries every other error.
      if (error instanceof LogChanged) return undefined;
      throw error;
    }
  }

  function signing(): SigningState | null {
    if (logWriter === null) return null;
    if (stoppedBy !== null) return 'stopped';
    return isGuarded ? 'guarded' : 'unguarded';
  }

  async function state(): Promise<LogState> {
    const own = signing();
    if (own === 'stopped') return 'degraded';
    const newest = await ports.log.newest();
    if (newest === null) return own === null ? 'off' : true;
    const now = await ports.clock.now();
    const { waiting_since } = await ports.log.overview(newest.log, now);
    if (waiting_since && now.getTime() - waiting_since.getTime() > LOG.includedWithin) return 'degraded';
    return own === 'unguarded' ? 'unguarded' : true;
  }

  return { keep, state, signing };
}
