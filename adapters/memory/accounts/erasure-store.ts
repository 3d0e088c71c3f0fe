import { sha256, sha256Hex } from '../../../application/sha256.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import {
  type AccountData,
  type ErasureStep,
  type ErasureStore,
  REMOVED_TABLES,
  type RemovedAccount,
} from '../../../domain/accounts/owner-data.ts';
import { receivedReading } from '../../../domain/decisions/decision.ts';
import type { Submission } from '../../../domain/decisions/submission/submission.ts';
import { ERASURE } from '../../../domain/limits.ts';
import { numberOf } from '../../../domain/log/batch.ts';
import { bytesOfHex, hexOf } from '../../../domain/log/encoding.ts';
import { erasedStatement, producerDigest } from '../../../domain/log/leaves/public-statement.ts';
import type { DecisionRow, DecisionTables } from '../decisions/decision-tables.ts';
import type { FeedTables } from '../events/event-store.ts';
import { hex, type Table } from '../kit/table.ts';
import { loggedIn } from '../log/log-store.ts';
import { addEvent, type LogTables } from '../log/log-tables.ts';
import { endMailsOf } from '../mail/mail-store.ts';
import { prefixesOf } from './key-stores.ts';
import { accountOf, type OwnerDataTables } from './own-stores.ts';

export interface ErasureRow {
  readonly owner_id: string;
  readonly removed_at: Date;
  readonly ended_at: Date | null;
  readonly records: number;
}

export interface ErasureTables {
  readonly erasures: Table<string, ErasureRow>;
}

export type RemovedTables = ErasureTables & OwnerDataTables & DecisionTables & Pick<LogTables, 'logEvents'>;

type Tables = RemovedTables & FeedTables;

export function memoryErasures(tables: Tables, now: () => Date): ErasureStore {
  const { owners, keys, erasures } = tables;
  const isDue = ({ erases_at }: Owner) => erases_at !== null && erases_at <= now();
  const unfinished = () => erasures.where(({ ended_at }) => ended_at === null);
  return {
    async schedule(owner_id) {
      const owner = owners.get(owner_id);
      if (!owner) return null;
      const at = now();
      if (owner.erases_at !== null) return owner.erases_at;
      const erases_at = new Date(at.getTime() + ERASURE.grace);
      owners.set(owner_id, { ...owner, erases_at });
      const valid = keys.where((key) => key.owner_id === owner_id && key.revoked_at === null);
      for (const key of valid) keys.set(hex(key.key_hash), { ...key, revoked_at: at, suspended: true });
      return erases_at;
    },

    async takeBack(owner_id) {
      const owner = owners.get(owner_id);
      if (!owner || owner.erases_at === null) return null;
      owners.set(owner_id, { ...owner, erases_at: null });
      if (owner.suspended_at !== null) return [];
      const marked = keys.where((key) => key.owner_id === owner_id && key.suspended);
      for (const key of marked) keys.set(hex(key.key_hash), { ...key, revoked_at: null, suspended: false });
      return prefixesOf(marked);
    },

    due: async (limit) =>
      owners
        .where(isDue)
        .slice(0, limit)
        .map(({ owner_id }) => owner_id),

    unfinished: async (limit) =>
      unfinished()
        .slice(0, limit)
        .map(({ owner_id }) => owner_id),

    async remove(owner_id) {
      const owner = owners.get(owner_id);
      if (!owner || !isDue(owner)) return null;
      const account = removeAccount(tables, owner_id, now());
      if (account === null) return null;
      const { rows, records } = account;
      return { removed: countsOf(rows), records };
    },

    // Whatever there is goes with the account.
    clear: async () => 0,
    eraseTraces: async (owner_id) => (erasures.get(owner_id) ? eraseTraces(tables, owner_id) : 0),

    async eraseRecords(owner_id, limit): Promise<ErasureStep> {
      const erasure = erasures.get(owner_id);
      if (!erasure || erasure.ended_at !== null) return { written: 0, state: 'none' };
      const left = tables.decisions.where((row) => row.owner_id === owner_id && row.salt !== null);
      const free = left.filter(({ lifecycle_state }) => lifecycle_state !== 'evaluating').slice(0, limit);
      for (const row of free) tables.decisions.set(row.record_id, erasedRow(row));
      const ended_at = left.length === 0 ? now() : null;
      erasures.set(owner_id, { ...erasure, ended_at, records: erasure.records + free.length });
      if (ended_at !== null) return { written: 0, state: 'ended' };
      return { written: free.length, state: free.length > 0 ? 'more' : 'waiting' };
    },

    async removedAfter(after, limit) {
      const rows = erasures.where(({ owner_id }) => after === null || owner_id > after);
      return rows
        .toSorted((a, b) => (a.owner_id < b.owner_id ? -1 : 1))
        .slice(0, limit)
        .map(({ owner_id, removed_at }) => ({ owner_id, removed_at }));
    },

    async overview() {
      const late = [
        ...unfinished().map(({ removed_at }) => removed_at),
        ...owners.where(isDue).flatMap(({ erases_at }) => erases_at ?? []),
      ];
      return {
        scheduled: owners.where((owner) => owner.erases_at !== null && !isDue(owner)).length,
        under_way: unfinished().length,
        due_since: late.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null,
        records: erasures.where(() => true).reduce((sum, { records }) => sum + records, 0),
      };
    },
  };
}

/** How many rows of each kind are removed with an account. */
export function countsOf(rows: AccountData['rows']): RemovedAccount['removed'] {
  const counts = REMOVED_TABLES.map((table) => [table, rows[table]?.length ?? 0]);
  return Object.fromEntries(counts) as RemovedAccount['removed'];
}

/** See `ErasureStore.remove`. */
export function removeAccount(tables: RemovedTables, owner_id: string, now: Date): AccountData | null {
  const removed = accountOf(tables, owner_id);
  if (removed === null) return null;
  const { owners, agents, keys, sessions, identities, deviceSignIns, acceptances, preferences } = tables;
  const isOwn = (row: { readonly owner_id: string | null }) => row.owner_id === owner_id;
  for (const { webhook_id } of tables.webhooks.where(isOwn))
    tables.deliveries.deleteWhere((delivery) => delivery.webhook_id === webhook_id);
  for (const { agent_id } of agents.where(isOwn)) {
    tables.agentCounts.delete(agent_id);
    deleteOfAgent(tables, agent_id);
  }
  const sets = new Set(tables.backtestSets.where(isOwn).map(({ set_id }) => set_id));
  tables.backtestRows.deleteWhere(({ set_id }) => sets.has(set_id));
  tables.backtestSets.deleteWhere(isOwn);
  for (const table of [agents, keys, sessions, identities, deviceSignIns, tables.workflows, tables.webhooks])
    table.deleteWhere(isOwn);
  for (const table of [tables.totpSecrets, tables.recoveryCodes, tables.factorResets, tables.passkeys])
    table.deleteWhere(isOwn);
  tables.links.deleteWhere(isOwn);
  tables.askedQuestions.deleteWhere(isOwn);
  endMailsOf(tables, owner_id, now);
  for (const table of [acceptances, preferences, tables.readMarks, owners]) table.delete(owner_id);
  tables.erasures.set(owner_id, { owner_id, removed_at: now, ended_at: null, records: 0 });
  return removed;
}

/** An idempotency key is what a client wrote. What is not in the log yet keeps its marks, not what they are made of. */
function deleteOfAgent(tables: RemovedTables, agent_id: string): void {
  const { decisions, idempotency, logEvents, agentSubmissions } = tables;
  const isOwn = ({ record_id }: { readonly record_id: string }) => decisions.get(record_id)?.agent_id === agent_id;
  idempotency.deleteWhere(isOwn);
  for (const event of logEvents.where((row) => row.event === 'decision' && isOwn(row))) {
    const decision = decisions.get(event.record_id);
    const own = decision ? numberOf(loggedIn(tables, decision), { sha256, sha256Hex }) : null;
    if (decision) addEvent(logEvents, { ...event, kept: own && { ...own, mark: bytesOfHex(own.mark) } });
  }
  agentSubmissions.delete(agent_id);
}

function eraseTraces(
  { notes, feedEvents, publications, snapshots, decisions, plans }: Tables,
  owner_id: string,
): number {
  const isOwn = (row: { readonly owner_id: string | null }) => row.owner_id === owner_id;
  const isNamed = (hash: string) =>
    decisions.where((row) => row.workflow_hash === hash && row.owner_id !== owner_id).length > 0;
  const hashes = new Set(publications.where(isOwn).map(({ hash }) => hash));
  const gone = [...hashes].filter((hash) => !isNamed(hash));
  const stated = plans.where((row) => isOwn(row) && row.opened !== null);
  for (const plan of stated) plans.set(plan.plan_id, { ...plan, opened: null });
  const removed = notes.deleteWhere(isOwn) + feedEvents.deleteWhere(isOwn);
  const unpublished = publications.deleteWhere((row) => isOwn(row) && gone.includes(row.hash));
  for (const hash of gone) if (publications.where((row) => row.hash === hash).length === 0) snapshots.delete(hash);
  return stated.length + removed + unpublished;
}

function erasedRow(row: DecisionRow): DecisionRow {
  const { owner_id, agent_id, salt, submission } = row;
  if (salt === null) return row;
  const statement = erasedStatement(
    submission,
    hexOf(producerDigest(bytesOfHex(salt), { owner_id, agent_id }, sha256)),
  );
  return {
    ...row,
    statement: JSON.stringify(statement),
    submission: statement.body as unknown as Submission,
    salt: null,
    submitted_symbol: receivedReading(row).symbol,
    archive_reason: null,
    owner_facts: row.owner_facts && { levels: null, reference_price: null, knowledge_overlap: null },
  };
}
