import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { openPostgres, type PostgresStorage } from '../../../adapters/postgres/storage.ts';
import { buildAtlas } from '../../../application/atlas/build-atlas.ts';
import { NO_JOBS } from '../../contracts/decisions/adapters.ts';
import { freshDatabase, type TestDatabase } from '../../harness/database.ts';

/** Milliseconds that a statement may take here, and for how long it has to wait. */
const LONGEST = 1_000;
const WAIT = 3_000;

let database: TestDatabase;
let storage: PostgresStorage;
let owner: pg.Client;
beforeAll(async () => {
  database = await freshDatabase();
  const openJobs = async () => NO_JOBS;
  const limits = { poolSize: 2, longestStatement: LONGEST, atlasRests: 0 };
  storage = await openPostgres({ url: database.serviceUrl, ...limits, openJobs });
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  // A market with a cell, so that it has something to begin.
  await owner.query(CELL);
});
afterAll(async () => {
  await owner.end();
  await storage.close();
  await database.drop();
});

const WISDOM = { settings: { wisdom: { minProducers: 5, minSamples: 10, ownerProof: 'none' } } } as const;

const CELL = `insert into app.cohort_cells values (1, 'crypto', '', '', '', '', '', '', '', '', -1, '-infinity', '',
  'weak_correct', 'realtime', 1, now(), now(), array[gen_random_uuid()])`;

test.each([
  ['counting cohorts', () => storage.cohortCells.check()],
  ['counting them anew', () => storage.cohortCells.rebuild()],
  ['counting a market by periods', () => storage.cohortCells.extend(0)],
  ['building the atlas', () => buildAtlas({ atlas: storage.atlas, ...WISDOM })],
])('%s may take longer than a statement of a request', async (_, work) => {
  await owner.query('begin; lock table app.decisions in access exclusive mode');
  const refused = storage.decisions.find(['dec_20260101_00000000'], null);
  const done = work();
  await Promise.all([
    expect(refused).rejects.toMatchObject({ code: '57014' }),
    new Promise((resolve) => setTimeout(resolve, WAIT)).then(() => owner.query('commit')),
    done,
  ]);
});
