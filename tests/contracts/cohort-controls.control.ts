import { beforeAll, describe, expect, test } from '@jest/globals';
import type { CohortFilter } from '../../domain/cohorts/cohort-filter.ts';
import type { CohortReader } from '../../domain/cohorts/cohort-reader.ts';
import { COHORT } from '../../domain/limits.ts';
import { auditedModeration } from '../builders/audited-moderation.ts';
import type { AgentCaller } from '../builders/decisions.ts';
import { race } from './adapters.ts';
import { anyFilters, crowdSays, expectExact, foldAll } from './cohorts/counting.ts';
import { everyPage, idsOf, SAYS } from './cohorts/paging.ts';
import { type Pair, readDuringSwaps, SWAP_ROUNDS, setsByEdition } from './cohorts/swaps.ts';
import { grade, graded, submitted, universe } from './cohorts/universe.ts';
import { lastVerified } from './cohorts/verifying.ts';
import { decisionAdapters, type OpenedDatabase, onPostgres } from './decisions/adapters.ts';
import { type Bench, benchOn } from './decisions/bench.ts';

// The checks of cohorts must be able to fail: stores with the mistakes that lie near fail every one of them.

const ALL: CohortFilter = { market: 'crypto', include_retroactive: true };

describe.each(decisionAdapters)('planted faults are caught on $name', (adapter) => {
  const bench = benchOn(adapter);

  test('pages that are each of their own moment hold what came between', async () => {
    const agents = [await bench.agent()];
    for (let i = 0; i < 5; i += 1) await graded(bench, agents, { ...SAYS, age: i * 1_000 });
    const { cohorts } = bench.storage();
    const { moment } = await cohorts.summarise(ALL, 1);
    const walk = { sort: 'data_cutoff_desc', limit: 2, moment } as const;
    const before = idsOf(await everyPage(cohorts, ALL, walk));
    const between = () => graded(bench, agents, { ...SAYS, age: 3_600_000 });
    const rows = await everyPage(momentless(cohorts), ALL, { ...walk, limit: 3 }, between);
    expect(idsOf(rows)).not.toEqual(before);
    expect(idsOf(await everyPage(cohorts, ALL, walk))).toEqual(before);
  });

  test('counts that miss one record differ from a naive count', async () => {
    const records = await universe(bench, 20, 9);
    await auditedModeration(bench.storage()).quarantine(
      records[0]?.record_id ?? '',
      'behind its back',
      await bench.now(),
    );
    const inFull = { ...bench, runs: (count: number) => count };
    await expect(anyFilters(inFull, records, 40)).rejects.toThrow();
  });
});

describe('planted faults are caught in the database', () => {
  let opened: OpenedDatabase;
  let agents: readonly AgentCaller[];
  const bench: Bench = benchOn({
    name: 'postgres',
    async open() {
      opened = await onPostgres(10);
      return opened;
    },
  });
  beforeAll(async () => {
    agents = [await bench.agent(), await bench.agent()];
  });

  /** The function with something replaced, while the work goes on. */
  async function withFault(name: string, from: string, to: string, work: () => Promise<void>): Promise<void> {
    const { rows } = await opened.owner.query(`select pg_get_functiondef('app.${name}'::regproc) as text`);
    const text: string = rows[0].text;
    const [sound, faulty] = [text, text.replace(from, to)];
    expect(faulty).not.toBe(sound);
    await opened.owner.query(faulty);
    await work().finally(() => opened.owner.query(sound));
  }

  test('a fold that leaves the tail counts records twice', async () => {
    const record = await graded(bench, agents, SAYS);
    const records = await bench.storage().decisions.find([record], null);
    const keep = 'select t as record from app.cohort_tail t limit batch';
    const deletion =
      /delete from app\.cohort_tail t where record_id in \(select record_id from app\.cohort_tail limit batch\)\s+returning t as record/;
    const { rows } = await opened.owner.query(`select pg_get_functiondef('app.fold_cohorts'::regproc) as text`);
    const [statement = ''] = deletion.exec(rows[0].text) ?? [];
    await withFault('fold_cohorts', statement, keep, async () => {
      await expectExact(bench, records, ALL, 1);
      await bench.storage().cohortCells.fold(10);
      await expect(expectExact(bench, records, ALL, 1)).rejects.toThrow();
      expect(await bench.storage().cohortCells.check()).not.toEqual([]);
    });
    await bench.storage().cohortCells.rebuild();
    await expectExact(bench, records, ALL, 1);
  });

  test('the check reports a record that leaves without a recount of its cells', async () => {
    const record_id = await graded(bench, agents, { ...SAYS, direction: 'neutral' });
    await bench.storage().cohortCells.fold(100);
    const call = 'perform app.recount_cells(old);';
    await withFault('count_in_cohorts', call, 'null;', async () => {
      await auditedModeration(bench.storage()).quarantine(record_id, 'a test', await bench.now());
    });
    expect(await bench.storage().cohortCells.check()).not.toEqual([]);
    await bench.storage().cohortCells.rebuild();
    expect(await bench.storage().cohortCells.check()).toEqual([]);
  });

  test.each(['cells_of', 'counted_cells'])('cells of all horizons of a group, by %s, are noticed', async (name) => {
    const ids = (await bench.group(await bench.agent(), {}, [3_600, 7_200])).map(({ record_id }) => record_id);
    await withFault(name, 'app.counts_further(r) or not', 'true or not', async () => {
      await grade(
        bench.storage(),
        ids.map((record_id) => ({ record_id, bucket: 'weak_correct' })),
        await bench.now(),
      );
      if (name === 'cells_of') await bench.storage().cohortCells.fold(100);
      expect(await bench.storage().cohortCells.check()).not.toEqual([]);
    });
    await bench.storage().cohortCells.rebuild();
    while ((await bench.storage().cohortCells.fold(100)) > 0);
    expect(await bench.storage().cohortCells.check()).toEqual([]);
  });

  test('a fold of changes that leaves the tail counts them twice', async () => {
    await submitted(bench, agents, SAYS);
    await withFault(
      'fold_tracks',
      'delete from app.track_tail where',
      'perform from app.track_tail where',
      async () => {
        expect(await bench.storage().cohortCells.check()).toEqual([]);
        await bench.storage().cohortCells.foldTracks(100);
        expect(await bench.storage().cohortCells.check()).not.toEqual([]);
      },
    );
    await bench.storage().cohortCells.rebuild();
    expect(await bench.storage().cohortCells.check()).toEqual([]);
  });

  test('folds of changes that do not wait for each other count some twice', async () => {
    const faults = async () => {
      for (let i = 0; i < 40; i += 1) await submitted(bench, agents, SAYS);
      await race(8, () =>
        bench
          .storage()
          .cohortCells.foldTracks(1_000)
          .catch(() => 0),
      );
      const found = await bench.storage().cohortCells.check();
      await bench.storage().cohortCells.rebuild();
      return found;
    };
    expect(await faults()).toEqual([]);
    const slow = 'perform pg_sleep(0.3); delete from app.track_tail';
    await withFault('fold_tracks', 'delete from app.track_tail', slow, () =>
      withFault('fold_tracks', 'perform app.lock_track_cells();', '', async () => {
        expect(await faults()).not.toEqual([]);
      }),
    );
  });

  test('the check reports a change of a record that no trigger noted', async () => {
    await withFault('note_received', 'k.move, 1', 'k.move, 0', async () => {
      await submitted(bench, agents, SAYS);
    });
    expect(await bench.storage().cohortCells.check()).not.toEqual([]);
    await bench.storage().cohortCells.rebuild();
  });

  test('a reader that trusts full cells misses verified owners behind them', async () => {
    const crowd = { market: 'crypto', symbol: 'CROWD', include_retroactive: true } as const;
    for (let i = 0; i < COHORT.mostMinProducers; i += 1)
      await graded(bench, [await bench.agent()], crowdSays('bullish'));
    await graded(bench, [await lastVerified(bench, 99)], crowdSays('bullish'));
    await foldAll(bench);
    const verified = async () => (await bench.storage().cohorts.summarise(crowd, 1, 'verified')).result.enoughProducers;
    expect(await verified()).toBe(true);
    await withFault('owners_of_a_cell', 'RETURN 32', 'RETURN 33', async () => {
      expect(await verified()).toBe(false);
    });
  });

  test('counts that are read in two statements differ while records change places', async () => {
    const pairs: Pair[] = [];
    for (let i = 0; i < 4; i += 1) {
      const [shown, hidden] = [await graded(bench, agents, BEARISH), await graded(bench, agents, BEARISH)];
      await auditedModeration(bench.storage()).quarantine(hidden, 'hidden at first', await bench.now());
      pairs.push({ shown, hidden });
    }
    const storage = { ...bench.storage(), cohorts: inTwoStatements(bench.storage().cohorts) };
    const filter: CohortFilter = { ...ALL, direction: 'bearish' };
    const counts = async () => {
      const read = await readDuringSwaps(storage, pairs, filter, { rounds: SWAP_ROUNDS, readers: 4, folders: 2 });
      return new Set(read.map(({ result }) => result.samples)).size;
    };
    expect(await highest(counts)).toBeGreaterThan(1);
  });

  test('an edition that does not count what leaves is of several sets of records', async () => {
    const one = { ...SAYS, analysis_class: 'trade_plan' } as const;
    const filter: CohortFilter = { ...ALL, analysis_class: 'trade_plan' };
    const [shown, hidden] = [await graded(bench, agents, one), await graded(bench, agents, one)];
    await auditedModeration(bench.storage()).quarantine(hidden, 'hidden at first', await bench.now());
    const extent = { rounds: SWAP_ROUNDS, readers: 4, folders: 2 };
    const most = async () => {
      const sets = await setsByEdition(bench.storage(), [{ shown, hidden }], filter, extent);
      return Math.max(0, ...sets.map(({ size }) => size));
    };
    expect(await most()).toBeLessThan(2);
    await withFault('note_removals', 'r.removals + 1', 'r.removals', async () => {
      expect(await highest(most)).toBeGreaterThan(1);
    });
  });
});

/** The highest of some readings, up to the first above one: on a busy machine a fault shows in few of them. */
async function highest(read: () => Promise<number>): Promise<number> {
  for (let readings = 1; ; readings += 1) {
    const found = await read();
    if (found > 1 || readings === 10) return found;
  }
}

const BEARISH = { ...SAYS, direction: 'bearish' } as const;

function momentless(cohorts: CohortReader): Pick<CohortReader, 'page'> {
  return {
    async page(filter, request) {
      const { moment } = await cohorts.summarise(filter, 1);
      return cohorts.page(filter, { ...request, moment });
    },
  };
}

/** The moment by one statement, the number of its records by another: those that left between are missing. */
function inTwoStatements(cohorts: CohortReader): CohortReader {
  return {
    page: (filter, request) => cohorts.page(filter, request),
    windows: (filter, moment, edition) => cohorts.windows(filter, moment, edition),
    largestOwner: (filter, moment, size, edition) => cohorts.largestOwner(filter, moment, size, edition),
    ungraded: (filter, producers) => cohorts.ungraded(filter, producers),
    async summarise(filter, producers) {
      const first = await cohorts.summarise(filter, producers);
      const rows = await cohorts.page(filter, {
        sort: 'data_cutoff_asc',
        limit: 100,
        after: null,
        moment: first.moment,
      });
      return { ...first, result: { ...first.result, samples: rows.length } };
    },
  };
}
