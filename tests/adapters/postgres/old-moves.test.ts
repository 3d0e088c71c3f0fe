import { beforeAll, expect, test } from '@jest/globals';
import { countOldMoves } from '../../../application/cohorts/fold-cohorts.ts';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { anyFilters } from '../../contracts/cohorts/counting.ts';
import { universe } from '../../contracts/cohorts/universe.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { type Bench, benchOn } from '../../contracts/decisions/bench.ts';

// Records that an earlier release graded have no range of their move, in the tail as in the cells.

let opened: OpenedDatabase;
let records: readonly Decision[];
const bench: Bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(10);
    return opened;
  },
});
const cells = () => bench.storage().cohortCells;
const hadSaid = async (filter: CohortFilter) => (await bench.storage().cohorts.summarise(filter, 1)).result.had_said;
const ALL: CohortFilter = { market: 'crypto', include_retroactive: true };

beforeAll(async () => {
  records = await universe(bench, 90, 3);
  await cells().fold(60);
  await opened.owner.query('update app.decisions set move = null');
  await opened.owner.query('update app.cohort_tail set move = null');
  await opened.owner.query(`update app.cohort_cells set moves = array_fill(0::bigint, array[cardinality(moves)])`);
});

test('a cohort with such records has no had_said, and its cells match the records', async () => {
  expect(await hadSaid(ALL)).toBeNull();
  expect(await cells().check()).toEqual([]);
});

test('counting a part of them leaves the cells exact', async () => {
  expect(await cells().countMoves(40)).toBe(40);
  expect(await hadSaid(ALL)).toBeNull();
  expect(await cells().check()).toEqual([]);
});

test('while they are counted, folded, quarantined and released, nothing is lost, counted twice or deadlocked', async () => {
  const moderation = auditedModeration(bench.storage());
  const swap = async ({ record_id }: Decision) => {
    await moderation.quarantine(record_id, 'a test', await bench.now());
    await moderation.release(record_id);
  };
  await Promise.all([
    ...Array.from({ length: 6 }, () => cells().countMoves(10)),
    ...records.slice(0, 24).map(swap),
    cells().fold(10),
    cells().fold(10),
  ]);
  await countOldMoves({ cohortCells: cells() });
  expect(await cells().countMoves(100)).toBe(0);
  expect(await hadSaid(ALL)).not.toBeNull();
  expect(await cells().check()).toEqual([]);
  await anyFilters(bench, records, 100);
});

test('a record that was quarantined meanwhile is counted once it is released', async () => {
  const [record] = records;
  if (!record) throw new Error('There are records.');
  await auditedModeration(bench.storage()).quarantine(record.record_id, 'a test', await bench.now());
  await opened.owner.query('update app.decisions set move = null where record_id = $1', [record.record_id]);
  expect(await cells().countMoves(10)).toBe(1);
  expect(await cells().check()).toEqual([]);
  await auditedModeration(bench.storage()).release(record.record_id);
  await anyFilters(bench, records, 50);
});

test('the check reports a cell with wrong counts by range, and a rebuild corrects it', async () => {
  await opened.owner.query(`
    update app.cohort_cells c set moves[1] = c.moves[1] + 1
    where ctid = (select ctid from app.cohort_cells order by rollup limit 1)`);
  expect(await cells().check()).toHaveLength(1);
  await cells().rebuild();
  expect(await cells().check()).toEqual([]);
});
