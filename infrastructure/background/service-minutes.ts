import type { Served } from '../../adapters/http/kit/exchange.ts';
import type { Ports } from '../../application/ports.ts';
import type { DiskReport } from '../../domain/disk-space.ts';
import { DURATION_BOUNDS, durationClass } from '../../domain/service-minutes.ts';
import { MINUTE, windowStart } from '../../domain/time.ts';
import type { Logger } from '../logging/logger.ts';

/** The replies of this process by the classes of their durations. */
export interface DurationTally {
  served(request: Pick<Served, 'duration_ms'>): void;
  /** Those since the last call. */
  take(): readonly number[];
}

export function durationTally(): DurationTally {
  let counts = none();
  return {
    served({ duration_ms }) {
      const n = durationClass(duration_ms);
      counts[n] = (counts[n] ?? 0) + 1;
    },
    take() {
      const taken = counts;
      counts = none();
      return taken;
    },
  };
}

function none(): number[] {
  return new Array(DURATION_BOUNDS.length + 1).fill(0);
}

type MinutePorts = Pick<Ports, 'processes' | 'evaluations' | 'log' | 'clock'>;

/**
 * Adds this process to the figures of each minute shortly after its end; returns the stop. What cannot be written is
 * missing there: a gap says so.
 */
export function reportMinutes(
  ports: MinutePorts,
  tally: Pick<DurationTally, 'take'>,
  disk: () => DiskReport,
  log: Pick<Logger, 'warn'>,
): () => Promise<void> {
  let last = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = () => {
    timer = setTimeout(() => {
      last = noteMinute(ports, tally.take(), disk().free_bytes).catch((error: unknown) => {
        log.warn('Could not write the figures of a minute; they are missing in the charts of operations', { error });
      });
      next();
    }, untilNextMinute(Date.now()));
    timer.unref();
  };
  next();
  return async () => {
    clearTimeout(timer);
    await last;
  };
}

function untilNextMinute(now: number): number {
  return MINUTE - (now % MINUTE);
}

/** Adds the replies of a process to the minute that ended last, with what the database knows. */
export async function noteMinute(
  { processes, evaluations, log, clock }: MinutePorts,
  durations: readonly number[],
  disk_free: number | null,
): Promise<void> {
  const now = await clock.now();
  const [backlog, newest] = await Promise.all([evaluations.backlog(now), log.newest()]);
  const overview = newest && (await log.overview(newest.log, now));
  const waits = overview?.waiting_since ? now.getTime() - overview.waiting_since.getTime() : 0;
  await processes.addMinute(windowStart(new Date(now.getTime() - MINUTE / 2), MINUTE), {
    durations,
    disk_free,
    due: backlog.due,
    log_size: overview?.size ?? null,
    log_waits: Math.max(0, Math.round(waits / 1_000)),
  });
}
