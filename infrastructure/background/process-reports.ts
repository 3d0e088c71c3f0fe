import type { Ports } from '../../application/ports.ts';
import { SOURCE_REPORTS } from '../../domain/limits.ts';
import type { ProcessState } from '../../domain/service-processes.ts';
import type { Logger } from '../logging/logger.ts';
import type { JobNotes } from './job-notes.ts';

/** What a process says of itself: its parts, and what changes. */
export type DescribedProcess = Omit<ProcessState, 'started_at' | 'running'>;

/**
 * Writes what this process is and does, and how its jobs went, to the database, for the status that operators read; returns
 * the stop, which removes the report.
 */
export async function reportProcess(
  { processes, clock }: Pick<Ports, 'processes' | 'clock'>,
  describe: () => DescribedProcess,
  notes: Pick<JobNotes, 'running' | 'take' | 'putBack'>,
  log: Pick<Logger, 'warn'>,
): Promise<() => Promise<void>> {
  const started_at = await clock.now();
  const writing = async (write: (runs: ReturnType<JobNotes['take']>) => Promise<void>) => {
    const runs = notes.take();
    await write(runs).catch((error: unknown) => {
      notes.putBack(runs);
      log.warn('Could not write the report of this process; the next one is in 15 s', { error });
    });
  };
  const report = () =>
    writing(async (runs) =>
      processes.report({ ...describe(), started_at, running: notes.running() }, runs, await clock.now()),
    );
  let last = report();
  const timer = setInterval(() => {
    last = last.then(report);
  }, SOURCE_REPORTS.every);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await last;
    await writing((runs) => processes.end(describe().process, runs));
  };
}
