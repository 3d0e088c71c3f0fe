import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pruneExpired } from '../../../application/decisions/prune-expired.ts';
import { CONTRACT_LIMITS, type Limits, SECURITY_EVENTS } from '../../../domain/limits.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';

// Every table is emptied by a sweep, has a number of rows that something else bounds, or grows for ever under a limit.

/** Tables whose rows are as many as what is named. */
const BOUNDED: Readonly<Record<string, string>> = {
  agent_counts: 'agents',
  api_key_uses: 'keys',
  applied_functions: 'one row',
  atlas: 'one row',
  atlas_requests: 'taken by the job',
  atlas_seeds: 'seeds of the atlas',
  backtest_documents: 'LIMIT_BACKTEST_ROWS an owner',
  backtest_instruments: 'BACKTEST.sets and BACKTEST.instruments',
  backtest_notes: 'NOTE.perRecord a row',
  backtest_rows: 'LIMIT_BACKTEST_ROWS an owner',
  backtest_sets: 'BACKTEST.sets an owner',
  circuit_monitors: 'coins',
  cohort_removals: 'markets',
  cohort_rollups: 'cells',
  agent_submissions: 'agents',
  cohort_tail: 'folded into cells',
  expiry_passes: 'tables',
  factor_resets: 'owners',
  faulty_records: 'RECORD_FAULTS.remembered',
  feed_start: 'one row',
  instrument_refreshes: 'taken by the job',
  job_runs: 'jobs',
  limits_floor: 'one row',
  log_pending: 'taken by the log',
  log_pending_plans: 'taken by the log',
  log_witnesses: 'witnesses',
  passkeys: 'PASSKEY.perOwner',
  question_counts: 'owners',
  recovery_codes: 'FACTOR.recoveryCodes',
  reply_texts: 'STORED_REPLIES_MB',
  service_minutes: 'MINUTES.kept',
  service_processes: 'processes',
  source_health: 'processes and sources',
  symbol_files: 'files',
  symbols: 'the directory',
  timelines: 'primaries',
  totp_secrets: 'owners',
  track_tail: 'folded into cells',
  webhooks: 'WEBHOOK.perOwner',
  workflows: 'TIER_LIMITS',
};

type Limit = keyof Limits | 'PLAN.perDay' | 'operators';

const SUBMITTED: readonly Limit[] = ['submitsPerHour', 'submitMeanBytes', 'agentHoursPerNetwork'];
const CHANGED: readonly Limit[] = ['accountChangesPerDay', 'keptOwnersPerNetwork'];
const ACCOUNTS: readonly Limit[] = ['accountsPerAddress', 'accountsPerDay'];
const PUBLISHED: readonly Limit[] = ['publicationsPerDay', 'publishedBytesPerDay', 'keptOwnersPerNetwork'];
const PLANNED: readonly Limit[] = ['PLAN.perDay', 'keptOwnersPerNetwork'];

/** The limits of what one account and one network add to tables whose rows stay for ever. */
const GROWING: Readonly<Record<string, readonly Limit[]>> = {
  owners: ACCOUNTS,
  identities: ACCOUNTS,
  erasures: ACCOUNTS,
  agents: CHANGED,
  api_keys: CHANGED,
  audit_log: [...CHANGED, 'notesPerDay'],
  legal_acceptances: ['acceptancesPerDay', 'keptOwnersPerNetwork'],
  asked_questions: ['queryPerDay', ...ACCOUNTS],
  plans: PLANNED,
  log_plans: PLANNED,
  decision_notes: ['notesPerDay', 'keptOwnersPerNetwork'],
  workflow_publications: PUBLISHED,
  workflow_snapshots: PUBLISHED,
  decisions: SUBMITTED,
  decision_documents: SUBMITTED,
  decision_relations: SUBMITTED,
  decision_outcomes: SUBMITTED,
  record_links: SUBMITTED,
  outcome_evidence: SUBMITTED,
  evidence_bars: SUBMITTED,
  credit_ledger: SUBMITTED,
  instruments: SUBMITTED,
  cohort_cells: SUBMITTED,
  track_cells: SUBMITTED,
  workflow_cells: SUBMITTED,
  log_decisions: SUBMITTED,
  log_outcomes: SUBMITTED,
  log_tiles: SUBMITTED,
  log_bundles: SUBMITTED,
  log_checkpoints: ['operators'],
  log_heads: ['operators'],
  log_keys: ['operators'],
  secret_fingerprints: ['operators'],
  log_signatures: ['operators'],
  log_datasets: ['operators'],
  log_names: ['operators'],
  names: ['operators'],
  logs: ['operators'],
  circuit_snapshots: ['operators'],
  datasets: ['operators'],
  dataset_files: ['operators'],
  dataset_parts: ['operators'],
};

/** Bounded tables from which the service removes no row: it writes the same ones again. */
const REPLACED = [
  'agent_submissions',
  'atlas',
  'expiry_passes',
  'job_runs',
  'log_witnesses',
  'symbol_files',
  'symbols',
  'timelines',
];

let opened: OpenedDatabase;
beforeAll(async () => {
  opened = await onPostgres(4);
});
afterAll(() => opened?.close());

const names = async (sql: string) => (await opened.owner.query<{ name: string }>(sql)).rows.map(({ name }) => name);

/** Partitions are parts of their tables. */
const TABLES = `
  select c.relname as name from pg_class c
  where c.relnamespace = 'app'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`;

/** Those that the service fills, and whose rows it cannot remove; nor does the removal of an account. */
const KEPT = `
  select c.relname as name from pg_class c
  where c.relnamespace = 'app'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and has_table_privilege('SERVICE', c.oid, 'insert') and not has_table_privilege('SERVICE', c.oid, 'delete')
    and not exists (select from pg_constraint f where f.conrelid = c.oid and f.contype = 'f' and f.confdeltype = 'c')`;

async function expiring(): Promise<readonly string[]> {
  const { storage } = opened;
  const settings = { securityEventsKept: SECURITY_EVENTS.leastKept, sessionSecret: 's'.repeat(32) };
  await pruneExpired({ ...storage, mailSender: null, settings });
  return (await storage.expiry.passes()).map(({ table }) => table);
}

test('each table expires, is bounded by a number, or grows under a limit', async () => {
  const expired = await expiring();
  const all = [...expired, ...Object.keys(BOUNDED), ...Object.keys(GROWING)];
  const tables = await names(TABLES);
  expect(all.toSorted()).toEqual(tables.toSorted());
});

test('no table that the service fills and cannot empty is called bounded, unless its rows are replaced', async () => {
  const service = new URL(opened.serviceUrl).username;
  const kept = await names(KEPT.replaceAll('SERVICE', service));
  expect(kept.filter((name) => !(name in GROWING)).toSorted()).toEqual(REPLACED);
});

test('docs/limits.md names the variables that limit each growing table', () => {
  const manual = readFileSync(join(import.meta.dirname, '../../../docs/limits.md'), 'utf8');
  for (const [table, limits] of Object.entries(GROWING))
    for (const limit of limits) expect([table, limit, manual.includes(written(limit))]).toEqual([table, limit, true]);
});

function written(limit: Limit): string {
  if (limit === 'PLAN.perDay') return '50 a day';
  if (limit === 'operators') return 'operator';
  expect(Object.keys(CONTRACT_LIMITS)).toContain(limit);
  return `LIMIT_${limit.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
}
