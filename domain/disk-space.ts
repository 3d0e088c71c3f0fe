import { DISK } from './limits.ts';
import { Problem } from './problem.ts';
import { SECOND } from './time.ts';

/**
 * Whether the disk of the database has room. `low`: nothing that adds to the stored data is accepted any more. `full`: jobs
 * that add to it wait too, because half of the room is gone that was kept free, or because the database has said so.
 */
export const DISK_STATES = ['ok', 'low', 'full'] as const;
export type DiskState = (typeof DISK_STATES)[number];

/** How a process sees the disk of its database. */
export interface DiskReport {
  readonly state: DiskState;
  /** null where it cannot see the disk: the database is on another machine, or at least not in the data folder. */
  readonly free_bytes: number | null;
}

/**
 * The state at so many free bytes, where `least` are to be kept free. More is needed to leave a state than to stay out of
 * it, so that a disk at the threshold does not change its state with every file.
 */
export function diskState(before: DiskState, free: number, least: number): DiskState {
  const half = least / 2;
  if (free < (before === 'full' ? half * DISK.returnsAt : half)) return 'full';
  return free < (before === 'ok' ? least : least * DISK.returnsAt) ? 'low' : 'ok';
}

/** The refusal of what needs room. It names no folder, which is the operator's business, and no figure. */
export function diskFull(): Problem {
  return new Problem('SERVICE_UNAVAILABLE', 'The disk of the service is nearly full, so it stores nothing new.', {
    suggestion:
      'Wait retry_after_seconds, then send the same request again: it works as soon as there is room. The operator frees ' +
      'space on the disk of the database (in DATA_DIR, or on the server of DATABASE_URL); `npm run admin -- status` says ' +
      'how much is missing, and DISK_FREE_MB sets what is kept free.',
    retry_after_seconds: DISK.retryAfter / SECOND,
  });
}
