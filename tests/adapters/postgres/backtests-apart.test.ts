import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { RECALLED_ROWS } from '../../../adapters/postgres/backtests/backtest-store.ts';
import { gradeRows } from '../../../application/backtests/grade-rows.ts';
import { receiveRows } from '../../../application/backtests/receive-rows.ts';
import { HOUR } from '../../../domain/time.ts';
import { ABOUT, aRow } from '../../builders/backtests.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT } from '../../harness/cohorts.ts';
import { openService, type TestService } from '../../harness/service.ts';

/** `npm run backtests-apart` sends as many as a day may have. */
const ROWS = Number(process.env.BACKTEST_ROWS ?? 1_000);
const AT_ONCE = 1_000;

/** What rows of back-tests are stored in, what counts them, and what any evaluation stores of instruments and bars. */
const OWN =
  /^(backtest_\w+|kept_days|rate_windows|quota_days|instruments|bar_cache\w*|bar_series|bar_stretches|api_keys|api_key_uses|source_health)$/;

let opened: OpenedDatabase;
let service: TestService;
beforeAll(async () => {
  opened = await onPostgres(4);
  service = await openService('postgres', { at: COHORTS_AT, opened, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
});
afterAll(() => service.close());

/** The content of every other table of the service. */
async function others(): Promise<Readonly<Record<string, string>>> {
  const { rows: tables } = await opened.owner.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'app' order by 1`,
  );
  const content: Record<string, string> = {};
  for (const { name } of tables.filter((table) => !OWN.test(table.name))) {
    const text = `select count(*) || ' ' || md5(coalesce(string_agg(t::text, e'\\n' order by t::text), '')) as content from app.${name} t`;
    content[name] = (await opened.owner.query<{ content: string }>(text)).rows[0]?.content ?? '';
  }
  return content;
}

test(`${ROWS} rows of a set leave the tables of decisions, cells and log as they were`, async () => {
  const agent = await anAgentAt(service);
  // A decision that counts everywhere, on the instrument of the rows.
  expect((await agent.submit(aPastCall(30))).status).toBe(201);
  await service.settle();
  const before = await others();
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining(['decisions', 'cohort_cells', 'track_cells', 'log_pending', 'events']),
  );
  expect(before.decisions).toMatch(/^1 /);
  const { owner_id, agent_id } = agent;
  const set = { owner_id, agent_id, name: 'apart', about: ABOUT, network: 'a network' };
  const row = (n: number) => {
    const { data_cutoff: _, ...call } = aPastCall(1, {
      direction: n % 2 ? 'bullish' : 'bearish',
      confidence: (n % 10) / 10,
    });
    const data_cutoff = new Date(Date.UTC(2016, 9, 5) + (n % 4_000) * HOUR).toISOString();
    return { external_id: `r${n}`, call: { ...call, data_cutoff } };
  };
  for (let first = 0; first < ROWS; first += AT_ONCE) {
    const rows = Array.from({ length: AT_ONCE }, (_, n) => row(first + n));
    expect(await receiveRows(service.ports, { ...set, rows })).toMatchObject({ accepted: AT_ONCE });
  }
  let graded = 0;
  for (let { ended } = await gradeRows(service.ports); ended > 0; { ended } = await gradeRows(service.ports))
    graded += ended;
  expect(graded).toBe(ROWS);
  await service.settle();
  expect(await others()).toEqual(before);
  const { rows } = await opened.owner.query(
    'select count(*)::int as graded from app.backtest_rows where known_at is not null',
  );
  expect(rows).toEqual([{ graded: ROWS }]);
  // The same call as a decision changes them.
  expect((await agent.submit(aPastCall(29))).status).toBe(201);
  await service.settle();
  const after = await others();
  const changed = Object.keys(before).filter((name) => after[name] !== before[name]);
  expect(changed).toEqual(expect.arrayContaining(['cohort_cells', 'decisions', 'decision_outcomes', 'events']));
});

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

test('a recall of a set reads as many rows as it returns, of each instrument, whatever the set has', async () => {
  const { owner_id, agent_id } = await anAgentAt(service);
  const start = COHORTS_AT.getTime() - 2_000 * HOUR;
  const rows = Array.from({ length: 1_500 }, (_, n) => {
    const row = aRow(`r${n}`, new Date(start + n * HOUR));
    return { ...row, venue: n % 2 ? 'COINBASE' : 'BINANCE' };
  });
  const batch = { owner_id, agent_id, name: 'long', about: ABOUT, rows };
  await service.ports.transaction(({ backtests }) => backtests.receive(batch, COHORTS_AT));
  const set = await service.ports.backtests.find(batch);
  await opened.owner.query('analyze app.backtest_instruments, app.backtest_rows, app.backtest_documents');
  const { rows: plans } = await opened.owner.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    `explain (analyze, format json) ${RECALLED_ROWS}`,
    [set?.set_id, 'crypto', 'BTC', COHORTS_AT, 20],
  );
  const nodes = plans.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => nodesOf(Plan)));
  const read = (table: string) =>
    nodes
      .filter((node) => node['Relation Name'] === table)
      .map((node) => Math.round(node['Actual Rows'] * node['Actual Loops']));
  expect([read('backtest_rows'), read('backtest_documents')]).toEqual([[40], [20]]);
});

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
