import { type ProofFile, proofFiles } from '../kit/proof-files.ts';
import type { Detail } from '../kit/wire.ts';

/** The receipts or the public proofs of a decision; null where the log does not show the decision. */
export function proofPart(record: Detail, signal: AbortSignal): HTMLElement | null {
  if (record.log === null) return null;
  return proofFiles({ about: ABOUT, files: filesOf(record, record.log.outcome_index !== null), signal });
}

const ABOUT =
  'The evidence log contains this decision and its grade. Verified here, the files fit together; that nobody rewrote the log is shown only by a policy from somebody else, and offline.';

function filesOf({ view, record_id }: Detail, isGradeLogged: boolean): readonly ProofFile[] {
  const isOwn = view === 'owner';
  const path = isOwn
    ? `/api/v1/agent/decisions/${record_id}/receipt?opening=full`
    : `/api/v1/public/decisions/${record_id}/proof`;
  const decision = isOwn
    ? { name: 'receipt', words: 'the receipt of the decision, with all that only you see', path }
    : { name: 'proof', words: 'the proof of the decision', path };
  const grade = isOwn
    ? { name: 'grade', words: 'the receipt of the grade, with its bars', path: `${path}&leaf=outcome` }
    : { name: 'grade', words: 'the proof of the grade', path: `${path}?leaf=outcome` };
  return isGradeLogged ? [decision, grade] : [decision];
}
