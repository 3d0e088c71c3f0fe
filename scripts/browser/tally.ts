/** What was checked, told as it goes. */
export interface Tally {
  /** `found` is told where it does not hold. */
  check(promise: string, held: boolean, found?: unknown): void;
  readonly passed: number;
  readonly failed: number;
}

export function newTally(): Tally {
  const counts = { passed: 0, failed: 0 };
  return {
    check(promise, held, found) {
      if (held) counts.passed += 1;
      else counts.failed += 1;
      console.log(`${held ? 'held  ' : 'BROKEN'} ${promise}`);
      if (!held && found !== undefined) console.log(`       ${JSON.stringify(found)}`);
    },
    get passed() {
      return counts.passed;
    },
    get failed() {
      return counts.failed;
    },
  };
}
