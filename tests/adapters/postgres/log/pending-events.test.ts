import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDataSource, poolSql } from '../../../../adapters/postgres/kit/data-source.ts';
import { pendingEvents } from '../../../../adapters/postgres/log/pending-events.ts';
import { LOG } from '../../../../domain/limits.ts';
import { DAY } from '../../../../domain/time.ts';
import { aSubmission } from '../../../builders/decisions.ts';
import { type LoggedService, loggedService } from './logged-service.ts';

let logged: LoggedService;
beforeAll(async () => {
  logged = await loggedService(1);
});
afterAll(() => logged.close());

test('events of incomplete records, as many as a batch has leaves, hold up no others', async () => {
  const { service, agent, opened } = logged;
  const now = await service.ports.clock.now();
  const pending = async () => (await service.ports.log.overview(1, now)).pending;
  expect(await pending()).toBeLessThan(10);
  await opened.owner.query(
    `insert into app.log_pending (record_id, event, ready_at)
    select 'dec_20260101_' || n, 'decision', $1 from generate_series(0, $2::int) n`,
    [new Date(now.getTime() - DAY), LOG.batch],
  );
  const { body } = await agent.submit(aSubmission(now));
  expect(await service.ports.log.leavesOf(1, body.record_id)).toBeNull();
  await logged.tick();
  expect(await service.ports.log.leavesOf(1, body.record_id)).toMatchObject({ outcome: null });
  // Of so many events the number is an estimate.
  expect(await pending()).toBeGreaterThan(LOG.batch);
});

test('the events of a batch may be read for minutes, and what comes after them ends in time again', async () => {
  const source = await openDataSource({ url: logged.opened.serviceUrl, poolSize: 1 });
  const pool = poolSql(source);
  const limit = async (sql: typeof pool) => (await sql.rows('show statement_timeout'))[0];
  const inside = await pool.atomically(async (own) => {
    await pendingEvents(own, 1, new Date(), 1);
    return limit(own);
  });
  expect([inside, await limit(pool)]).toEqual([{ statement_timeout: '5min' }, { statement_timeout: '15s' }]);
  await source.destroy();
});
