import type {
  AccountData,
  OwnerDataStore,
  OwnTable,
  RowPage,
  StoredRows,
} from '../../../domain/accounts/owner-data.ts';
import { NOTES } from '../backtests/row-notes.ts';
import type { Sql } from '../kit/sql.ts';

/** SQL by hand: whole rows of every table with columns that are added later, and an aggregate. */
export function postgresOwnerData(sql: Sql): OwnerDataStore {
  return {
    account: (owner_id) => accountOf(sql, owner_id),
    rows: (owner_id, table, after, limit) => pageOf(sql, owner_id, table, after, limit),

    async recordIds(owner_id, after, limit) {
      const rows = await (after === null
        ? sql.rows<{ record_id: string }>(FIRST_IDS, [owner_id, limit])
        : sql.rows<{ record_id: string }>(NEXT_IDS, [owner_id, limit, after]));
      return rows.map(({ record_id }) => record_id);
    },
  };
}

/** Null when there is no such owner. Submissions lock their key, not the owner: records are counted last. */
export async function accountOf(sql: Sql, owner_id: string): Promise<AccountData | null> {
  const rows = await keptRows(sql, owner_id);
  return rows.owner?.length === 0 ? null : { rows, records: await countRecords(sql, owner_id) };
}

/** The rows of a table without a key here are few, and one page. */
async function pageOf(sql: Sql, owner_id: string, table: OwnTable, after: string | null, limit: number) {
  const key = KEYS[table];
  if (key === undefined) return { rows: shown(await sql.rows(`select ${KEPT[table]}`, [owner_id])), next: null };
  const rows = await sql.rows<Record<string, unknown>>(
    `select * from (select ${KEPT[table]}) kept
    where $2::${key.type} is null or kept.${key.column} > $2::${key.type} order by kept.${key.column} limit $3`,
    [owner_id, after, limit],
  );
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { rows: shown(rows), next: last ? String(last[key.column]) : null } satisfies RowPage;
}

const KEYS: Readonly<Partial<Record<OwnTable, { readonly column: string; readonly type: string }>>> = {
  agents: { column: 'agent_id', type: 'text' },
  api_keys: { column: 'key_prefix', type: 'text' },
  legal_acceptances: { column: 'seq', type: 'bigint' },
  workflows: { column: 'id', type: 'uuid' },
  workflow_publications: { column: 'seq', type: 'bigint' },
  plans: { column: 'plan_id', type: 'uuid' },
  backtest_rows: { column: 'row_id', type: 'bigint' },
};

async function keptRows(sql: Sql, owner_id: string): Promise<Readonly<Record<string, StoredRows>>> {
  const rows: Record<string, StoredRows> = {};
  for (const [name, from] of Object.entries(KEPT)) rows[name] = shown(await sql.rows(`select ${from}`, [owner_id]));
  return rows;
}

async function countRecords(sql: Sql, owner_id: string): Promise<number> {
  const [counted] = await sql.rows<{ records: number }>(COUNT, [owner_id]);
  return counted?.records ?? 0;
}

const AGENTS = 'agent_id in (select agent_id from app.agents where owner_id = $1)';
const PREFIXES = 'select key_prefix from app.api_keys where owner_id = $1';
const RECORDS = 'select record_id from app.decisions where owner_id = $1';

/**
 * All but the records, in the order in which it is shown. A column that is added to one of the tables is in it by
 * itself; a table that is added has to be named, which a test holds us to.
 */
export const KEPT = {
  owner: 'o.* from app.owners o where owner_id = $1',
  identities: '* from app.identities where owner_id = $1 order by created_at',
  agents: '* from app.agents where owner_id = $1 order by created_at, agent_id',
  api_keys: `k.*, u.last_used_at, u.network as last_used_network from app.api_keys k left join app.api_key_uses u using (key_prefix)
    where k.owner_id = $1 order by k.created_at, key_prefix`,
  sessions: '* from app.sessions where owner_id = $1 order by created_at',
  totp_secrets: '* from app.totp_secrets where owner_id = $1',
  recovery_codes: '* from app.recovery_codes where owner_id = $1 order by code_hash',
  factor_resets: '* from app.factor_resets where owner_id = $1',
  passkeys: '* from app.passkeys where owner_id = $1 order by created_at, passkey_id',
  device_sign_ins: 'status, created_at, expires_at from app.device_sign_ins where owner_id = $1 order by created_at',
  legal_acceptances: '* from app.legal_acceptances where owner_id = $1 order by seq',
  webhooks: '* from app.webhooks where owner_id = $1 order by created_at, webhook_id',
  webhook_deliveries: `d.* from app.webhook_deliveries d join app.webhooks using (webhook_id)
    where owner_id = $1 order by d.seq`,
  one_time_links: '* from app.one_time_links where owner_id = $1 order by purpose',
  mails: '* from app.mails where owner_id = $1 order by created_at, mail_id',
  workflows: '* from app.workflows where owner_id = $1 order by created_at, id',
  workflow_publications: `p.*, s.content from app.workflow_publications p join app.workflow_snapshots s using (hash)
    where p.owner_id = $1 order by p.seq`,
  plans: `p.plan_id, p.owner_id, p.agent_id, p.stated_at, encode(p.commitment, 'hex') as commitment,
    encode(p.producer, 'hex') as producer, encode(p.salt, 'hex') as salt, p.statement
    from app.plans p where p.owner_id = $1 order by p.plan_id`,
  backtest_sets: '* from app.backtest_sets where owner_id = $1 and removed_at is null order by set_id',
  // Without an order: a page begins in the index.
  backtest_rows: `r.*, i.market, i.symbol, i.venue, i.asset_class, i.quote_currency, d.body, d.outcome, d.last_error,
    ${NOTES} as notes from app.backtest_rows r join app.backtest_sets s using (set_id) join app.backtest_instruments i using (set_id, place)
    join app.backtest_documents d using (row_id) where s.owner_id = $1 and s.removed_at is null`,
  asked_questions: 'first_asked_at from app.asked_questions where owner_id = $1 order by first_asked_at',
  question_counts: '* from app.question_counts where owner_id = $1',
  agent_counts: `* from app.agent_counts where ${AGENTS} order by agent_id`,
  quota_days: '* from app.quota_days where owner_id = $1 order by day',
  retroactive_days: '* from app.retroactive_days where owner_id = $1 order by day',
  credit_ledger: '* from app.credit_ledger where owner_id = $1 order by record_id',
  agent_submissions: `* from app.agent_submissions where ${AGENTS} order by agent_id`,
  submit_hours: `* from app.submit_hours where ${AGENTS} order by agent_id, hour`,
  cooldowns: `* from app.cooldowns where ${AGENTS} order by agent_id, last_at`,
  idempotency: `* from app.idempotency where ${AGENTS} order by agent_id, created_at`,
  security_events: '* from app.security_events where owner_id = $1 order by seq',
  audit_log: `* from app.audit_log
    where $1::text in (subject, actor) or subject in (${PREFIXES.replace('$1', '$1::uuid')})
      or subject in (${RECORDS.replace('$1', '$1::uuid')}) order by seq`,
} as const satisfies Readonly<Record<string, string>>;

/** What a row is without what is secret: whatever is kept in bytes is a hash or sealed. */
function shown(rows: StoredRows): StoredRows {
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).filter(([name, value]) => name !== 'password_hash' && !(value instanceof Uint8Array)),
    ),
  );
}

const COUNT = 'select count(*)::int as records from app.decisions where owner_id = $1';

const FIRST_IDS = `
  select record_id from app.decisions where owner_id = $1 order by submission_time, record_id limit $2`;

/** In the order of the index of the owner, so that a page reads its own rows alone. */
const NEXT_IDS = `
  select record_id from app.decisions
  where owner_id = $1
    and (submission_time, record_id) > ((select a.submission_time from app.decisions a where a.record_id = $3), $3::text)
  order by submission_time, record_id limit $2`;
