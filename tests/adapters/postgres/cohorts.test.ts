import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  planOf,
  type Rollup,
  type RollupRow,
  readRollups,
  rollupsOf,
} from '../../../adapters/postgres/cohorts/cohort-plan.ts';
import { AS_OF_FILTERS, type CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import { everyPage, idsOf, SAYS } from '../../contracts/cohorts/paging.ts';
import { SWAP_ROUNDS, setsByEdition } from '../../contracts/cohorts/swaps.ts';
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
let rollups: readonly Rollup[];
beforeAll(async () => {
  const { rows } = await opened.owner.query<RollupRow>('select * from app.cohort_rollups order by rollup');
  rollups = rollupsOf(rows);
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

  test('changes no column that an index has, so that it writes no index entries for cells that are there', async () => {
    const { rows } = await opened.owner.query(`
      select indexrelid::regclass::text as index from pg_index
      where indrelid in ('app.cohort_cells'::regclass, 'app.track_cells'::regclass, 'app.workflow_cells'::regclass)
      order by 1`);
    const indexes = rows.map(({ index }) => index);
    expect(indexes).toEqual(['cohort_cells', 'track_cells', 'workflow_cells'].map((table) => `app.${table}_pkey`));
  });

  test('of changes counts those that are left', async () => {
    await bench.storage().cohortCells.foldTracks(100_000);
    await graded(bench, agents, SAYS);
    expect(await bench.storage().cohortCells.unfoldedChanges()).toBe(2);
    await bench.storage().cohortCells.foldTracks(100_000);
    expect(await bench.storage().cohortCells.unfoldedChanges()).toBe(0);
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

describe('rollups by periods', () => {
  const numbers = async () => {
    const read = await readRollups({ rows: async (text) => (await opened.owner.query(text)).rows });
    return read.of('crypto').map(({ rollup }) => rollup);
  };
  const filter = { ...ALL, as_of: new Date('2030-01-01') };

  test('begin when their market is large enough', async () => {
    await bench.storage().cohortCells.fold(1_000);
    const count = await samples();
    const before = await numbers();
    expect(await bench.storage().cohortCells.extend(count + 1)).toBe(0);
    expect(await bench.storage().cohortCells.extend(count)).toBe(1);
    expect(await numbers()).toHaveLength(before.length + 1);
    while ((await bench.storage().cohortCells.extend(count)) > 0);
    expect(await bench.storage().cohortCells.check()).toEqual([]);
    expect(await samples(filter)).toBe(count);
  });

  test('are counted by a summary that was planned before them, and not by one whose server does not have them', async () => {
    while ((await bench.storage().cohortCells.extend(0)) > 0);
    const count = await samples();
    expect(await samples(filter)).toBe(count);
    expect(await numbers()).toHaveLength(rollups.length);
    // As a replica that lags behind: it has neither the note nor the cells.
    await opened.owner.query(`update app.cohort_rollups set markets = '{}' where rollup in (-2, 4, 5, 29)`);
    await opened.owner.query('delete from app.cohort_cells where rollup in (-2, 4, 5, 29)');
    expect(await samples(filter)).toBe(count);
    expect(await bench.storage().cohortCells.check()).toEqual([]);
    await bench.storage().cohortCells.extend(0);
  });
});

describe('the plan', () => {
  test('has rollups by the time of evaluation for the filters that as_of may be combined with', () => {
    const keeps = rollups
      .filter(({ clock }) => clock === 'evaluated_at')
      .map((rollup) => rollup.keeps.toSorted().join());
    expect(new Set(keeps)).toEqual(new Set(['', ...AS_OF_FILTERS.map((set) => set.toSorted().join())]));
  });

  test.each<[string, CohortFilter, readonly number[], number]>([
    ['the coarsest grain', ALL, [1], 0],
    ['the coarsest grain with a horizon', { ...ALL, horizon_value: 3_600 }, [11], 0],
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
    ['whole years', { ...ALL, ...between('2024-12-31', '2027-01-01') }, [-1, 3], 0],
    ['no ragged end at midnight', { ...ALL, ...between('2026-01-20T00:00Z', '2026-01-24T00:00Z') }, [3], 0],
    ['nothing but records within some hours', { ...ALL, ...between('2026-01-20T01:00Z', '2026-01-20T09:00Z') }, [], 1],
    [
      'nothing at all where the end is the beginning',
      { ...ALL, ...between('2026-01-20T01:00Z', '2026-01-20T01:00Z') },
      [],
      0,
    ],
    ['years, months and days of evaluation', { ...ALL, as_of: new Date('2026-04-03T01:00Z') }, [-2, 4, 5], 1],
    [
      'days of a horizon',
      { ...ALL, horizon_value: 3_600, ...between('2026-01-20T01:00Z', '2026-04-03') },
      [30, 31, 31],
      1,
    ],
    [
      'months of a horizon with a direction',
      { ...ALL, horizon_value: 3_600, direction: 'bullish', ...between('2026-01-20', '2026-04-03') },
      [12],
      2,
    ],
    [
      'days of a venue, and months of a coarser grain',
      { ...ALL, venue: 'OKX', ...between('2026-01-20', '2026-04-03') },
      [14, 34, 34],
      0,
    ],
    [
      'months of a venue with a direction',
      { ...ALL, venue: 'OKX', direction: 'bullish', ...between('2026-02-01', '2026-04-01') },
      [35],
      0,
    ],
    [
      'months of a venue with a horizon',
      { ...ALL, venue: 'OKX', horizon_value: 3_600, ...between('2026-02-01', '2026-04-01') },
      [36],
      0,
    ],
    [
      'years, months and days of evaluation of a horizon',
      { ...ALL, horizon_value: 3_600, as_of: new Date('2026-04-03T01:00Z') },
      [-8, 32, 33],
      1,
    ],
    [
      'records where no cell keeps times of data and of evaluation',
      { ...ALL, ...between('2026-01-01', '2026-04-01'), as_of: new Date('2026-04-03') },
      [],
      1,
    ],
  ])('counts by %s', (_, filter, numbers, stretches) => {
    const { cells, records } = planOf(filter, rollups);
    expect([cells.map(({ rollup }) => rollup.rollup), records.length]).toEqual([numbers, stretches]);
  });

  test('uses no rollup that has no cells of the market', () => {
    const whole = rollups.filter(({ period }) => period === 'all');
    const { cells, records } = planOf({ ...ALL, ...between('2026-01-01', '2026-04-01') }, whole);
    expect([cells.length, records.length]).toEqual([0, 1]);
  });
});

function between(since: string, until: string) {
  return { data_cutoff_since: new Date(since), data_cutoff_until: new Date(until) };
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

test('an edition is of one set of records, while some change places and others enter', async () => {
  const filter: CohortFilter = { ...ALL, direction: 'bearish' };
  const says = { ...SAYS, direction: 'bearish' } as const;
  const pairs = [];
  for (let i = 0; i < 4; i += 1) {
    const [shown, hidden] = [await graded(bench, agents, says), await graded(bench, agents, says)];
    await auditedModeration(bench.storage()).quarantine(hidden, 'hidden at first', await bench.now());
    pairs.push({ shown, hidden });
  }
  const extent = { rounds: SWAP_ROUNDS, readers: 6, folders: 2 };
  const sets: ReadonlySet<string>[] = [];
  // A reading in which a record left meanwhile says nothing.
  while (sets.length < 3) {
    const reading = setsByEdition(bench.storage(), pairs, filter, extent);
    for (let i = 0; i < 6; i += 1) await graded(bench, agents, says);
    sets.push(...(await reading));
  }
  expect(new Set(sets.map(({ size }) => size))).toEqual(new Set([1]));
});

test('an edition is of the same records where cells were counted anew after records had left past the triggers', async () => {
  const filter: CohortFilter = { ...ALL, analysis_class: 'trade_plan' };
  const says = { ...SAYS, analysis_class: 'trade_plan' } as const;
  const gone = await graded(bench, agents, says);
  await graded(bench, agents, { ...says, age: 30 * DAY });
  await bench.storage().cohortCells.fold(1_000);
  const read = async () => {
    const { moment, edition } = await cohorts().summarise(filter, 1);
    const by = async (given?: string) => cohorts().windows(filter, moment, given);
    expect(await by(edition)).toEqual(await by());
    return by();
  };
  const before = await read();
  await opened.owner.query(`${GUARDS} disable trigger user`);
  await opened.owner.query(`update app.decisions set lifecycle_state = 'quarantined' where record_id = $1`, [gone]);
  await opened.owner.query(`${GUARDS} enable trigger user`);
  await bench.storage().cohortCells.rebuild();
  await graded(bench, agents, { ...says, age: 30 * DAY });
  expect(await read()).not.toEqual(before);
});

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
