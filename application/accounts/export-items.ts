import { accountSuspended } from '../../domain/accounts/active-owner.ts';
import { OWN_TABLES, type OwnTable, type StoredRows } from '../../domain/accounts/owner-data.ts';
import { ownEventOf } from '../../domain/accounts/security-event.ts';
import type { EventPlace } from '../../domain/accounts/security-event-store.ts';
import type { Decision } from '../../domain/decisions/decision.ts';
import { faultOf, type RecordFault } from '../../domain/decisions/views/record-fault.ts';
import { EXPORT } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import { type ProofPorts, readProofs, type WantedProof } from '../log/read-proof.ts';
import type { Ports } from '../ports.ts';
import { exportRecords } from './operators/export-owner.ts';

export type ExportItemPorts = ProofPorts & Pick<Ports, 'owners' | 'ownerData' | 'decisions' | 'securityEvents'>;

/** Whose export it is, and what it has: the records that were submitted before `exported_at`. */
export interface ExportHead {
  readonly owner_id: string;
  readonly exported_at: Date;
}

/** The rows of the account, table by table. */
export async function* accountRows(
  { ownerData }: Pick<ExportItemPorts, 'ownerData'>,
  owner_id: string,
): AsyncGenerator<readonly [table: OwnTable, row: StoredRows[number]]> {
  for (const table of OWN_TABLES) {
    for (let after: string | null = null; ; ) {
      const { rows, next } = await ownerData.rows(owner_id, table, after, EXPORT.page);
      for (const row of rows) yield [table, row];
      if (next === null) break;
      after = next;
    }
  }
}

/** The security events of the owner, the newest first. */
export async function* ownEvents(
  { securityEvents }: Pick<ExportItemPorts, 'securityEvents'>,
  owner_id: string,
): AsyncGenerator<ReturnType<typeof ownEventOf>> {
  for (let after: EventPlace | null = null; ; ) {
    const events = await securityEvents.list({ owner_id }, after, EXPORT.page);
    for (const event of events) yield ownEventOf(event);
    const last = events.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/**
 * The records that were submitted before a moment, a page at a time.
 * @throws Problem NOT_FOUND once the account is gone: it has records then, and nobody who may read them
 */
export async function* recordsBefore(
  ports: ExportItemPorts,
  owner_id: string,
  before: Date,
): AsyncGenerator<readonly Decision[]> {
  for await (const page of exportRecords(ports, owner_id)) {
    const owner = await ports.owners.find(owner_id);
    if (!owner) throw new Problem('NOT_FOUND', 'This account no longer exists.');
    if (owner.suspended_at !== null) throw accountSuspended();
    yield page.filter(({ submission_time }) => submission_time < before);
  }
}

export interface ExportedReceipt {
  readonly record_id: string;
  readonly leaf: WantedProof['query']['leaf'];
  /** null where the record cannot be read. */
  readonly proof: string | null;
  readonly fault?: RecordFault;
}

/** The proof files that the endpoint of receipts returns with `opening=full`, in the order of the records. */
export async function receiptsOf(ports: ProofPorts, records: readonly Decision[]): Promise<readonly ExportedReceipt[]> {
  const wanted = records.flatMap((decision): WantedProof[] => {
    const { log } = decision;
    if (log === null) return [];
    const query = { owner: true, evidence: true };
    const first: WantedProof = { decision, query: { ...query, leaf: 'decision' } };
    return log.outcome_index === null ? [first] : [first, { decision, query: { ...query, leaf: 'outcome' } }];
  });
  const unreadable = new Set<WantedProof>();
  const proofs = await readProofs(ports, wanted, (proof) => unreadable.add(proof));
  return wanted.flatMap((each, n): ExportedReceipt[] => {
    const { record_id } = each.decision;
    const { leaf } = each.query;
    const proof = proofs[n] ?? null;
    const fault = unreadable.has(each) ? faultOf([leaf === 'decision' ? 'statement' : 'outcome']) : {};
    return proof !== null || unreadable.has(each) ? [{ record_id, leaf, proof, ...fault }] : [];
  });
}
