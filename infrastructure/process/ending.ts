import type { Logger } from '../logging/logger.ts';

export interface Running {
  stop(): Promise<void>;
  /** Resolves when the service cannot go on. */
  readonly lost: Promise<unknown>;
}

/** The longest that an end in order may take (settled.md section 13). */
const PATIENCE = 25_000;
/** npm passes Ctrl-C on to a process that has had it already: within this time it is one and the same. */
const ONE_SIGNAL = 1_000;

/** Ends the process in order, once: on SIGINT and SIGTERM, when its database is gone, when the npm that started it is. */
export function endInOrder(running: Running, log: Logger): void {
  let since: number | undefined;
  const end = async (message: string, code: number) => {
    if (since !== undefined) return;
    since = Date.now();
    setTimeout(() => process.exit(1), PATIENCE).unref();
    await running.stop();
    log.info(message);
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // The second time means now; no database outlives us.
      if (since !== undefined && Date.now() - since > ONE_SIGNAL) process.exit(1);
      if (since === undefined) log.info('Stopping', { signal });
      void end('Stopped', 0);
    });
  }
  void running.lost.then(() => end('The database has ended', 1));
  if (process.env.npm_lifecycle_event !== undefined) followParent(() => end('The npm that started it has ended', 1));
}

/** A parent that is killed can pass nothing on; whoever killed it meant us. */
function followParent(end: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || end(), 500).unref();
}
