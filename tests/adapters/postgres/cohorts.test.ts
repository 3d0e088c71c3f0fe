import { beforeAll, describe, expect, test } from '@jest/globals';
import { planOf } from '../../../adapters/postgres/cohorts/cohort-plan.ts';
import { type Grain, KEPT_COLUMNS, readGrains } from '../../../adapters/postgres/cohorts/cohort-rollups.ts';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import { everyPage, idsOf, SAYS } from '../../contracts/cohorts/paging.ts';
import { graded, submitted } from '../../contracts/cohorts/universe.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { type Bench, benchOn } from '../../contracts/decisions/bench.ts';
import { endOf, FAR } from '../../contracts/decisions/evaluated.ts';

const ALL: CohortFilter = { market: 'crypto', include_retroactive: true };

let opened: OpenedDatabase;
let agents: readonly AgentCaller[];
const bench: Bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(5);
    return opened;
  },
});
let grains: readonly Grain[];
beforeAll(async () => {
  grains = await readGrains({ rows: async (text) => (await opened.owner.query(text)).rows });
  agents = await Promise.all([1, 2, 3].map(() => bench.agent()));
});

const cohorts = () => bench.storage().cohorts;
const samples = async (filter = ALL) => (await cohorts().summarise(filter, 1)).result.samples;
const tail = async () => (await opened.owner.query('select from app.cohort_tail')).rowCount;

describe('a transaction that grades and commits late', () => {
  test('is in no count before, in each count after, and on no page of a moment between', async () => {
    await graded(bench, agents, SAYS);
    const before = await samples();
    const late = await openGrading();
    const { result, moment } = await cohorts().summarise(ALL, 1);
    expect(result.samples).toBe(before);
    await late.commit();
    for (const sort of ['data_cutoff_asc', 'data_cutoff_desc'] as const) {
      const ids = idsOf(await everyPage(cohorts(), ALL, { sort, limit: 1, moment }));
      expect(ids).toHaveLength(before);
      expect(ids).not.toContain(late.record_id);
    }
    expect(await samples()).toBe(before + 1);
  });

  test('stays out of that moment even if it was open for a day', async () => {
    const late = await openGrading();
    await bench.arrange().advance(DAY);
    const { result, moment } = await cohorts().summarise(ALL, 1);
    await late.commit();
    const rows = await everyPage(cohorts(), ALL, { sort: 'data_cutoff_asc', limit: 100, moment });
    expect(rows).toHaveLength(result.samples);
  });
});

describe('folding', () => {
  test('that breaks off leaves everything where it was', async () => {
    await graded(bench, agents, SAYS);
    const [count, waiting] = [await samples(), await tail()];
    const { owner } = opened;
    await owner.query('begin');
    await owner.query('select app.fold_cohorts(1000)');
    expect(await samples()).toBe(count);
    await owner.query('rollback');
    expect([await samples(), await tail()]).toEqual([count, waiting]);
    expect(await bench.storage().cohortCells.fold(1_000)).toBe(waiting);
    expect([await samples(), await tail()]).toEqual([count, 0]);
    expect(await bench.storage().cohortCells.check()).toEqual([]);
  });

  test('folds as many records as requested, and the others stay counted', async () => {
    for (let i = 0; i < 5; i += 1) await graded(bench, agents, SAYS);
    const count = await samples();
    expect(await bench.storage().cohortCells.fold(2)).toBe(2);
    expect([await samples(), await tail()]).toEqual([count, 3]);
    const { since, records } = await bench.storage().cohortCells.unfolded();
    const { rows } = await opened.owner.query('select evaluated_at from app.cohort_tail order by 1 limit 1');
    expect({ since, records }).toEqual({ since: rows[0]?.evaluated_at, records: 3 });
    await bench.storage().cohortCells.fold(1_000);
    expect(await bench.storage().cohortCells.unfolded()).toEqual({ since: null, records: 0 });
  });

  test('does not block grading', async () => {
    const { owner } = opened;
    await owner.query('begin');
    await owner.query('select app.fold_cohorts(1)');
    const before = await samples();
    await graded(bench, agents, SAYS);
    expect(await samples()).toBe(before + 1);
    await owner.query('commit');
    expect(await samples()).toBe(before + 1);
  });
});

const GUARDS = 'alter table app.decisions';

describe('what a record is counted by', () => {
  test('a change of its owner or its bucket moves it, folded or not', async () => {
    for (const fold of [true, false]) {
      const record_id = await graded(bench, agents, { ...SAYS, direction: 'neutral' });
      const neutral: CohortFilter = { ...ALL, direction: 'neutral' };
      if (fold) await bench.storage().cohortCells.fold(1_000);
      const before = await cohorts().summarise(neutral, 1);
      const set = `update app.decisions set owner_id = gen_random_uuid(), result_bucket = 'strong_incorrect' where record_id = $1`;
      await opened.owner.query(`${GUARDS} disable trigger keep_submission, disable trigger keep_grade`);
      await opened.owner.query(set, [record_id]);
      await opened.owner.query(`${GUARDS} enable always trigger keep_submission, enable always trigger keep_grade`);
      const { result } = await cohorts().summarise(neutral, 1);
      expect(result.samples).toBe(before.result.samples);
      expect(result.buckets.strong_incorrect).toBe(before.result.buckets.strong_incorrect + 1);
      expect(await bench.storage().cohortCells.check()).toEqual([]);
    }
  });

  test('the service changes it only through a change of the record', async () => {
    const privileges = `select has_column_privilege($1, 'app.decisions', c, 'update') as may
      from unnest(array['listed_at', 'listed_xid', 'owner_id', 'data_cutoff', 'market', 'perspective_type']) c`;
    const { rows } = await opened.owner.query(privileges, [new URL(opened.serviceUrl).username]);
    expect(rows.map(({ may }) => may)).toEqual([false, false, false, false, false, false]);
  });
});

test('a dump that is read into a younger cluster keeps its pages', async () => {
  const record_id = await graded(bench, agents, SAYS);
  await opened.owner.query('alter table app.decisions disable trigger user');
  // The ids of transactions that this cluster will only come to.
  await opened.owner.query(`update app.decisions set listed_xid = '900000000000' where record_id = $1`, [record_id]);
  await opened.owner.query('alter table app.decisions enable trigger user');
  await bench.arrange().advance(11 * MINUTE);
  const { result, moment } = await cohorts().summarise(ALL, 1);
  const rows = await everyPage(cohorts(), ALL, { sort: 'data_cutoff_desc', limit: 100, moment });
  expect(idsOf(rows)).toContain(record_id);
  expect(rows).toHaveLength(result.samples);
});

describe('the plan', () => {
  test('knows the rollups that the database has', async () => {
    const { rows } = await opened.owner.query('select * from app.cohort_rollups order by rollup');
    const listed = rows.map(({ rollup, grain, period, clock, finer: _, ...columns }) => {
      return { rollup, grain, period, clock, keeps: KEPT_COLUMNS.filter((column) => columns[column]) };
    });
    expect(listed).toEqual(rollupsOfPlan().toSorted((a, b) => a.rollup - b.rollup));
  });

  test.each<[string, CohortFilter, readonly number[], number]>([
    ['the coarsest grain', ALL, [1], 0],
    ['the grain of what is asked', { ...ALL, symbol: 'BTC', venue: 'KRAKEN' }, [24], 0],
    [
      'no grain where none fits',
      { ...ALL, symbol: 'BTC', venue: 'KRAKEN', ...between('2026-01-20T01:00Z', '2026-04-03T01:00Z') },
      [],
      1,
    ],
    [
      'whole months, days and quarters of days, and two ragged ends',
      { ...ALL, ...between('2026-01-20T01:00Z', '2026-04-03T01:00Z') },
      [2, 3, 28, 3],
      2,
    ],
    ['no ragged end at midnight', { ...ALL, ...between('2026-01-20T00:00Z', '2026-01-24T00:00Z') }, [3], 0],
    ['nothing but records within some hours', { ...ALL, ...between('2026-01-20T01:00Z', '2026-01-20T09:00Z') }, [], 1],
    [
      'nothing at all where the end is the beginning',
      { ...ALL, ...between('2026-01-20T01:00Z', '2026-01-20T01:00Z') },
      [],
      0,
    ],
    ['days of evaluation', { ...ALL, as_of: new Date('2026-04-03T01:00Z') }, [4, 5], 1],
  ])('counts by %s', (_, filter, rollups, stretches) => {
    const { cells, records } = planOf(filter, grains);
    expect([cells.map(({ rollup }) => rollup), records.length]).toEqual([rollups, stretches]);
  });
});

function between(since: string, until: string) {
  return { data_cutoff_since: new Date(since), data_cutoff_until: new Date(until) };
}

function rollupsOfPlan() {
  return grains.flatMap(({ name: grain, keeps, all, data_cutoff = {}, evaluated_at = {} }) => {
    const by = (clock: string, periods: object) =>
      Object.entries(periods).map(([period, rollup]) => ({ rollup, grain, period, clock }));
    const rollups = [{ rollup: all, grain, period: 'all', clock: 'data_cutoff' }];
    const periods = [...by('data_cutoff', data_cutoff), ...by('evaluated_at', evaluated_at)];
    const sorted = KEPT_COLUMNS.filter((column) => keeps.includes(column));
    return [...rollups, ...periods].map((rollup) => ({ ...rollup, keeps: sorted }));
  });
}

/** A record whose grading is written and not committed. */
async function openGrading(): Promise<{ readonly record_id: string; commit(): Promise<unknown> }> {
  const record_id = await submitted(bench, agents, SAYS);
  const { verification, evaluations } = bench.storage();
  for (const instrument of await verification.awaitingVerification(FAR, 10)) {
    await verification.settleVerification(instrument, 'verified');
  }
  const claimed = await evaluations.claimDue(FAR, FAR, 10);
  const gate = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const committed = bench.storage().transaction(async (stores) => {
    await stores.evaluations.endEvaluations(
      claimed.map((each) => endOf(each)),
      NOW,
    );
    written.resolve();
    await gate.promise;
  });
  await written.promise;
  return {
    record_id,
    commit() {
      gate.resolve();
      return committed;
    },
  };
}

const NOW = new Date('2026-03-02T12:00:00.000Z');

test('counts follow an identity that an owner gains or loses, folded or not', async () => {
  const filter: CohortFilter = { ...ALL, direction: 'neutral', horizon_value: 86_400 };
  const says = { ...SAYS, direction: 'neutral', place: { ...SAYS.place, seconds: 86_400 } } as const;
  const [one, two] = [await bench.agent(), await bench.agent()];
  for (const agent of [one, two]) await graded(bench, [agent], says);
  const verified = async () => {
    const enough = [1, 2, 3].map((producers) => cohorts().summarise(filter, producers, 'verified'));
    return (await Promise.all(enough)).filter(({ result }) => result.enoughProducers).length;
  };
  const identity = (owner_id: string, subject = owner_id) =>
    opened.owner.query(
      'insert into app.identities (issuer, subject, owner_id, created_at) values ($1, $2, $3, now())',
      ['https://provider.example', subject, owner_id],
    );
  for (const fold of [0, 1_000]) {
    if (fold > 0) await bench.storage().cohortCells.fold(fold);
    expect(await verified()).toBe(0);
    await identity(one.owner_id);
    await identity(one.owner_id, 'another one');
    expect(await verified()).toBe(1);
    await identity(two.owner_id);
    expect(await verified()).toBe(2);
    await opened.owner.query('delete from app.identities where owner_id = $1', [one.owner_id]);
    expect(await verified()).toBe(1);
    expect(await bench.storage().cohortCells.check()).toEqual([]);
    await opened.owner.query('delete from app.identities');
  }
});
