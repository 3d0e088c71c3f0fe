import { MINUTES } from '../../domain/limits.ts';
import { durationAt, type ServiceMinute } from '../../domain/service-minutes.ts';
import type { Ports } from '../ports.ts';

/** The figures of a minute as operators read them. */
export interface MinuteFigures extends Omit<ServiceMinute, 'durations'> {
  /** Replies of all processes that are in it. */
  readonly requests: number;
  /** In milliseconds; null without replies. */
  readonly p99: number | null;
}

/** The figures of the last day, minute by minute; a minute in which no process wrote is not in it. */
export async function readMinutes({ processes, clock }: Pick<Ports, 'processes' | 'clock'>): Promise<{
  readonly now: Date;
  readonly minutes: readonly MinuteFigures[];
}> {
  const now = await clock.now();
  const kept = await processes.minutes(new Date(now.getTime() - MINUTES.kept));
  return {
    now,
    minutes: kept.map(({ durations, ...minute }) => ({
      ...minute,
      requests: durations.reduce((sum, count) => sum + count, 0),
      p99: durationAt(durations, 0.99),
    })),
  };
}
