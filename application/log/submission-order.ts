import { LOG } from '../../domain/limits.ts';
import { rfc3339 } from '../../domain/time.ts';

/** Checks that decisions are logged in the order of their submission, batch by batch: one that was backdated is not. */
export function submissionOrder() {
  let [before, newest] = [0, 0];
  return {
    /** Takes the next decision of a batch; returns its faults, in words. */
    next(submitted: Date): readonly string[] {
      newest = Math.max(newest, submitted.getTime());
      if (submitted.getTime() >= before - LOG.includedWithin) return [];
      return [
        `its decision says that it was submitted at ${rfc3339(submitted)}, after ${rfc3339(new Date(before))} was logged`,
      ];
    },
    endBatch(): void {
      before = newest;
    },
  };
}
