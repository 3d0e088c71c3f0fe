import type { Violations } from './check.ts';

/** Counts what held and what did not, and says it as it is found. */
export interface Report {
  check(promise: string, violations: Violations): void;
  /** The closing line; whether all held. */
  close(): boolean;
}

const SHOWN = 5;

export function openReport(write: (line: string) => void = console.log): Report {
  let [passed, failed] = [0, 0];
  return {
    check(promise, violations) {
      const held = violations.length === 0;
      if (held) passed += 1;
      else failed += 1;
      write(`${held ? 'held  ' : 'BROKEN'} ${promise}`);
      for (const violation of violations.slice(0, SHOWN)) write(`       ${violation}`);
      if (violations.length > SHOWN) write(`       and ${violations.length - SHOWN} more`);
    },
    close() {
      write(`Cluster: ${passed} passed, ${failed} failed`);
      return failed === 0;
    },
  };
}
