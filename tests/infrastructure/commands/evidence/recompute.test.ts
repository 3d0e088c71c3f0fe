import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type GradedDatabase, gradedDatabase } from './graded-database.ts';

let database: GradedDatabase;
let ids: readonly string[];

beforeAll(async () => {
  database = await gradedDatabase(['BTC', 'BTC', 'ETH']);
  ids = database.ids.toSorted();
});
afterAll(() => database.close());

test('an outcome that comes out the same is exit code 0, and the output contains its digest', async () => {
  const { code, output } = await database.admin('recompute', ids[0] ?? '');
  expect(output).toMatch(/^dec_\w+: the same, weak_correct; its evidence is intact, sha256 [0-9a-f]{64}$/);
  expect(code).toBe(0);
});

test('all of them at once', async () => {
  const output = '3 outcomes: 3 the same, 0 different, 0 damaged, 0 impossible';
  expect(await database.admin('recompute', '--all')).toEqual({ code: 0, output });
});

test('a record that is not there is exit code 1', async () => {
  const output = 'dec_20260101_00000000: impossible. There is no such record.';
  expect(await database.admin('recompute', 'dec_20260101_00000000')).toEqual({ code: 1, output });
});

test.each([
  [[]],
  [['recompute']],
  [['recompute', '7']],
  [['recompute', '--all', '--all']],
  [['constructor']],
  [['no']],
])('called with %j it shows how to call it: exit code 2', async (args: readonly string[]) => {
  const { code, output } = await database.admin(...args);
  expect(output).toContain('npm run admin -- recompute RECORD_ID | --all');
  expect(code).toBe(2);
});

test('facts that were changed behind the guards are reported with the computed values', async () => {
  const [, changed = ''] = ids;
  await behindTheGuards('decision_outcomes', 'evidence', () =>
    database.opened.owner.query(`update app.decision_outcomes set facts = facts || '{"tau": 7}' where record_id = $1`, [
      changed,
    ]),
  );
  const { code, output } = await database.admin('recompute', changed);
  expect(output).toMatch(/: different\n {2}facts\.tau: stored 7, computed 0\.0416/);
  expect(code).toBe(1);
});

test('bars that were changed behind the guards are reported for each outcome that uses them', async () => {
  await database.opened.owner.query('alter table app.evidence_bars drop constraint digest_of_content');
  await behindTheGuards('evidence_bars', 'evidence', () =>
    database.opened.owner.query(`update app.evidence_bars set content = replace(content, '"volume":1', '"volume":2')`),
  );
  const { code, output } = await database.admin('recompute', '--all');
  expect(output.match(/its evidence is damaged\n {2}Bars do not match their digest: [0-9a-f]{64}/g)).toHaveLength(3);
  expect(output).toContain('3 outcomes: 0 the same, 0 different, 3 damaged, 0 impossible');
  expect(code).toBe(1);
});

/** As an owner of the schema who means harm. */
async function behindTheGuards(table: string, trigger: string, work: () => Promise<unknown>): Promise<void> {
  await database.opened.owner.query(`alter table app.${table} disable trigger ${trigger}`);
  await work();
  await database.opened.owner.query(`alter table app.${table} enable always trigger ${trigger}`);
}
