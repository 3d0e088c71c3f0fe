import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { problemOf } from '../../../adapters/http/kit/reply/faults.ts';
import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import { RefusedEnds } from '../../../domain/decisions/evaluation-store.ts';
import { publicGrid } from '../../../domain/decisions/views/views.ts';
import { moveRange, moveZ } from '../../../domain/grading/bucket.ts';
import { cohortException } from '../../../domain/grading/cohort-exception.ts';
import { gridOf } from '../../../domain/grading/grid.ts';
import { GRADING } from '../../../domain/grading/method-numbers.ts';
import type { OutcomeFacts } from '../../../domain/grading/outcome.ts';
import { tauWithNights } from '../../../domain/grading/paths/volatility.ts';
import { COHORT, GROUP_HORIZONS } from '../../../domain/limits.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { TABLE_VENUES } from '../../../domain/market/venues.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { type AgentCaller, anAgent } from '../../builders/decisions.ts';
import { anOutcome } from '../../builders/outcomes.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { benchOn } from '../../contracts/decisions/bench.ts';
import { endOf, evaluateAll, FAR } from '../../contracts/decisions/evaluated.ts';

let opened: OpenedDatabase;
let service: pg.Client;
// Before the bench drops the database.
afterAll(() => service.end());
const bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(2);
    return opened;
  },
});

let agent: AgentCaller;
let graded: string;
let open: string;
beforeAll(async () => {
  agent = await bench.agent();
  graded = (await bench.accepted(agent)).record_id;
  await evaluateAll(bench);
  open = (await bench.accepted(agent)).record_id;
  service = new pg.Client({ connectionString: opened.serviceUrl });
  await service.connect();
});

const refused = { code: '42501' };
const roles = ['the service', 'the owner of the schema'] as const;
const clientOf = (role: (typeof roles)[number]) => (role === 'the service' ? service : opened.owner);

/** What may change before a decision is graded, or at any time. */
const PROGRESS = [
  ...['lifecycle_state', 'due_at', 'attempts', 'last_error', 'eval_token'],
  // What cohorts count by follows from the outcome, and check-cohorts --rebuild corrects it.
  ...['move', 'grid', 'cohort_exception'],
  ...['archived_at', 'archive_reason', 'quarantined_at', 'quarantine_reason', 'listed_at', 'listed_xid'],
];
/** What is written with the grade, or moves with the calendar until then. */
const GRADE = [
  ...['evaluated_at', 'result_bucket', 'created_regime', 'raw_return', 'directional_return', 'mfe', 'mae'],
  ...['end_time', 'settles_at'],
];

/** Another value of a column's type. */
const OTHERS: Readonly<Record<string, (column: string) => string>> = {
  text: () => `'dec_20260302_0badcafe'`,
  uuid: () => 'gen_random_uuid()',
  integer: () => '-7',
  smallint: () => '7',
  jsonb: () => `'{"planted": true}'`,
  'double precision': () => '0.12345',
  'timestamp(3) with time zone': (column) => `coalesce(${column}, app.now()) + interval '1 second'`,
};

test('a change of each column of a graded decision but its progress is refused to every role', async () => {
  const { rows } = await opened.owner.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = 'app.decisions'::regclass and attnum > 0 and not attisdropped`,
  );
  const names = rows.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...PROGRESS, ...GRADE]));
  for (const { name, type } of rows.filter(({ name: each }) => !PROGRESS.includes(each))) {
    const other = OTHERS[type]?.(name) ?? `no other value for ${name}, ${type}`;
    const update = opened.owner.query(`update app.decisions set ${name} = ${other} where record_id = $1`, [graded]);
    await expect(update).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/was submitted stays|was read as stays|a grade stays|leads there/),
    });
    const before = opened.owner.query(`update app.decisions set ${name} = ${other} where record_id = $1`, [open]);
    if (['end_time', 'settles_at'].includes(name)) await before;
    else if (name !== 'evaluated_at' && GRADE.includes(name)) await before;
    else await expect(before).rejects.toMatchObject(refused);
  }
  await opened.owner.query(
    `update app.decisions d set (end_time, settles_at, result_bucket, created_regime, raw_return,
    directional_return, mfe, mae) = (d.anchor_time + interval '1 hour', d.settles_at, null, null, null, null, null, null)
    where record_id = $1`,
    [open],
  );
});

/** What the service's role may still do by hand to the row of a graded decision, and why. */
const BY_HAND: Readonly<Record<string, { readonly why: string; readonly set: string; readonly back: string }>> = {
  archived_at: {
    why: 'its owner archives it, now, and once: a node of 0.5.0 does it by this statement',
    set: `archived_at = app.now(), archive_reason = 'a test'`,
    back: 'archived_at = null, archive_reason = null',
  },
};

test("each column of a graded decision is refused to the service's role, but what is listed with its reason", async () => {
  const { rows } = await opened.owner.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = 'app.decisions'::regclass and attnum > 0 and not attisdropped`,
  );
  expect(rows.length).toBeGreaterThan(40);
  const set = (assignments: string) =>
    service.query(`update app.decisions set ${assignments} where record_id = $1`, [graded]);
  const other = {
    xid8: `'3'`,
    ...Object.fromEntries(Object.entries(OTHERS).map(([type, of]) => [type, of('null')])),
  };
  for (const { name, type } of rows) {
    const value = (other as Readonly<Record<string, string>>)[type] ?? `no value for ${name}, ${type}`;
    // A time that is not now; the state has tests of its own.
    const planted = type.startsWith('timestamp') ? `timestamptz '2020-01-01T00:00:00Z'` : value;
    await expect([name, await set(`${name} = ${planted}`).catch((error) => error.code)]).toEqual([name, '42501']);
  }
});

test.each(Object.entries(BY_HAND))(
  'of a graded decision, %s may be set now and not taken back',
  async (name, { set, back }) => {
    const update = (assignments: string) =>
      service.query(`update app.decisions set ${assignments} where record_id = $1`, [graded]);
    await update(set);
    await expect(update(`${name} = app.now() + interval '1 second'`)).rejects.toMatchObject(refused);
    await expect(update(back)).rejects.toMatchObject(refused);
    await opened.owner.query(`update app.decisions set ${back} where record_id = $1`, [graded]);
  },
);

test("the service's role writes of a quarantine what a moderation says, and nothing else", async () => {
  const moderation = auditedModeration(bench.storage());
  await moderation.quarantine(graded, 'a test', await bench.now());
  for (const other of [
    `quarantine_reason = 'another'`,
    `quarantined_at = app.now()  + interval '1 second'`,
    'quarantined_at = null',
  ])
    await expect(
      service.query(`update app.decisions set ${other} where record_id = $1`, [graded]),
    ).rejects.toMatchObject(refused);
  await moderation.release(graded);
});

test("the service's role counts the move of a graded decision once, by the function alone", async () => {
  const moveOf = async () =>
    (await opened.owner.query('select move from app.decisions where record_id = $1', [graded])).rows[0].move;
  const before = await moveOf();
  const count = (range: number) => service.query('select app.count_moves($1, $2)', [[graded], [range]]);
  await count(before === 3 ? 4 : 3);
  expect(await moveOf()).toBe(before);
  await expect(count(11)).rejects.toMatchObject(refused);
  await opened.owner.query('update app.decisions set move = null where record_id = $1', [graded]);
  await expect(count(before === 3 ? 4 : 3)).rejects.toMatchObject(refused);
  await count(before);
  expect(await moveOf()).toBe(before);
});

test("the service's role corrects what cohorts count a decision by to what follows from its outcome alone", async () => {
  const counted = 'select move, grid, cohort_exception from app.decisions where record_id = $1';
  const [before] = (await opened.owner.query(counted, [graded])).rows;
  const correct = (values: object) => {
    const { move, grid, cohort_exception } = { ...before, ...values };
    const sent = [[graded], [move], [grid], [cohort_exception]];
    return service.query('select app.correct_counted($1, $2, $3, $4)', sent);
  };
  for (const planted of [
    { cohort_exception: 'suspected_split' },
    { cohort_exception: 'carried_open' },
    { move: before.move === 3 ? 4 : 3 },
    { move: null },
    { grid: before.grid === 'fine' ? 'coarse' : 'fine' },
    { grid: null },
  ])
    await expect(correct(planted)).rejects.toMatchObject(refused);
  await opened.owner.query(`update app.decisions set cohort_exception = 'suspected_split' where record_id = $1`, [
    graded,
  ]);
  await correct({});
  expect((await opened.owner.query(counted, [graded])).rows).toEqual([before]);
});

test('the range of a move, the exception and the grid that the database finds are those of the domain', async () => {
  const { signedQuartile, absoluteQuartiles } = GRADING;
  const edges = [0, signedQuartile, ...absoluteQuartiles].flatMap((edge) => [edge, edge + 1e-15, edge - 1e-15]);
  const moves = edges.flatMap((z) => [z, -z]).concat(4.5, -4.5, 1e-9);
  const cases = DIRECTIONS.flatMap((direction) =>
    moves.flatMap((z) => [0.01, -0.01].map((raw_return) => ({ direction, z, raw_return }))),
  );
  const ranges = await opened.owner.query(
    `select app.range_of_move(c ->> 'direction', c) as range from jsonb_array_elements($1::jsonb) c`,
    [JSON.stringify(cases)],
  );
  expect(ranges.rows.map(({ range }) => range)).toEqual(
    cases.map(({ direction, ...facts }) => moveRange(moveZ(direction, facts))),
  );
  const flags = [true, false];
  const outcomes = ['eval/1', 'eval/2', 'eval/3'].flatMap((method) =>
    flags.flatMap((suspected_split) =>
      flags.flatMap((suspected_price) =>
        flags.map((carried_open) => ({ method, suspected_split, suspected_price, carried_open })),
      ),
    ),
  );
  const exceptions = await opened.owner.query(
    'select app.exception_of(c) as exception from jsonb_array_elements($1::jsonb) c',
    [JSON.stringify(outcomes)],
  );
  const expected = outcomes.map((facts) => cohortException(facts as unknown as OutcomeFacts));
  expect(exceptions.rows.map(({ exception }) => exception)).toEqual(expected);
  const { fineGrid } = COHORT;
  const steps = ['eval/1', 'eval/2', 'eval/3'].flatMap((method) =>
    [0, 1e-9, fineGrid - 1e-15, fineGrid, fineGrid + 1e-15, 7].map((grid_z) => ({ method, grid_z })),
  );
  const grids = await opened.owner.query('select app.grid_of(c) as grid from jsonb_array_elements($1::jsonb) c', [
    JSON.stringify(steps),
  ]);
  expect(grids.rows.map(({ grid }) => grid)).toEqual(steps.map((facts) => gridOf(facts as unknown as OutcomeFacts)));
});

test('the database takes the grid that others count a record by, and of a coin or a retroactive record no other', async () => {
  const start = Date.parse('2026-03-02T14:29:00Z');
  const windows = Array.from({ length: 400 }, (_, n) => {
    const anchor_time = new Date(start + ((n * 7_919_113) % (3 * DAY)));
    return {
      anchor_time,
      end_time: new Date(anchor_time.getTime() + 120_000 + ((n * n * 977) % (n % 5 ? 90_000 : DAY))),
    };
  });
  const cases = windows.flatMap((window, n) =>
    (['crypto', 'stock'] as const).flatMap((market) =>
      (['realtime', 'retroactive'] as const).map((submission_origin) => {
        const grid_z = 0.1 * (0.6 + ((n * 37) % 100) / 100);
        const omega = market === 'stock' ? 0.3 : null;
        const instrument = { market, symbol: 'X', asset_class: 'spot', quote_currency: 'USD' } as const;
        const calendar = calendarOf({ ...instrument, venue: market === 'stock' ? 'NASDAQ' : 'BINANCE' });
        const whole = tauWithNights(calendar, omega, window.anchor_time.getTime(), window.end_time.getTime());
        // From entry to exit, a part of it.
        const facts = { ...anOutcome().facts, omega, grid_z, tau: whole * (n % 2 ? 1 : 0.7) } as OutcomeFacts;
        const venue = market === 'stock' ? 'NASDAQ' : 'BINANCE';
        const grid = publicGrid(facts, { ...window, market, venue, submission_origin });
        return { ...window, market, submission_origin, facts, grid, other: grid === 'fine' ? 'coarse' : 'fine' };
      }),
    ),
  );
  expect(cases.filter(({ facts, grid }) => grid !== gridOf(facts)).length).toBeGreaterThan(20);
  const { rows } = await opened.owner.query(
    `select app.grid_fits(c ->> 'grid', c -> 'facts', c ->> 'market', c ->> 'submission_origin',
        (c ->> 'anchor_time')::timestamptz, (c ->> 'end_time')::timestamptz) as fits,
      app.grid_fits(c ->> 'other', c -> 'facts', c ->> 'market', c ->> 'submission_origin',
        (c ->> 'anchor_time')::timestamptz, (c ->> 'end_time')::timestamptz) as other
     from jsonb_array_elements($1::jsonb) c`,
    [JSON.stringify(cases)],
  );
  for (const [n, { market, submission_origin }] of cases.entries()) {
    const either = market === 'stock' && submission_origin === 'realtime';
    expect([cases[n], rows[n]]).toEqual([cases[n], { fits: true, other: either && rows[n]?.other }]);
  }
});

test('of a stock over days the database takes one grid alone, unless the step is a hair from the bound', async () => {
  const venues = ['NASDAQ', 'HKEX', 'NSE', 'XETRA'] as const;
  const cases = Array.from({ length: 600 }, (_, n) => {
    const venue = venues[n % 4] ?? 'NASDAQ';
    const instrument = { market: 'stock', venue, symbol: 'X', asset_class: 'spot', quote_currency: 'USD' } as const;
    const calendar = calendarOf(instrument);
    const anchor_time = new Date(Date.parse('2026-03-02T01:00:00Z') + ((n * 7_919_113) % (9 * DAY)));
    const end_time = new Date(calendar.nthFrom(anchor_time.getTime(), 1 + (n % 5)).close);
    const omega = (n % 11) / 10;
    const tau = tauWithNights(calendar, omega, anchor_time.getTime(), end_time.getTime()) * (n % 3 ? 1 : 0.6);
    const grid_z = 0.1 * (0.9 + ((n * 37) % 200) / 1_000);
    const facts = { ...anOutcome().facts, omega, grid_z, tau } as OutcomeFacts;
    const window = { anchor_time, end_time, market: 'stock', submission_origin: 'realtime' } as const;
    const grid = publicGrid(facts, { ...window, venue });
    return { ...window, facts, grid, other: grid === 'fine' ? 'coarse' : 'fine' };
  });
  const { rows } = await opened.owner.query<{ fits: boolean; other: boolean }>(
    `select ${['grid', 'other']
      .map(
        (name) => `app.grid_fits(c ->> '${name}', c -> 'facts', 'stock', 'realtime', (c ->> 'anchor_time')::timestamptz,
          (c ->> 'end_time')::timestamptz) as ${name === 'grid' ? 'fits' : 'other'}`,
      )
      .join(', ')} from jsonb_array_elements($1::jsonb) c`,
    [JSON.stringify(cases)],
  );
  expect(rows.filter(({ fits }) => !fits)).toEqual([]);
  const taken = cases.filter((_, n) => rows[n]?.other);
  expect(taken.length).toBeLessThan(60);
  for (const { facts } of taken) {
    expect(facts).toMatchObject({ grid_z: expect.any(Number) });
    if ('grid_z' in facts) expect(facts.grid_z).toBeGreaterThan(0.1 - 1e-9);
  }
});

test('no session of a venue is shorter than an hour, and each begins and ends with a minute', () => {
  for (const venue of TABLE_VENUES.namesOf('stock')) {
    const instrument = { market: 'stock', venue, symbol: 'X', asset_class: 'spot', quote_currency: 'USD' } as const;
    const sessions = calendarOf(instrument).sessions(Date.parse('2010-01-04'), Date.parse('2027-12-31'));
    expect(Math.min(...sessions.map(({ length }) => length))).toBeGreaterThanOrEqual(HOUR);
    const times = sessions.flatMap(({ segments }) => segments.flatMap(({ open, close }) => [open, close]));
    expect(times.filter((at) => at % MINUTE !== 0)).toEqual([]);
  }
});

test("the service's role adds nothing to a decision that is stored", async () => {
  await expect(
    service.query(`insert into app.decision_relations values ($1, $2, 'supports')`, [graded, open]),
  ).rejects.toMatchObject(refused);
  const evidence = `insert into app.outcome_evidence select record_id, encode(sha256('{}'), 'hex'), '{}', '{}', '{}'
    from app.decisions where record_id = $1`;
  await opened.owner.query('alter table app.outcome_evidence disable trigger evidence');
  const months = await opened.owner
    .query(`delete from app.outcome_evidence where record_id = $1`, [graded])
    .catch((e) => e);
  expect(months).not.toBeInstanceOf(Error);
  await expect(service.query(evidence, [graded])).rejects.toMatchObject(refused);
  for (const table of [
    'decisions',
    'decision_documents',
    'decision_outcomes',
    'decision_relations',
    'outcome_evidence',
  ])
    await expect(service.query(`delete from app.${table} where record_id = $1`, [graded])).rejects.toMatchObject(
      refused,
    );
});

describe.each(roles)('%s cannot', (role) => {
  test.each(['pending_verify', 'verified', 'rejected', 'evaluating', 'deferred', 'data_unavailable'])(
    'take a graded decision back to %s, from quarantine neither',
    async (state) => {
      const set = `update app.decisions set lifecycle_state = $2,
        due_at = case when $2 in ('verified', 'evaluating', 'deferred') then app.now() end,
        eval_token = case when $2 = 'evaluating' then gen_random_uuid() end where record_id = $1`;
      await expect(clientOf(role).query(set, [graded, state])).rejects.toMatchObject(refused);
      const moderation = auditedModeration(bench.storage());
      await moderation.quarantine(graded, 'a test', await bench.now());
      await expect(clientOf(role).query(set, [graded, state])).rejects.toMatchObject(refused);
      await moderation.release(graded);
    },
  );

  test('make a decision evaluated that was not graded', async () => {
    const set = `update app.decisions set lifecycle_state = 'evaluated', due_at = null, eval_token = null,
      evaluated_at = app.now(), result_bucket = 'strong_correct' where record_id = $1`;
    await expect(clientOf(role).query(set, [open])).rejects.toMatchObject(refused);
    await auditedModeration(bench.storage()).quarantine(open, 'a test', await bench.now());
    await expect(clientOf(role).query(set, [open])).rejects.toMatchObject(refused);
    await auditedModeration(bench.storage()).release(open);
  });

  test('grade a decision otherwise than its outcome', async () => {
    const { record_id } = await bench.accepted(agent);
    await opened.owner.query(
      `update app.decisions set lifecycle_state = 'evaluating', due_at = app.now(),
      eval_token = gen_random_uuid() where record_id = $1`,
      [record_id],
    );
    const grade = (raw_return: number, planted = '') => `with graded as (
        update app.decisions set lifecycle_state = 'evaluated', due_at = null, eval_token = null, evaluated_at = app.now(),
          result_bucket = 'weak_correct', raw_return = ${raw_return}, mae = 0${planted} where record_id = '${record_id}' returning record_id)
      insert into app.decision_outcomes (record_id, facts, owner_facts)
        select record_id, '{"raw_return": 0.5, "mae": {"value": 0}}', '{}' from graded`;
    const otherwise = [
      grade(0.75),
      grade(0.5, `, cohort_exception = 'suspected_split'`),
      grade(0.5, ', move = 3'),
      grade(0.5, `, grid = 'fine'`),
    ];
    for (const planted of otherwise) {
      await expect(clientOf(role).query(planted)).rejects.toMatchObject({
        ...refused,
        message: expect.stringContaining(`the grade of ${record_id} is not that of its outcome`),
      });
    }
    await clientOf(role).query(grade(0.5));
  });

  test('put a decision under quarantine or release it without an entry of the audit log in the same transaction', async () => {
    const move = (state: string) =>
      clientOf(role).query(
        `update app.decisions set lifecycle_state = '${state}', due_at = null, eval_token = null where record_id = $1`,
        [open],
      );
    await expect(move('quarantined')).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('audit log'),
    });
    const moderation = auditedModeration(bench.storage());
    await moderation.quarantine(open, 'a test', await bench.now());
    await expect(move('pending_verify')).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('audit log'),
    });
    await moderation.release(open);
    await expect(move('quarantined')).rejects.toMatchObject(refused);
  });
});

test('no role removes a decision', async () => {
  await expect(opened.owner.query('delete from app.decisions where record_id = $1', [open])).rejects.toMatchObject(
    refused,
  );
  await expect(opened.owner.query('truncate app.decisions cascade')).rejects.toMatchObject(refused);
});

describe('an inserted decision', () => {
  const insert = (changes: Readonly<Record<string, unknown>>) =>
    service.query(
      `insert into app.decisions select (jsonb_populate_record(d, jsonb_build_object('listed_at', null, 'listed_xid', null)
        || $2::jsonb)).* from app.decisions d where record_id = $1`,
      [open, changes],
    );
  const day = (at: Date) => at.toISOString().slice(0, 10).replaceAll('-', '');
  const backdated = async (hours: number) => {
    const at = new Date((await bench.now()).getTime() - hours * 3_600_000);
    return { record_id: `dec_${day(at)}_0badcafe`, submission_time: at.toISOString() };
  };

  test('of the service itself enters', async () => {
    await insert({ ...(await backdated(0)), record_id: `dec_${day(await bench.now())}_00c0ffee` });
  });

  const GROUP = 'grp_00c0ffee00c0ffee00c0ffee';
  test.each([
    ['has no place', { group_id: GROUP, group_of: 3 }],
    ['has no size', { group_id: GROUP, group_place: 1 }],
    ['has no id', { group_place: 1, group_of: 3 }],
    ['has another id', { group_id: 'grp_1', group_place: 1, group_of: 3 }],
    ['is of one', { group_id: GROUP, group_place: 1, group_of: 1 }],
    ['is of more than groups have', { group_id: GROUP, group_place: 1, group_of: GROUP_HORIZONS.most + 1 }],
    ['has the place 0', { group_id: GROUP, group_place: 0, group_of: 3 }],
    ['has a place behind the last', { group_id: GROUP, group_place: 4, group_of: 3 }],
  ])('whose group %s is refused', async (_, group) => {
    const each = { ...(await backdated(0)), record_id: `dec_${day(await bench.now())}_00c0ffe2` };
    await expect(insert({ ...each, ...group })).rejects.toMatchObject({ code: '23514', constraint: 'group_members' });
  });

  test('of a group that has a place of it enters', async () => {
    const ids = ['00c0ffe3', '00c0ffe4'].map(async (suffix) => `dec_${day(await bench.now())}_${suffix}`);
    const [first, last] = await Promise.all(ids);
    const group = { ...(await backdated(0)), group_id: GROUP, group_of: GROUP_HORIZONS.most };
    await insert({ ...group, record_id: first, group_place: 1 });
    await insert({ ...group, record_id: last, group_place: GROUP_HORIZONS.most });
  });

  test('that is backdated, has another day in its id, or is graded is refused', async () => {
    await expect(insert(await backdated(1))).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('is not received now'),
    });
    await expect(insert(await backdated(-1))).rejects.toMatchObject(refused);
    const wrongDay = { ...(await backdated(0)), record_id: 'dec_20200101_0badcafe' };
    await expect(insert(wrongDay)).rejects.toMatchObject({ ...refused, message: expect.stringContaining('the day') });
    const done = {
      ...(await backdated(0)),
      lifecycle_state: 'evaluated',
      due_at: null,
      evaluated_at: await bench.now(),
      result_bucket: 'weak_correct',
    };
    await expect(insert(done)).rejects.toMatchObject({ ...refused, message: expect.stringContaining('not graded') });
  });

  test('that is backdated is refused with all others of its statement', async () => {
    const [good, bad] = [await backdated(0), await backdated(1)];
    const statement = service.query(
      `insert into app.decisions select (jsonb_populate_record(d, jsonb_build_object('listed_at', null, 'listed_xid', null)
        || change)).* from app.decisions d, jsonb_array_elements($2) change where record_id = $1`,
      [open, JSON.stringify([{ ...good, record_id: good.record_id.replace('0badcafe', '00c0ffe1') }, bad])],
    );
    await expect(statement).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining(`${bad.record_id} is not received now`),
    });
  });

  test('of an agent that is not there, has another owner, or is younger is refused', async () => {
    const now = await backdated(0);
    const unknown = expect.stringContaining('is not there');
    await expect(insert({ ...now, agent_id: 'agt_000000000000' })).rejects.toMatchObject({
      ...refused,
      message: unknown,
    });
    const other = await anAgent(bench.storage());
    await expect(insert({ ...now, owner_id: other.owner_id })).rejects.toMatchObject({ ...refused, message: unknown });
    await opened.owner.query(`update app.agents set created_at = app.now() + interval '1 day' where agent_id = $1`, [
      other.agent_id,
    ]);
    const error = await insert({ ...now, owner_id: other.owner_id, agent_id: other.agent_id }).catch(
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ code: '55000', message: expect.stringContaining('is younger') });
    expect(problemOf(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
  });
});

test('an inserted outcome has the grade of its decision, whatever the statement sends', async () => {
  const { rows } = await opened.owner.query(
    `select o.evaluated_at = d.evaluated_at as at, o.result_bucket = d.result_bucket as bucket,
      o.created_regime is not distinct from d.created_regime as regime
     from app.decision_outcomes o join app.decisions d using (record_id)`,
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(row).toEqual({ at: true, bucket: true, regime: true });
});

test('a decision that no cell counts yet stays counted when what cohorts count it by is corrected', async () => {
  const { record_id } = await bench.accepted(agent);
  await evaluateAll(bench);
  const [row] = (
    await opened.owner.query(
      `select d.move, d.grid, d.cohort_exception, t.record_id is not null as waits
       from app.decisions d left join app.cohort_tail t using (record_id) where d.record_id = $1`,
      [record_id],
    )
  ).rows;
  expect(row.waits).toBe(true);
  const sent = [[record_id], [row.move], [row.grid], [row.cohort_exception]];
  await service.query('select app.correct_counted($1, $2, $3, $4)', sent);
  expect(await bench.storage().cohortCells.check()).toEqual([]);
});

test('an end that the database refuses is refused as such, and none of those that were sent with it has ended', async () => {
  const sent = [await bench.accepted(agent), await bench.accepted(agent)].map(({ record_id }) => record_id);
  const { verification, evaluations } = bench.storage();
  await verification.settleVerification((await bench.draft(agent)).instrument, 'verified');
  const claimed = await evaluations.claimDue(FAR, FAR, 10);
  const ends = claimed.map((each) => endOf(each));
  const wrong = ends.map((end) =>
    end.record_id === sent[0] && end.result.kind === 'evaluated'
      ? { ...end, result: { ...end.result, grid: null } }
      : end,
  );
  await expect(evaluations.endEvaluations(wrong, await bench.now())).rejects.toThrow(RefusedEnds);
  const ended = await evaluations.endEvaluations(ends, await bench.now());
  expect(ended).toEqual(expect.arrayContaining(sent));
});
