import { type AuditHead, BEFORE_THE_FIRST, type ChainedEntry, sealOf } from '../../domain/audit-chain.ts';
import { sha256Hex } from '../sha256.ts';

/**
 * Checks the entries of the audit log, given in their order: each against its own seal, and the seal that it names of
 * the entry before. Without the head of another time, entries that are missing at the end are not noticed.
 * @param kept a head that was printed before and kept elsewhere
 */
export function auditChainCheck(kept: AuditHead | null) {
  let last: AuditHead = { seq: '0', seal: BEFORE_THE_FIRST };
  let found: AuditHead | undefined;
  let entries = 0;
  return {
    /** @returns the faults of the next entry */
    next(entry: ChainedEntry): readonly string[] {
      const { seq, previous, seal } = entry;
      const follows = previous === last.seal;
      const faults = follows ? [] : [`it does not follow entry ${last.seq}: entries before it were changed or removed`];
      entries += 1;
      last = { seq, seal };
      if (seq === kept?.seq) found = last;
      return sealOf(entry, sha256Hex) === seal ? faults : [...faults, 'its content does not match its seal'];
    },
    /** @returns what was checked, and the faults of the kept head */
    end() {
      const head = entries === 0 ? null : last;
      if (kept === null || found?.seal === kept.seal) return { entries, head, faults: [] };
      const fault = found ? `its seal is ${found.seal}, and was ${kept.seal}` : 'it was removed';
      return { entries, head, faults: [`${fault} when the given head was printed`] };
    },
  };
}
