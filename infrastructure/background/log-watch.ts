import { LogChanged } from '../../application/log/append-batch.ts';
import { keepLog } from '../../application/log/keep-log.ts';
import type { Ports } from '../../application/ports.ts';
import type { Logger } from '../logging/logger.ts';

/** The evidence log of this process, as /readyz shows it: `degraded` while it is not signed. */
export type LogState = true | 'off' | 'unguarded' | 'degraded';

export interface LogWatch {
  /** Runs the sequencer once; returns when to run it next. */
  keep(): Promise<Date | undefined>;
  state(): Promise<LogState>;
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
      if (!(error instanceof LogChanged)) throw error;
      if (stoppedBy !== error.message) log.error('The evidence log is not signed any further', { error });
      stoppedBy = error.message;
      return undefined;
    }
  }

  async function state(): Promise<LogState> {
    if (logWriter === null) return (await ports.log.newest()) === null ? 'off' : true;
    if (stoppedBy !== null) return 'degraded';
    return isGuarded ? true : 'unguarded';
  }

  return { keep, state };
}
