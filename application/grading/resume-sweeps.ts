import { JOBS } from '../../domain/jobs.ts';
import type { Ports } from '../ports.ts';

/**
 * Runs the sweeps of everything that became due while no process ran, without waiting for the schedule.
 * @param alone no other process evaluates on this storage, so a remaining lease belongs to a dead process
 */
export async function resumeSweeps({ evaluations, clock, jobs }: Ports, alone: boolean): Promise<void> {
  if (alone) await evaluations.endLeases(await clock.now());
  for (const job of JOBS) await jobs.enqueue(job);
}
