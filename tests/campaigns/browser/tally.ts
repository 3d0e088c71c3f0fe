import { openTally } from '../stage/tally.ts';

/** What was checked, told as it goes. */
export interface Tally {
  /** `found` is told where it does not hold. */
  check(promise: string, held: boolean, found?: unknown): void;
  /** The closing line; whether all held. */
  close(): boolean;
}

export function newTally(): Tally {
  const { check, close } = openTally('Browser');
  return {
    check: (promise, held, found) => check(promise, held ? [] : [JSON.stringify(found) ?? 'it does not hold']),
    close,
  };
}
