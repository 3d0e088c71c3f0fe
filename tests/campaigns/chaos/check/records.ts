import { isDeepStrictEqual } from 'node:util';
import { breach, type Journal, type Sent } from '../journal.ts';
import type { ChaosDatabase } from '../stage/database.ts';

interface StoredRecord {
  readonly record_id: string;
  readonly nonce: string | null;
  readonly submission: unknown;
  readonly commitment: string | null;
  readonly sealed: boolean | null;
  readonly archived: boolean;
  readonly lifecycle_state: string;
}

/** Compares what was acknowledged, and what was not, with what is stored. */
export async function checkRecords(database: ChaosDatabase, journal: Journal): Promise<void> {
  const stored = await database.rows<StoredRecord>(RECORDS);
  const byNonce = Map.groupBy(stored, ({ nonce }) => nonce);
  const keys = await database.rows<{ key: string; record_id: string }>('select key, record_id from app.idempotency');
  const keyRows = Map.groupBy(keys, ({ key }) => key);
  const sentNonces = new Set(journal.sent.map(({ nonce }) => nonce));
  for (const nonce of byNonce.keys()) {
    if (nonce === null || !sentNonces.has(nonce))
      breach(journal, 'doubled', `a record of ${nonce} that was never sent`);
  }
  for (const sent of journal.sent) {
    const found = byNonce.get(sent.nonce) ?? [];
    if (found.length > 1) breach(journal, 'doubled', `${sent.nonce} has ${found.length} records`);
    if (sent.accepted) checkAccepted(journal, sent, sent.accepted.record_id, found, keyRows.get(sent.nonce) ?? []);
    else checkUnaccepted(journal, sent, found);
  }
  checkMarks(journal, stored);
}

function checkAccepted(
  journal: Journal,
  sent: Sent,
  record_id: string,
  found: readonly StoredRecord[],
  keys: readonly { readonly record_id: string }[],
): void {
  const own = found.find((record) => record.record_id === record_id);
  if (!own) {
    breach(journal, 'lost', `${record_id} (${sent.nonce}) was acknowledged and is not stored`);
    return;
  }
  const body = JSON.parse(sent.body);
  if (!isDeepStrictEqual(own.submission, { ...body, meta: JSON.stringify(body.meta) }))
    breach(journal, 'lost', `${record_id} has another submission`);
  if (own.commitment !== sent.accepted?.commitment || !own.sealed) {
    breach(journal, 'lost', `${record_id} has another commitment than in the reply, or one that does not match`);
  }
  if (sent.key === null) return;
  if (keys.length !== 1 || keys[0]?.record_id !== record_id) {
    breach(journal, 'doubled', `the key of ${record_id} is stored ${keys.length} times, for ${keys[0]?.record_id}`);
  }
}

function checkUnaccepted(journal: Journal, sent: Sent, found: readonly StoredRecord[]): void {
  if (sent.key !== null && sent.unknown) breach(journal, 'retried', `${sent.nonce} got no definite answer in the end`);
  if (found.length > 0 && !sent.wasUnknown) breach(journal, 'doubled', `${sent.nonce} was refused and is stored`);
}

/** Checks that records are archived and quarantined as the replies said. */
function checkMarks(journal: Journal, stored: readonly StoredRecord[]): void {
  const byId = new Map(stored.map((record) => [record.record_id, record]));
  for (const record_id of journal.revoked.keys()) {
    if (!byId.get(record_id)?.archived) breach(journal, 'revocations', `${record_id} was revoked and is not archived`);
  }
  for (const [record_id, at] of journal.quarantined) {
    const state = byId.get(record_id)?.lifecycle_state;
    if (at !== null && state !== 'quarantined') breach(journal, 'quarantine', `${record_id} is ${state}`);
  }
  for (const { record_id, lifecycle_state } of stored) {
    const wasRequested = journal.quarantined.has(record_id);
    if (lifecycle_state === 'quarantined' && !wasRequested)
      breach(journal, 'quarantine', `${record_id} was quarantined without a request`);
  }
}

const RECORDS = `
  select d.record_id, (said.body ->> 'meta')::jsonb ->> 'nonce' as nonce, said.body as submission, doc.commitment,
    doc.commitment = encode(sha256(doc.salt || convert_to(doc.statement, 'UTF8')), 'hex')
      and doc.statement::jsonb ->> 'record_id' = d.record_id as sealed,
    d.archived_at is not null as archived, d.lifecycle_state
  from app.decisions d left join app.decision_documents doc using (record_id)
  left join lateral (select doc.statement::jsonb -> 'body' as body) said on true`;
