import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { problemOf } from '../../../../adapters/http/kit/reply/faults.ts';
import { openDataSource, type PooledDataSource, poolSql } from '../../../../adapters/postgres/kit/data-source.ts';
import {
  FLUSHED,
  type Position,
  positionOf,
  type ReplicaSql,
  readingReplica,
} from '../../../../adapters/postgres/kit/replica.ts';
import type { Sql } from '../../../../adapters/postgres/kit/sql.ts';
import { openPostgres } from '../../../../adapters/postgres/storage.ts';
import type { Stores } from '../../../../application/ports.ts';
import type { CohortFilter } from '../../../../domain/cohorts/cohort-filter.ts';
import { auditedModeration } from '../../../builders/audited-moderation.ts';
import { grade } from '../../../contracts/cohorts/universe.ts';
import { NO_JOBS, NOON, type OpenedDecisions } from '../../../contracts/decisions/adapters.ts';
import { benchOn } from '../../../contracts/decisions/bench.ts';
import { endOf, FAR } from '../../../contracts/decisions/evaluated.ts';
import { databaseClock } from '../../../harness/database-clock.ts';
import { lineTo } from '../../../harness/line.ts';
import { openReplicated, type Replicated } from '../../../harness/standby.ts';

let servers: Replicated;
let source: PooledDataSource;
let primary: Sql;
let position: Position | null = null;
const troubles: unknown[] = [];
const open: ReplicaSql[] = [];

beforeAll(async () => {
  servers = await openReplicated();
  source = await openDataSource({ url: servers.primary.serviceUrl, poolSize: 2 });
  primary = poolSql(source);
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  troubles.splice(0);
  position = null;
});
afterAll(async () => {
  await source.destroy();
  await servers.close();
});

function reading(patience?: number, url = servers.standby.serviceUrl, longestStatement?: number): Sql {
  const onTrouble = (error: unknown) => troubles.push(error);
  const replica = readingReplica(primary, {
    ...{ url, poolSize: 2, position: () => position, onTrouble },
    ...(patience !== undefined && { patience }),
    ...(longestStatement !== undefined && { longestStatement }),
  });
  open.push(replica);
  return replica.sql;
}

/** A read that sleeps on the replica, from when it does. */
async function sleepingOnReplica(sql: Sql, mark: string): Promise<{ readonly answer: Promise<unknown> }> {
  let isOver = false;
  const answer = sql
    .rows(`select pg_is_in_recovery() as standby, pg_is_in_recovery() and pg_sleep(10) is null as slept /* ${mark} */`)
    .finally(() => {
      isOver = true;
    });
  while (!isOver && !(await servers.standby.isRead(mark))) await new Promise((resolve) => setTimeout(resolve, 10));
  return { answer };
}

/** How often the replica answered, and how often the primary for each reason, of what was opened last. */
function answers(): Readonly<Record<string, number>> {
  const counted = (open.at(-1)?.reads() ?? []).filter(({ count }) => count > 0);
  return Object.fromEntries(
    counted.map(({ answered_by, reason, count }) => [answered_by === 'replica' ? answered_by : reason, count]),
  );
}
const lag = () => open.at(-1)?.lag();

/** Commits something, and hears how far the log is then, as the admission of a later request does. */
async function commit(hour: string): Promise<void> {
  await primary.rows(`insert into app.submit_hours values ('agt_replica', $1, 1)`, [hour]);
  const [row] = await primary.rows<{ position: string }>(`select ${FLUSHED} as position`);
  position = positionOf(row?.position ?? '');
}

const LOOK = `select pg_is_in_recovery() as standby, count(*)::int as seen from app.submit_hours where hour = $1`;
const look = async (sql: Sql, hour: string) =>
  (await sql.rows<{ standby: boolean; seen: number }>(LOOK, [hour], 'look'))[0];

test('a read goes to the replica and sees what was committed before', async () => {
  const sql = reading(20_000);
  for (const hour of ['2026-01-01', '2026-01-02', '2026-01-03']) {
    await commit(hour);
    expect(await look(sql, hour)).toEqual({ standby: true, seen: 1 });
  }
  expect(troubles).toEqual([]);
  expect(answers()).toEqual({ replica: 3 });
});

test('a session on the replica only reads, whatever server its address leads to later', async () => {
  const sql = reading(20_000);
  await commit('2026-01-04');
  const settings = `select pg_is_in_recovery() as standby, setting, source from pg_settings
    where name = 'default_transaction_read_only'`;
  expect(await sql.rows(settings)).toEqual([{ standby: true, setting: 'on', source: 'client' }]);
});

test('the primary answers while this process knows no position of it', async () => {
  expect(await look(reading(), '2026-01-01')).toMatchObject({ standby: false });
  expect(answers()).toEqual({ unheard: 1 });
});

test('a read waits for a replica that is a little behind', async () => {
  const sql = reading(20_000);
  await servers.standby.replay(false);
  await commit('2026-02-01');
  const answer = look(sql, '2026-02-01');
  await new Promise((resolve) => setTimeout(resolve, 50));
  await servers.standby.replay(true);
  expect(await answer).toEqual({ standby: true, seen: 1 });
});

test('the primary answers for a replica that stays behind, which is not used for a while and then used again', async () => {
  const sql = reading(20);
  await servers.standby.replay(false);
  await commit('2026-03-01');
  expect(await look(sql, '2026-03-01')).toEqual({ standby: false, seen: 1 });
  expect(await look(sql, '2026-03-01')).toEqual({ standby: false, seen: 1 });
  expect(troubles).toEqual([expect.objectContaining({ message: expect.stringContaining('behind') })]);
  expect(answers()).toEqual({ behind: 1, paused: 1 });
  expect(await lag()).toBeGreaterThan(0);
  await servers.standby.replay(true);
  for (let at = 0; (await look(sql, '2026-03-01'))?.standby === false; at += 1) {
    if (at === 400) throw new Error('The replica is never used again.');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  expect(await look(sql, '2026-03-01')).toEqual({ standby: true, seen: 1 });
  expect(answers().replica).toBe(2);
  while ((await lag()) !== 0) await new Promise((resolve) => setTimeout(resolve, 25));
});

test('a replica of another history is not queried, however far its log is', async () => {
  const sql = reading(20);
  await commit('2026-04-01');
  position = { timeline: (position?.timeline ?? 0) + 1, lsn: 1n };
  expect(await look(sql, '2026-04-01')).toEqual({ standby: false, seen: 1 });
  expect(answers()).toEqual({ other_timeline: 1 });
});

test('a statement that fails on the replica is the primary’s, and a transaction is always', async () => {
  const sql = reading(20_000);
  await commit('2026-05-01');
  const remove = `delete from app.submit_hours where hour = '2026-05-01' returning agent_id`;
  expect(await sql.rows(remove)).toEqual([{ agent_id: 'agt_replica' }]);
  const rows = await sql.atomically((own) => own.rows('select pg_is_in_recovery() as standby'));
  expect(rows).toEqual([{ standby: false }]);
});

describe('cohorts on a replica', () => {
  const bench = benchOn({ name: 'replicated', open: openDecisions });

  async function openDecisions(): Promise<OpenedDecisions> {
    const { primary: database, standby } = servers;
    const { close: stopClock, ...clock } = await databaseClock(database.url);
    await clock.freeze(NOON);
    const replica = { url: standby.serviceUrl, onTrouble: (error: unknown) => troubles.push(error) };
    const openJobs = async () => NO_JOBS;
    const storage = await openPostgres({ url: database.serviceUrl, poolSize: 4, openJobs, replica });
    const notHere = () => Promise.reject(new Error('No test here asks for it.'));
    const arrange = { ...clock, circuit: notHere, publish: notHere, mark: notHere, settle: notHere };
    const close = async () => {
      await stopClock();
      await storage.close();
    };
    return { storage, operators: storage, arrange, close };
  }

  /** Admits a request, which gives the storage the position of the primary. */
  const admitRequest = () =>
    bench.storage().admission.admit({
      proof: null,
      from: null,
      address: 'address of a test',
      addressPerMinute: 1_000,
      callerLimits: { per_second: 1_000, per_minute: 1_000 },
      spend: null,
    });
  const all: CohortFilter = { market: 'crypto', include_retroactive: true };
  const page = async (moment: string) => {
    const request = { sort: 'data_cutoff_asc', limit: 100, after: null, moment } as const;
    return (await bench.storage().cohorts.page(all, request)).map(({ record_id }) => record_id);
  };
  const record = async () => (await bench.accepted(await bench.agent())).record_id;
  const end = (storage: Pick<Stores, 'verification' | 'evaluations'>, record_id: string, now: Date) =>
    grade(storage, [{ record_id, bucket: 'weak_correct' }], now);

  test('a moment is what was counted, also while an older evaluation is not committed', async () => {
    const storage = bench.storage();
    const now = await bench.now();
    const first = await record();
    await end(storage, first, now);
    const two = [await record(), await record()];
    for (const instrument of await storage.verification.awaitingVerification(FAR, 10)) {
      await storage.verification.settleVerification(instrument, 'verified');
    }
    const [begun, held] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
    const late = storage.transaction(async ({ evaluations }) => {
      const claimed = await evaluations.claimDue(FAR, FAR, 1);
      await evaluations.endEvaluations(
        claimed.map((each) => endOf(each)),
        now,
      );
      begun.resolve(claimed[0]?.decision.record_id ?? '');
      await held.promise;
    });
    const open = await begun.promise;
    const second = two.find((record_id) => record_id !== open) ?? '';
    await end(storage, second, now);
    await admitRequest();
    await servers.standby.catchUp();
    const { result, moment } = await storage.cohorts.summarise(all, 1);
    expect(result.samples).toBe(2);
    // The form of a standby: the transactions that had ended follow the snapshot.
    expect(moment.split(' ')).toHaveLength(3);
    held.resolve();
    await late;
    await admitRequest();
    expect((await page(moment)).toSorted()).toEqual([first, second].toSorted());
    expect((await page((await storage.cohorts.summarise(all, 1)).moment)).toSorted()).toEqual(
      [first, open, second].toSorted(),
    );
    expect(troubles).toEqual([]);
  });

  test('a quarantine is seen by the next request, however far the replica is behind', async () => {
    const storage = bench.storage();
    const gone = await record();
    await end(storage, gone, await bench.now());
    await admitRequest();
    const { result } = await storage.cohorts.summarise(all, 1);
    await servers.standby.replay(false);
    await auditedModeration(storage).quarantine(gone, 'a test', await bench.now());
    await admitRequest();
    const { result: without, moment } = await storage.cohorts.summarise(all, 1);
    expect(without.samples).toBe(result.samples - 1);
    expect(await page(moment)).not.toContain(gone);
    expect(await storage.decisions.find([gone], null)).toMatchObject([{ lifecycle_state: 'quarantined' }]);
    await servers.standby.replay(true);
  });
});

test('the primary answers when the line to the replica is cut in a read, and the process goes on', async () => {
  const line = await lineTo(servers.standby.serviceUrl);
  const sql = reading(20_000, line.url);
  await commit('2026-05-02');
  const { answer } = await sleepingOnReplica(sql, 'cut');
  line.cut();
  expect(await answer).toEqual([{ standby: false, slept: false }]);
  line.close();
});

test('the primary answers for a replica whose machine is gone without a word', async () => {
  const line = await lineTo(servers.standby.serviceUrl);
  const sql = reading(4_000, line.url);
  await commit('2026-05-03');
  expect(await look(sql, '2026-05-03')).toEqual({ standby: true, seen: 1 });
  line.swallow();
  expect(await look(sql, '2026-05-03')).toEqual({ standby: false, seen: 1 });
  expect(answers()).toEqual({ replica: 1, failed: 1 });
  line.cut();
  line.close();
});

test('the primary answers for a replica whose machine is gone without a word in the midst of a read', async () => {
  const line = await lineTo(servers.standby.serviceUrl);
  const sql = reading(20_000, line.url, 3_000);
  await commit('2026-05-04');
  const { answer } = await sleepingOnReplica(sql, 'swallowed');
  line.swallow();
  expect(await answer).toEqual([{ standby: false, slept: false }]);
  expect(answers()).toEqual({ failed: 1 });
  line.cut();
  line.close();
});

test('no connection of the primary’s pool leads to a standby', async () => {
  const refused = openDataSource({ url: servers.standby.serviceUrl, poolSize: 1 });
  const error = await refused.catch((reason: unknown) => reason);
  expect(error).toMatchObject({ message: 'The connection leads to a standby.' });
  expect(problemOf(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
});

test('a replica that was promoted to a primary is not queried', async () => {
  const sql = reading(20);
  await commit('2026-07-01');
  await servers.standby.promote();
  expect(await look(sql, '2026-07-01')).toEqual({ standby: false, seen: 1 });
  expect(await lag()).toBeNull();
  // Its log is as far as any; what it lacks is what the primary has written since.
  await commit('2026-07-02');
  expect(await look(sql, '2026-07-02')).toEqual({ standby: false, seen: 1 });
});

test('the primary answers for a replica that is gone', async () => {
  const sql = reading();
  await commit('2026-06-01');
  await servers.standby.stop();
  expect(await look(sql, '2026-06-01')).toEqual({ standby: false, seen: 1 });
  expect(troubles).toHaveLength(1);
  expect(answers()).toEqual({ failed: 1 });
  expect(await lag()).toBeNull();
});
