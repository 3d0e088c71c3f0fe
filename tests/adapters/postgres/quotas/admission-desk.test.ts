import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { openDataSource, poolSql } from '../../../../adapters/postgres/kit/data-source.ts';
import type { Sql } from '../../../../adapters/postgres/kit/sql.ts';
import { postgresAdmission } from '../../../../adapters/postgres/quotas/admission-desk.ts';
import { openPostgres, type PostgresStorage } from '../../../../adapters/postgres/storage.ts';
import type { ApiKey } from '../../../../domain/accounts/keys/api-key.ts';
import type { AdmissionDesk, AdmissionRequest } from '../../../../domain/quotas/admission.ts';
import { HOUR, MINUTE } from '../../../../domain/time.ts';
import { aKeyOf, anOwner } from '../../../builders/accounts.ts';
import { race } from '../../../contracts/adapters.ts';
import { NO_JOBS, NOON, type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { admittedAtOnce, aRequest, byKey, judged, taking } from '../../../contracts/quotas/requests.ts';

let opened: OpenedDatabase;
const others: PostgresStorage[] = [];
let desks: readonly AdmissionDesk[];

beforeAll(async () => {
  opened = await onPostgres(10);
  for (let i = 0; i < 3; i += 1) {
    others.push(await openPostgres({ url: opened.serviceUrl, poolSize: 3, openJobs: async () => NO_JOBS }));
  }
  desks = [opened.storage, ...others].map(({ admission }) => admission);
});
beforeEach(() => opened.arrange.freeze(NOON));
afterAll(async () => {
  for (const storage of others) await storage.close();
  await opened.close();
});

/** Several processes, each with whatever it remembers. */
const anyDesk: Pick<AdmissionDesk, 'admit'> = {
  admit: (request) => desks[Math.floor(Math.random() * desks.length)]?.admit(request) ?? Promise.reject(),
};

async function aKey(owner = anOwner()) {
  if ((await opened.storage.owners.find(owner.owner_id)) === null) await opened.storage.owners.add(owner);
  const key = aKeyOf(owner);
  await opened.storage.apiKeys.add(key, 100);
  return key;
}

test('four processes share windows and pools, whatever they ask for at once and in whatever order', async () => {
  const owners = [anOwner(), anOwner(), anOwner()];
  const keys: ApiKey[] = [];
  for (const owner of [...owners, ...owners, ...owners]) keys.push(await aKey(owner));
  const callerLimits = { per_second: 20, per_minute: 20 };
  const admitted = new Map<string, number>();
  await race(500, async () => {
    const key = keys[Math.floor(Math.random() * keys.length)] ?? aKeyOf(anOwner());
    const pool =
      Math.random() < 0.5
        ? taking('query', 15)
        : taking('check', 4, `dec_20260302_0000000${key.key_prefix.length % 3}`);
    const admission = await judged(anyDesk, byKey(key, { ...pool, callerLimits }));
    if (admission.verdict === 'rate') return;
    for (const name of [
      key.key_prefix,
      ...(admission.verdict === 'admitted' ? [`${key.owner_id} ${pool.spend.pool}`] : []),
    ]) {
      admitted.set(name, (admitted.get(name) ?? 0) + 1);
    }
  });
  expect(keys.map(({ key_prefix }) => admitted.get(key_prefix))).toEqual(keys.map(() => 20));
  expect(owners.map(({ owner_id }) => admitted.get(`${owner_id} query`))).toEqual([15, 15, 15]);
  expect(owners.map(({ owner_id }) => admitted.get(`${owner_id} check`))).toEqual([4, 4, 4]);
});

test('a window that is deleted while a request waits for it admits no more', async () => {
  await opened.storage.admission.prune();
  const stale = `insert into app.rate_windows values ($1, $2, 1, $2, 1)`;
  for (let round = 0; round < 10; round += 1) {
    const request = aRequest({ addressPerMinute: 7 });
    await opened.owner.query(stale, [request.address, new Date(NOON.getTime() - 3 * HOUR)]);
    const pruning = race(3, async (worker) => desks[worker]?.prune());
    expect(await admittedAtOnce(anyDesk, 20, () => request)).toBe(7);
    await pruning;
  }
});

test('requests that arrive together are one statement each batch; a denial that is known is none', async () => {
  const source = await openDataSource({ url: opened.serviceUrl, poolSize: 2 });
  try {
    const { statements, sql } = countedSql(poolSql(source));
    const desk = postgresAdmission(sql, { noteTime: () => undefined, newest: () => null });
    const key = await aKey();
    const request = byKey(key, { callerLimits: { per_second: 5, per_minute: 5 } });
    expect(await admittedAtOnce(desk, 64, () => request)).toBe(5);
    expect(statements.mock.calls.length).toBeLessThanOrEqual(2);
    statements.mockClear();
    expect(await admittedAtOnce(desk, 64, () => request)).toBe(0);
    expect(statements).not.toHaveBeenCalled();
    await opened.arrange.advance(MINUTE);
    await judged(desk, aRequest());
    expect((await judged(desk, request)).verdict).toBe('admitted');
  } finally {
    await source.destroy();
  }
});

function countedSql(sql: Sql) {
  const statements = jest.fn();
  const rows: Sql['rows'] = (...sent) => {
    statements();
    return sql.rows(...sent);
  };
  return { statements, sql: { ...sql, rows } };
}

test('a submission or a use that holds a key keeps no request of it waiting, and a revocation waits for it', async () => {
  const key = await aKey();
  const [submitting, revoking] = [new pg.Client(opened.serviceUrl), new pg.Client(opened.serviceUrl)];
  await Promise.all([submitting.connect(), revoking.connect()]);
  try {
    await submitting.query('begin; set local lock_timeout = 1000');
    await submitting.query('select from app.api_keys where key_prefix = $1 for key share', [key.key_prefix]);
    expect((await judged(opened.storage.admission, byKey(key))).rate.remaining).toBe(999);
    await revoking.query('set lock_timeout = 50');
    const revoke = `update app.api_keys set revoked_at = app.now() where key_prefix = '${key.key_prefix}'`;
    await expect(revoking.query(revoke)).rejects.toMatchObject({ code: '55P03' });
    const restrict = `update app.api_keys set permission_mode = 'read_only' where key_prefix = '${key.key_prefix}'`;
    await expect(revoking.query(restrict)).rejects.toMatchObject({ code: '55P03' });
    expect((await judged(opened.storage.admission, byKey(key))).rate.remaining).toBe(998);
    await submitting.query('rollback');
    await revoking.query(revoke);
    expect((await judged(opened.storage.admission, byKey(key))).caller).toBeNull();
  } finally {
    await Promise.all([submitting.end(), revoking.end()]);
  }
});

test('requests of a batch are counted one by one, whichever keys, pools and limits they have', async () => {
  const [key, other] = [await aKey(), await aKey()];
  const mate = await aKey(anOwner({ owner_id: key.owner_id }));
  const limits = { callerLimits: { per_second: 4, per_minute: 9 } };
  const requests = [
    byKey(key, { ...limits, ...taking('read', 3) }),
    byKey(other, { callerLimits: { per_second: 1, per_minute: 2 } }),
    byKey(mate, { ...limits, ...taking('read', 3) }),
    byKey(key, { ...limits, ...taking('query', 3) }),
    byKey(key, { ...limits, ...taking('read', 3) }),
    byKey(other, { callerLimits: { per_second: 1, per_minute: 2 } }),
    byKey(mate, { ...limits, ...taking('read', 3) }),
    byKey(key, limits),
    byKey(key, { ...limits, ...taking('read', 3) }),
    byKey(key, { callerLimits: { per_second: 5, per_minute: 5 } }),
    byKey(await aKey(), limits),
    aRequest({ ...limits, addressPerMinute: 2 }),
  ];
  const admissions = await Promise.all(requests.map((request) => judged(opened.storage.admission, request)));
  expect(admissions.map(({ verdict, rate, quota }) => [verdict, rate.remaining, quota?.used ?? null])).toEqual([
    ['admitted', 3, 1],
    ['admitted', 0, null],
    ['admitted', 3, 2],
    ['admitted', 0, 1],
    ['admitted', 2, 3],
    ['rate', 0, null],
    ['quota', 2, 3],
    ['rate', 0, null],
    ['quota', 1, 3],
    ['admitted', 0, null],
    ['admitted', 3, null],
    ['admitted', 1, null],
  ]);
});

test('a stalled transaction that locks a pool makes only its owner wait', async () => {
  const [held, other] = [await aKey(), await aKey()];
  const idle = new pg.Client({ connectionString: opened.serviceUrl });
  await idle.connect();
  try {
    await judged(opened.storage.admission, byKey(held, taking('read', 9)));
    await idle.query('begin');
    await idle.query('select from app.quota_days where owner_id = $1 for update', [held.owner_id]);
    const [waiting, ...strangers] = await Promise.allSettled([
      judged(opened.storage.admission, byKey(held, taking('read', 9))),
      judged(opened.storage.admission, byKey(other, taking('read', 9))),
      judged(opened.storage.admission, aRequest()),
      judged(opened.storage.admission, byKey(held)),
    ]);
    expect(waiting).toMatchObject({ status: 'rejected', reason: { code: '55P03' } });
    for (const each of strangers) expect(each).toMatchObject({ value: { verdict: 'admitted' } });
    await idle.query('rollback');
    const { quota } = await judged(opened.storage.admission, byKey(held, taking('read', 9)));
    expect(quota?.used).toBe(2);
  } finally {
    await idle.end();
  }
});

test('a batch that takes a unit waits for the disk; windows alone do not', async () => {
  const key = await aKey();
  expect(await commitOf(byKey(key))).toBe('off');
  expect(await commitOf(byKey(key, { spend: { ...taking('read', 9).spend, units: 0 } }))).toBe('off');
  expect(await commitOf(byKey(key, taking('read', 9)))).toBe('on');
});

/** How the transaction of such a request is committed. */
async function commitOf(request: AdmissionRequest): Promise<string | undefined> {
  const inTransaction: Sql = {
    ...({} as Sql),
    rows: async (text, values) => (await opened.owner.query(text, values && [...values])).rows,
  };
  await opened.owner.query('begin; set local synchronous_commit = on');
  try {
    await judged(postgresAdmission(inTransaction, { noteTime: () => undefined, newest: () => null }), request);
    const { rows } = await opened.owner.query<{ how: string }>(`select current_setting('synchronous_commit') as how`);
    return rows[0]?.how;
  } finally {
    await opened.owner.query('rollback');
  }
}

test('the database itself refuses a count above its pool', async () => {
  const insert = `insert into app.quota_days (owner_id, day, pool, base, used) values (gen_random_uuid(), now(), 'read', 5, 6)`;
  await expect(opened.owner.query(insert)).rejects.toMatchObject({ code: '23514' });
});
