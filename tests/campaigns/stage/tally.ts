/** Counts the promises that a campaign checks, and prints each as it is checked. */
export interface Tally {
  /** The promise holds when there are no faults. */
  check(promise: string, faults: readonly string[]): void;
  /** The promise holds when `held` is true. `found` is printed when it does not hold. */
  holds(promise: string, held: boolean, found?: unknown): void;
  /** Prints once more what did not hold, with its faults, and the closing line. Returns whether all promises held. */
  close(): boolean;
}

const SHOWN = 20;

export function openTally(campaign: string, write: (line: string) => void = console.log): Tally {
  let passed = 0;
  const broken: (readonly string[])[] = [];
  const check: Tally['check'] = (promise, faults) => {
    const held = faults.length === 0;
    const more = faults.length > SHOWN ? [`and ${faults.length - SHOWN} more`] : [];
    const details = [...faults.slice(0, SHOWN), ...more].map((each) => each.replace(/^/gm, '       '));
    if (held) passed += 1;
    else broken.push([promise, ...details]);
    for (const line of [`${held ? 'held  ' : 'BROKEN'} ${promise}`, ...details]) write(line);
  };
  return {
    check,
    holds: (promise, held, found) => check(promise, held ? [] : [textOf(found) ?? 'it does not hold']),
    close() {
      for (const [promise, ...details] of broken)
        for (const line of [`BROKEN, as above: ${promise}`, ...details]) write(line);
      write(`${campaign}: ${passed} passed, ${broken.length} failed`);
      return broken.length === 0;
    },
  };
}

function textOf(found: unknown): string | undefined {
  return typeof found === 'string' ? found || undefined : JSON.stringify(found);
}
