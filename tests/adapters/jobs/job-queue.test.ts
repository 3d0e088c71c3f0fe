import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { openJobQueue } from '../../../adapters/jobs/job-queue.ts';
import type { Job } from '../../../domain/jobs.ts';
import { DAY } from '../../../domain/time.ts';
import { execute, freshDatabase } from '../../harness/database.ts';
import { type Bench, openBench, poolOn } from './bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
beforeEach(() => bench.sql.rows('delete from pgboss.job', []));
afterAll(() => bench.close());

test('a request of a transaction that rolls back does not exist', async () => {
  await bench.transaction('rollback', (sql) => bench.queue.inTransaction(sql).enqueue('evaluate-due'));
  expect(await requests('evaluate-due')).toEqual([]);
});

test('a request of a transaction exists when that commits, and not before', async () => {
  await bench.transaction('commit', async (sql) => {
    await bench.queue.inTransaction(sql).enqueue('evaluate-due');
    expect(await requests('evaluate-due')).toEqual([]);
  });
  expect(await requests('evaluate-due')).toHaveLength(1);
});

test('a request waits for no open transaction that asks for the same moment', async () => {
  const at = new Date(Date.now() + DAY);
  await bench.transaction('rollback', async (sql) => {
    await bench.queue.inTransaction(sql).enqueue('evaluate-due', at);
    await bench.queue.queue.enqueue('evaluate-due', at);
    expect(await requests('evaluate-due')).toHaveLength(1);
  });
  expect(await requests('evaluate-due')).toHaveLength(1);
});

test('a request for later starts then, to the millisecond', async () => {
  const at = new Date(Date.now() + 400 * DAY);
  await bench.queue.queue.enqueue('evaluate-due', at);
  expect(await requests('evaluate-due')).toMatchObject([{ start_after: at }]);
});

test('a request for a moment of years ago is kept like any other', async () => {
  await bench.queue.queue.enqueue('evaluate-due', new Date('2003-02-20T00:00:00Z'));
  const [request] = await requests('evaluate-due');
  expect(request?.keep_until.getTime()).toBeGreaterThan(Date.now() + DAY);
});

test('a moment that is none is refused', async () => {
  await expect(bench.queue.queue.enqueue('evaluate-due', new Date(Number.NaN))).rejects.toThrow(RangeError);
});

test('a request that cannot be stored throws', async () => {
  const other = await openBench();
  try {
    await execute(other.url, `select pgboss.delete_queue('prune-expired')`);
    await expect(other.queue.queue.enqueue('prune-expired')).rejects.toThrow('prune-expired');
  } finally {
    await other.close();
  }
});

test('refuses a database that has not been migrated', async () => {
  const empty = await freshDatabase({ empty: true });
  const { sql, end } = poolOn(empty.serviceUrl);
  const log = { warn: () => undefined, error: () => undefined };
  await expect(openJobQueue({ sql, log })).rejects.toThrow('not installed');
  await end();
  await empty.drop();
});

interface StoredRequest {
  readonly start_after: Date;
  readonly keep_until: Date;
}

async function requests(job: Job): Promise<readonly StoredRequest[]> {
  return (await bench.sql.rows('select start_after, keep_until from pgboss.job where name = $1', [
    job,
  ])) as readonly StoredRequest[];
}
