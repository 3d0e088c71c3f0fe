import { beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { SAYS } from '../../contracts/cohorts/paging.ts';
import { graded } from '../../contracts/cohorts/universe.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { benchOn } from '../../contracts/decisions/bench.ts';

let opened: OpenedDatabase;
const bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(5);
    return opened;
  },
});
/** Graded, and counted in cells. */
let records: readonly string[];
beforeEach(async () => {
  const agents = await Promise.all([1, 2].map(() => bench.agent()));
  const made: string[] = [];
  for (let i = 0; i < 4; i++) made.push(await graded(bench, agents, { ...SAYS, age: i * 1_000 }));
  await cells().fold(1_000);
  records = made;
});

const cells = () => bench.storage().cohortCells;
const moderation = () => auditedModeration(bench.storage());

/** The statement on the cells of the rollup waits after it began, so with its snapshot, until `go` is called. */
async function paused(statement: 'insert' | 'update', rollup: number): Promise<() => Promise<void>> {
  const gate = new pg.Client(opened.url);
  await gate.connect();
  await gate.query('select pg_advisory_lock(1)');
  await opened.owner.query(`
    create or replace function app.wait_for_test() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(1); return new; end $$;
    create or replace trigger wait_for_test before ${statement} on app.cohort_cells
      for each ${statement === 'insert' ? `row when (new.rollup = ${rollup})` : 'statement'}
      execute function app.wait_for_test()`);
  return async () => {
    await gate.query('select pg_advisory_unlock(1)');
    await gate.end();
  };
}

const WAITING = `select from pg_locks where locktype = 'advisory' and classid = 0 and objid = 1 and not granted`;
const aWait = async () => {
  while ((await opened.owner.query(WAITING)).rowCount === 0);
};

async function afterwards(): Promise<void> {
  await opened.owner.query('drop function app.wait_for_test cascade');
  while ((await cells().extend(0)) > 0);
  expect(await cells().check()).toEqual([]);
}

describe('while the records of a market are counted for a rollup, a quarantine does not wait', () => {
  test('and the rollup has cells as they are after it, and after a release', async () => {
    const [first = '', second = ''] = records;
    const go = await paused('insert', 36);
    const extended = cells().extend(0);
    await aWait();
    for (const id of [first, second])
      expect(await moderation().quarantine(id, 'a test', await bench.now())).toBe('quarantined');
    await moderation().release(second);
    await go();
    expect(await extended).toBe(1);
    expect(await cells().check()).toEqual([]);
    await afterwards();
  });

  test('and cells of an earlier release get the last grade that is left', async () => {
    while ((await cells().extend(0)) > 0);
    await opened.owner.query(`
      update app.cohort_cells set last_graded = null where rollup = 36;
      update app.cohort_rollups set without_last_graded = array(select distinct market from app.cohort_cells)
        where rollup = 36`);
    const go = await paused('update', 36);
    const extended = cells().extend(0);
    await aWait();
    const last = records.at(-1) ?? '';
    expect(await moderation().quarantine(last, 'a test', await bench.now())).toBe('quarantined');
    await go();
    expect(await extended).toBe(1);
    const missing = 'select from app.cohort_cells where last_graded is null';
    expect((await opened.owner.query(missing)).rowCount).toBe(0);
    await afterwards();
  });
});
