/** Counts the promises that a campaign checks, and prints each as it is checked. */
export interface Tally {
  /** The promise holds when there are no faults. */
  check(promise: string, faults: readonly string[]): void;
  /** The promise holds when `held` is true. `found` is printed when it does not hold. */
  holds(promise: string, held: boolean, found?: unknown): void;
  /** Prints the promises that did not hold once more, and the closing line. Returns whether all promises held. */
  close(): boolean;
}

const SHOWN = 20;

export function openTally(campaign: string, write: (line: string) => void = console.log): Tally {
  let passed = 0;
  const broken: string[] = [];
  const check: Tally['check'] = (promise, faults) => {
    const held = faults.length === 0;
    if (held) passed += 1;
    else broken.push(promise);
    write(`${held ? 'held  ' : 'BROKEN'} ${promise}`);
    for (const fault of faults.slice(0, SHOWN)) write(fault.replace(/^/gm, '       '));
    if (faults.length > SHOWN) write(`       and ${faults.length - SHOWN} more`);
  };
  return {
    check,
    holds: (promise, held, found) => check(promise, held ? [] : [textOf(found) ?? 'it does not hold']),
    close() {
      for (const promise of broken) write(`BROKEN, as above: ${promise}`);
      write(`${campaign}: ${passed} passed, ${broken.length} failed`);
      return broken.length === 0;
    },
  };
}

function textOf(found: unknown): string | undefined {
  return typeof found === 'string' ? found || undefined : JSON.stringify(found);
}
