import type { Random } from '../../../../scripts/random.ts';
import type { Stage } from '../stage/stage.ts';

export interface Struck {
  /** What it was done to, in words. */
  readonly said: string;
  /** The node whose processes it hit, or none. */
  readonly node?: number;
  /** The database came up anew. */
  readonly crash?: boolean;
}

/** Something that goes wrong and, when the call returns, is right again: whatever broke has been put back in place. */
export type Fault = (stage: Stage, random: Random) => Promise<Struck>;

/** Sends a signal; false when there is no such process any more. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
