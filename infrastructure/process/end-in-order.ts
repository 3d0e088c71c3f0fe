import type { Logger } from '../logging/logger.ts';

/** The longest time for an orderly end, in milliseconds (settled.md section 13). */
const PATIENCE = 25_000;
/** npm sends Ctrl-C again to a process that has received it: two in this many milliseconds are the same one. */
const ONE_SIGNAL = 1_000;

export interface Running {
  stop(): Promise<void>;
  /** Sends the last log lines. */
  close?(): Promise<void>;
  /** Resolves when the service cannot go on. */
  readonly lost: Promise<unknown>;
}

/**
 * Ends the process in order, once: on SIGINT and SIGTERM, and when its database or the npm that started it has ended.
 * Call it before the start: what asks for an end meanwhile is done when the start is complete, because a process that
 * listens already has requests in flight.
 *
 * @returns takes what the start has made
 */
export function endInOrder(log: Logger): (running: Running) => void {
  let since: number | undefined;
  const started = Promise.withResolvers<Running>();
  const end = async (message: string, code: number) => {
    if (since !== undefined) return;
    since = Date.now();
    setTimeout(() => process.exit(1), PATIENCE).unref();
    const running = await started.promise;
    await running.stop();
    log.info(message);
    await running.close?.();
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // The second signal ends the process at once; the watchdog then ends the database.
      if (since !== undefined && Date.now() - since > ONE_SIGNAL) process.exit(1);
      if (since === undefined) log.info('Stopping', { signal });
      void end('Stopped', 0);
    });
  }
  void started.promise.then(({ lost }) => lost.then(() => end('The database has ended', 1)));
  if (process.env.npm_lifecycle_event !== undefined) followParent(() => end('The npm that started it has ended', 1));
  return started.resolve;
}

/** A killed parent cannot pass a signal on, so its end also ends this process. */
function followParent(end: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || end(), 500).unref();
}
