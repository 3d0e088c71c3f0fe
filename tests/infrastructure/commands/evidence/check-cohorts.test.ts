import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runCommand } from '../../../../infrastructure/commands/run-command.ts';
import { SAYS } from '../../../contracts/cohorts/paging.ts';
import { graded } from '../../../contracts/cohorts/universe.ts';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { type Bench, benchOn } from '../../../contracts/decisions/bench.ts';

let opened: OpenedDatabase;
let dataDir: string;
const bench: Bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(4);
    return opened;
  },
});
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'stancebook-admin-'));
  const agents = [await bench.agent()];
  await graded(bench, agents, SAYS);
  await graded(bench, agents, { ...SAYS, direction: 'bearish' });
  await bench.storage().cohortCells.fold(10);
  await bench.storage().cohortCells.foldTracks(100);
  await graded(bench, agents, { ...SAYS, direction: 'neutral' });
});
afterAll(() => rmSync(dataDir, { recursive: true }));

async function admin(...args: readonly string[]) {
  const secret = 'a secret of the tests, long enough for them';
  const env = { DATABASE_URL: opened.serviceUrl, SESSION_SECRET: secret, PASSWORD_PEPPER: secret, DATA_DIR: dataDir };
  const output: string[] = [];
  const print = (line: string) => void output.push(line);
  return { code: await runCommand(args, env, { print, complain: print }), output };
}

const FINE = 'All counts match the decisions.';

test('counts that match the records are exit code 0', async () => {
  expect(await admin('check-cohorts')).toEqual({ code: 0, output: [FINE] });
});

test.each([
  [
    'a count too high',
    `update app.cohort_cells set n = n + 1 where rollup = 1`,
    /^market all of data_cutoff crypto .*: stored 3 from .* of 1 owners, moves \{[\d,]+\}, counted 2 from /,
  ],
  [
    'a cell that is missing',
    `delete from app.cohort_cells where rollup = 20`,
    /^symbols all of data_cutoff crypto BTC .*: stored nothing, counted 2 from /,
  ],
  [
    'a cell of nothing',
    `insert into app.cohort_cells select 1, 'stock', symbol, venue, asset_class, quote_currency, cohort_key, direction,
    analysis_class, horizon_kind, horizon_value, since, perspective_type, result_bucket, submission_origin, n, earliest, latest, owners, moves, method, grid
    from app.cohort_cells where rollup = 1`,
    /^market all of data_cutoff stock .*: stored 2 from .*, counted nothing$/,
  ],
  [
    'an owner who is none',
    `update app.cohort_cells set owners = array[gen_random_uuid()] where rollup = 1`,
    /^market all /,
  ],
  [
    'another last grade',
    `update app.cohort_cells set last_graded = last_graded - interval '1 minute' where rollup = 1`,
    /^market all of data_cutoff crypto .*: stored 2 from .*, graded until .*11:59:00.*, counted 2 from .*12:00:00/,
  ],
  [
    'a record twice, in cells and tail',
    `insert into app.cohort_tail select * from app.public_records on conflict do nothing`,
    /: stored 2 from .*, counted nothing$|: stored 1 from .*, counted nothing$/,
  ],
  [
    'a tail that says otherwise',
    `update app.cohort_tail set symbol = 'ETH'`,
    /^tail dec_.*: stored \{.*ETH.*\}, counted \{.*BTC.*\}$/,
  ],
  [
    'another range of a move in the tail',
    `update app.cohort_tail set move = 0`,
    /^tail dec_.*: stored \{.*"move": 0,.*\}, counted \{.*"move": \d+,.*\}$/,
  ],
  [
    'another range of a move in a record, its tail and its cells',
    `update app.decisions set move = 0; update app.cohort_tail set move = 0; select app.rebuild_cohort_cells()`,
    /^record dec_.*: stored move 0, grid fine, exception none, counted move \d+, grid fine, exception none$/,
  ],
  [
    'another grid of a record, its tail and its cells',
    `update app.decisions set grid = 'coarse'; update app.cohort_tail set grid = 'coarse'; select app.rebuild_cohort_cells()`,
    /^record dec_.*: stored .*, grid coarse, exception none, counted .*, grid fine, exception none$/,
  ],
  [
    'records that cohorts no longer count',
    `update app.decisions set cohort_exception = 'suspected_split'; delete from app.cohort_tail; select app.rebuild_cohort_cells()`,
    /^record dec_.*: stored .*, exception suspected_split, counted .*, exception none$/,
  ],
  [
    'a count of an agent too high',
    `update app.track_cells set n = n + 1 where facet = 'direction' and key = 'bullish' and kind = 'received'`,
    /^agent agt_\w+ direction realtime received bullish: stored 2 from .* to .*, counted 1 from .* to .*$/,
  ],
  [
    'a count of an agent that is missing',
    `delete from app.track_cells where facet = 'month' and kind = 'evaluated'`,
    /^agent agt_\w+ month realtime evaluated 20\d\d-\d\d .*: stored 1, counted 3$/,
  ],
  [
    'a change of a record that is in no count',
    'delete from app.track_tail',
    /^agent agt_\w+ .*: stored .*, counted \d/,
  ],
  [
    'a count of a workflow that none of its records make',
    `insert into app.workflow_cells select 'a hash', owner_id, 'evaluated', 'weak_correct', 3 from app.agents`,
    /^workflow a hash of [\w-]+ evaluated weak_correct: stored 3, counted nothing$/,
  ],
  [
    'a count too high in a rollup by periods',
    `select count(app.extend_rollups(0)) from generate_series(1, 50);
    update app.cohort_cells set n = n + 1 where rollup = 31`,
    /^horizon_periods day of data_cutoff crypto .*: stored 4 from .*, counted 3 from /,
  ],
  [
    'a cell of a rollup by periods that is missing',
    'delete from app.cohort_cells where rollup = 33',
    /^horizon_periods day of evaluated_at crypto .*: stored nothing, counted 3 from /,
  ],
])('%s is reported, with exit code 1', async (_, damage, line) => {
  await opened.owner.query('begin');
  const { rows: tail } = await opened.owner.query('select * from app.cohort_tail');
  await opened.owner.query(damage);
  await opened.owner.query('commit');
  const { code, output } = await admin('check-cohorts');
  expect(code).toBe(1);
  expect(output[0]).toMatch(line);
  expect(output.at(-1)).toBe(`${output.length - 1} counts differ.`);
  await opened.owner.query('delete from app.cohort_tail');
  const back = 'insert into app.cohort_tail select * from jsonb_populate_recordset(null::app.cohort_tail, $1)';
  await opened.owner.query(back, [JSON.stringify(tail)]);
  expect(await admin('check-cohorts', '--rebuild')).toEqual({
    code: 0,
    output: ['All counts were made again.', FINE],
  });
});

test.each([['--all'], ['--rebuild', 'now']])('called wrongly is exit code 2: %s', async (...args) => {
  expect(await admin('check-cohorts', ...args)).toMatchObject({ code: 2 });
});
