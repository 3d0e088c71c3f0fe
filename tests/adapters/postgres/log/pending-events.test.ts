import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDataSource, poolSql } from '../../../../adapters/postgres/kit/data-source.ts';
import { pendingEvents } from '../../../../adapters/postgres/log/pending-events.ts';
import { sha256 } from '../../../../application/sha256.ts';
import { LOG } from '../../../../domain/limits.ts';
import { hexOf } from '../../../../domain/log/encoding.ts';
import { leafOf, markOf } from '../../../../domain/log/leaves/leaf.ts';
import { leavesOfBundle } from '../../../../domain/log/tree/tile.ts';
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

test('the factors of a statement are the same whether it is read whole, as a short one, or not', async () => {
  const { service, agent, opened } = logged;
  const now = await service.ports.clock.now();
  const key_factors = [
    'shorthand é',
    { factor: 'a "quoted" one \\u0041', id: 'f', metric: { name: 'rsi', value: 1.5e-7 } },
  ];
  const submissions = [aSubmission(now, { direction: 'bearish', key_factors })];
  submissions.push(aSubmission(now, { direction: 'neutral', summary: 'é'.repeat(4_000), key_factors }));
  for (const each of submissions) expect((await agent.submit(each)).status).toBe(201);
  await logged.tick();
  const read = await service.ports.logEvidence.decisionsIn(1, { from: 0, to: 100 });
  const { rows } = await opened.owner.query(
    `select record_id, coalesce(app.stated_factors(statement), '[]') as factors from app.decision_documents`,
  );
  const stored = new Map(rows.map(({ record_id, factors }) => [record_id, factors]));
  expect(read.filter(({ decision }) => decision?.submission.key_factors?.length === 2)).toHaveLength(2);
  for (const { record_id, decision } of read) expect(decision?.submission.key_factors).toEqual(stored.get(record_id));
  expect((await logged.inside()).filter((fault) => fault.startsWith('leaf '))).toEqual([]);
});

test('an erasure removes the salt of an agent, and no mark of a decision that has no leaf yet', async () => {
  const { service, agent, opened } = logged;
  const { ports } = service;
  const agentSalt = async () => (await ports.log.agentSalts([agent.agent_id])).get(agent.agent_id);
  const { body } = await agent.submit(aSubmission(await ports.clock.now()));
  const [decision] = await ports.decisions.find([body.record_id], agent.owner_id);
  const mark = hexOf(markOf(String(await agentSalt()), Number(decision?.number), sha256));
  await opened.owner.query('update app.owners set erases_at = app.now() where owner_id = $1', [agent.owner_id]);
  expect(await ports.erasures.remove(agent.owner_id)).not.toBeNull();
  expect(await agentSalt()).toBeUndefined();
  await logged.tick();
  const index = (await ports.log.leavesOf(1, body.record_id))?.index ?? 0;
  const bundle = await ports.log.bundle(1, 0);
  const leaf = leafOf(leavesOfBundle(bundle ?? Uint8Array.of())[index] ?? Uint8Array.of());
  expect(leaf).toMatchObject({ t: 'decision', mark, v: 2 });
  await ports.audit.append({ actor: 'ada', action: 'delete_owner', subject: agent.owner_id, detail: {} });
  const about = async () => (await logged.inside()).filter((fault) => fault.startsWith(`leaf ${index} `));
  expect(await about()).toEqual([]);
  while ((await ports.erasures.eraseRecords(agent.owner_id, 10)).state === 'more');
  expect(await about()).toEqual([]);
});
