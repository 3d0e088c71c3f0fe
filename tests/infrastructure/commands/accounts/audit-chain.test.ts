import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type GradedDatabase, gradedDatabase } from '../evidence/graded-database.ts';

let database: GradedDatabase;
let kept: string;

beforeEach(async () => {
  await database?.close();
  database = await gradedDatabase([]);
  for (const subject of ['one', 'two', 'three', 'four', 'five']) {
    await database.opened.storage.audit.append({ actor: 'ada', action: 'tried', subject, detail: { reason: subject } });
  }
  kept = (await database.admin('audit', '--head')).output.trim();
});
afterAll(() => database.close());

const check = (...args: readonly string[]) => database.admin('check-evidence', '--without-cohorts', ...args);
/** As somebody who can bypass the triggers. */
const plant = async (statement: string) => {
  await database.opened.owner.query('alter table app.audit_log disable trigger user');
  const { rowCount } = await database.opened.owner.query(statement);
  await database.opened.owner.query('alter table app.audit_log enable trigger user');
  expect(rowCount).toBe(1);
};

test('a chain that is intact fits the head that was kept, also after more entries', async () => {
  expect(kept).toMatch(/^5:[0-9a-f]{64}$/);
  expect((await check()).output).toContain(`The audit log has 5 entries; its head is ${kept}.`);
  await database.opened.storage.audit.append({ actor: 'ada', action: 'tried', subject: 'six', detail: {} });
  expect((await check('--audit-head', kept)).code).toBe(0);
});

/** Another value for each column, so that a column which is added without a seal is found here. */
const OTHERS: Readonly<Record<string, string>> = {
  seq: '30',
  at: `at - interval '1 millisecond'`,
  actor: `'bob'`,
  action: `'other'`,
  subject: `'somebody'`,
  detail: `'{"reason": "another"}'`,
  previous: `repeat('1', 64)`,
  seal: `repeat('2', 64)`,
};

test('each column has a planted change', async () => {
  const { rows } = await database.opened.owner.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = 'app.audit_log'::regclass and attnum > 0 order by attnum`,
  );
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(OTHERS));
});

describe('by a user who can bypass triggers', () => {
  test.each(Object.entries(OTHERS))('a change of %s is found, and exit code 1', async (column, value) => {
    if (column === 'seq') {
      await database.opened.owner.query('alter table app.audit_log alter column seq drop identity');
    }
    await plant(`update app.audit_log set ${column} = ${value} where seq = 3`);
    const { code, output } = await check();
    expect(output).toMatch(/^audit entry (3|4|30): (its content does not match its seal|it does not follow entry)/m);
    expect(code).toBe(1);
  });

  test('an entry that was changed and sealed again is found by the entry after it', async () => {
    await plant(`update app.audit_log l set (actor, seal) = (select c.actor, app.audit_seal(c)
      from jsonb_populate_record(l, '{"actor": "bob"}') c) where seq = 3`);
    expect((await check()).output).toMatch(/^audit entry 4: it does not follow entry 3/m);
  });

  test('a removed entry is found by the entry after it', async () => {
    await plant('delete from app.audit_log where seq = 3');
    expect((await check()).output).toMatch(/^audit entry 4: it does not follow entry 2/m);
  });

  test('the newest entry that was removed, or sealed again, is found with the head that was kept', async () => {
    await plant(`update app.audit_log l set (actor, seal) = (select c.actor, app.audit_seal(c)
      from jsonb_populate_record(l, '{"actor": "bob"}') c) where seq = 5`);
    expect((await check()).code).toBe(0);
    const changed = await check('--audit-head', kept);
    expect([changed.code, changed.output]).toEqual([
      1,
      expect.stringMatching(/^audit entry 5: its seal is \w{64}, and/m),
    ]);
    await plant('delete from app.audit_log where seq = 5');
    const removed = await check('--audit-head', kept);
    expect([removed.code, removed.output]).toEqual([1, expect.stringMatching(/^audit entry 5: it is gone/m)]);
  });
});

test('the storage sets number, time and seal, whatever a role inserts', async () => {
  const { rows } = await database.opened.owner.query(
    `insert into app.audit_log (seq, at, actor, action, subject, previous, seal)
      overriding system value values (1, '2020-01-01', 'ada', 'tried', 'past', repeat('1', 64), repeat('2', 64))
      returning seq::int, at = app.now() as now`,
  );
  expect(rows).toEqual([{ seq: 6, now: true }]);
  expect((await check('--audit-head', kept)).code).toBe(0);
});

test.each(['5', 'five:00', `0:${'0'.repeat(64)}`])('a head that is none, %s, is exit code 2', async (head) => {
  const { code, output } = await check('--audit-head', head);
  expect([code, output]).toEqual([2, expect.stringContaining('send what "audit --head" printed')]);
});
