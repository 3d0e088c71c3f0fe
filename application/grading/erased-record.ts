import { keyFactors, type Submission } from '../../domain/decisions/submission/submission.ts';
import type { StoredRecord, StoredSubmission } from '../../domain/decisions/views/evidence-reader.ts';
import { erasedProducer, erasedStatement } from '../../domain/log/leaves/erased-statement.ts';
import { differences } from './differences.ts';
import { receivedFaults, unlike } from './sealed-columns.ts';

/**
 * What is wrong with a record whose statement has no salt: the opening of its commitment is missing, unless its owner was
 * erased, which the audit log shows. Of such a record nothing may be left that only the owner saw; the leaf of the evidence
 * log still seals what others see of it.
 */
export function erasedFaults({ record_id, erasure, columns }: StoredRecord, said: StoredSubmission): readonly string[] {
  if (erasure === null) return ['the salt of its commitment is missing, and its owner was not erased'];
  const { statement, commitment, receipt, submission, confidence } = said;
  const { symbol } = columns;
  return [
    ...(isErased(statement) ? [] : ['more is left of its statement than an erasure leaves']),
    ...unlike({ submission, confidence }, { submission: null, confidence: null }, 'after an erasure'),
    ...unlike(columns, { submitted_symbol: symbol, archive_reason: null }, 'after an erasure'),
    ...unlike({ ...receipt }, { record_id, commitment }, 'in the record', 'in the receipt'),
    ...receivedFaults(columns, said),
  ];
}

/** Whether a text is exactly what an erasure leaves of a statement; a factor stays a shorthand where it was sent as one. */
function isErased(statement: string): boolean {
  const producer = erasedProducer(statement);
  const stored = parsed(statement);
  if (producer === null || !stored?.body) return false;
  const expanded = { ...stored, body: { ...stored.body, key_factors: keyFactors(stored.body) } };
  return differences(expanded, erasedStatement(stored.body, producer)).length === 0;
}

function parsed(statement: string): { readonly body?: Pick<Submission, 'key_factors'> } | null {
  try {
    return JSON.parse(statement);
  } catch {
    return null;
  }
}
