/** What a campaign has checked, told as it goes. */
export interface Tally {
  /** It holds where there is nothing to say against it. */
  check(promise: string, faults: readonly string[]): void;
  /** The closing line; whether all held. */
  close(): boolean;
}

const SHOWN = 20;

export function openTally(campaign: string, write: (line: string) => void = console.log): Tally {
  let [passed, failed] = [0, 0];
  return {
    check(promise, faults) {
      const held = faults.length === 0;
      if (held) passed += 1;
      else failed += 1;
      write(`${held ? 'held  ' : 'BROKEN'} ${promise}`);
      for (const fault of faults.slice(0, SHOWN)) write(fault.replace(/^/gm, '       '));
      if (faults.length > SHOWN) write(`       and ${faults.length - SHOWN} more`);
    },
    close() {
      write(`${campaign}: ${passed} passed, ${failed} failed`);
      return failed === 0;
    },
  };
}
