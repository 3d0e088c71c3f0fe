import type { Random } from '../../../../scripts/random.ts';
import type { Stage } from '../stage/stage.ts';

export interface Effect {
  /** What the fault hit, in words. */
  readonly detail: string;
  /** The node whose processes it hit, if any. */
  readonly node?: number;
  /** Whether the database restarted after a crash. */
  readonly crash?: boolean;
  /** How the promise `starts`, or of a full disk the promise `disk`, was broken, if it was. */
  readonly broken?: readonly string[];
}

/** Causes a fault and repairs it before it returns. */
export type Fault = (stage: Stage, random: Random) => Promise<Effect>;

/** Sends a signal. Returns false when the process does not exist any more. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
