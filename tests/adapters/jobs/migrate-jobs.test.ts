import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { migrateJobs } from '../../../adapters/jobs/migrate-jobs.ts';
import { JOBS } from '../../../domain/jobs.ts';
import { execute, freshDatabase, roleOf, type TestDatabase } from '../../harness/database.ts';
import { poolOn, queuesWith } from './bench.ts';

let database: TestDatabase;
let service: ReturnType<typeof poolOn>;
beforeAll(async () => {
  database = await freshDatabase({ empty: true });
  service = poolOn(database.serviceUrl);
});
afterAll(async () => {
  await service.end();
  await database.drop();
});
beforeEach(() => execute(database.url, 'drop schema if exists pgboss cascade'));

const migrated = (queues?: ReturnType<typeof queuesWith>) =>
  migrateJobs({ ownerUrl: database.url, serviceRole: roleOf(database.serviceUrl), ...(queues && { queues }) });

test('makes a queue for every job and schedules each of them, sweeps of what is due every minute', async () => {
  await migrated();
  const queues = await service.sql.rows('select name, policy from pgboss.queue order by name', []);
  const schedules = await service.sql.rows('select name, cron, timezone from pgboss.schedule order by name', []);
  expect(queues).toEqual(JOBS.toSorted().map((name) => ({ name, policy: 'standard' })));
  const hourly = ['learn-names', 'publish-dataset', 'refresh-symbols'];
  const cronOf = (name: string) => (hourly.includes(name) ? '23 * * * *' : '* * * * *');
  expect(schedules).toEqual(JOBS.toSorted().map((name) => ({ name, cron: cronOf(name), timezone: 'UTC' })));
});

test('several that start at once find one result', async () => {
  await Promise.all(Array.from({ length: 6 }, () => migrated()));
  expect(await service.sql.rows('select name from pgboss.queue', [])).toHaveLength(JOBS.length);
});

test('brings what is there to what is declared, and keeps the requests', async () => {
  await migrated(queuesWith({ expireInSeconds: 7 }, '0 0 1 1 *'));
  await service.sql.rows(`insert into pgboss.job (name) values ('evaluate-due')`, []);
  await migrated(queuesWith({ expireInSeconds: 8 }));
  expect(await service.sql.rows('select distinct expire_seconds from pgboss.queue', [])).toEqual([
    { expire_seconds: 8 },
  ]);
  expect(await service.sql.rows('select name from pgboss.job', [])).toEqual([{ name: 'evaluate-due' }]);
});

test('writes no queue and no schedule that is as declared', async () => {
  const versions = () =>
    service.sql.rows(
      `select name, xmin::text from pgboss.queue union all select name, xmin::text from pgboss.schedule order by 1, 2`,
      [],
    );
  await migrated();
  const before = await versions();
  expect(before).toHaveLength(2 * JOBS.length);
  await migrated();
  expect(await versions()).toEqual(before);
});

test('forgets the schedule of a job that is no more', async () => {
  await migrated();
  await service.sql.rows(`select pgboss.create_queue('retired', '{"policy": "standard"}')`, []);
  await service.sql.rows(`insert into pgboss.schedule (name, cron) values ('retired', '* * * * *')`, []);
  await migrated();
  expect(await service.sql.rows(`select name from pgboss.schedule where name = 'retired'`, [])).toEqual([]);
});

test('the service cannot change the shape of the schema', async () => {
  await migrated();
  const forbidden = ['drop table pgboss.job', 'alter table pgboss.queue add x int', 'create table pgboss.mine ()'];
  for (const statement of forbidden) {
    await expect(service.sql.rows(statement, [])).rejects.toMatchObject({ code: '42501' });
  }
});
