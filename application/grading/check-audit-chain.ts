import { type AuditHead, BEFORE_THE_FIRST, type ChainedEntry, sealOf } from '../../domain/audit-chain.ts';
import { sha256Hex } from '../sha256.ts';

/** A head of an earlier time. */
export interface KnownHead extends AuditHead {
  /** From when it is, such as `when the given head was printed`. */
  readonly when: string;
}

/**
 * Checks the entries of the audit log, given in their order: each against its own seal, and the seal that it names of
 * the entry before. Entries that are missing at the end are noticed by heads of earlier times alone.
 */
export function auditChainCheck(known: readonly KnownHead[]) {
  let last: AuditHead = { seq: '0', seal: BEFORE_THE_FIRST };
  const numbers = new Set(known.map(({ seq }) => seq));
  const found = new Map<string, string>();
  let entries = 0;
  return {
    /** @returns the faults of the next entry */
    next(entry: ChainedEntry): readonly string[] {
      const { seq, previous, seal } = entry;
      const follows = previous === last.seal;
      const faults = follows ? [] : [`it does not follow entry ${last.seq}: entries before it were changed or removed`];
      entries += 1;
      last = { seq, seal };
      if (numbers.has(seq)) found.set(seq, seal);
      return sealOf(entry, sha256Hex) === seal ? faults : [...faults, 'its content does not match its seal'];
    },
    /** @returns what was checked, and the faults of the known heads by the number of their entry */
    end() {
      const faults = known.flatMap(({ seq, seal, when }) => {
        const stored = found.get(seq);
        if (stored === seal) return [];
        return [
          {
            seq,
            fault: stored ? `its seal is ${stored}, and was ${seal} ${when}` : `it is gone; it was there ${when}`,
          },
        ];
      });
      return { entries, head: entries === 0 ? null : last, faults };
    },
  };
}
