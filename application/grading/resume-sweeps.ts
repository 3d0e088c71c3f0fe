import { JOBS } from '../../domain/jobs.ts';
import type { Ports } from '../ports.ts';

/**
 * Has everything looked at that fell due while nobody ran, without waiting for the schedule.
 * @param alone no other process evaluates on this storage, so a lease that is left belongs to one that has died
 */
export async function resumeSweeps({ evaluations, clock, jobs }: Ports, alone: boolean): Promise<void> {
  if (alone) await evaluations.endLeases(await clock.now());
  for (const job of JOBS) await jobs.enqueue(job);
}
