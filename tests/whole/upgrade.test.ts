import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import request from 'supertest';
import { removeDueAccount } from '../../application/accounts/erasure/erase-owner.ts';
import { quarantineDecision, releaseDecision } from '../../application/decisions/moderate-decision.ts';
import { acceptedReply, type Receipt } from '../../domain/decisions/submission/receipt.ts';
import type { HadSaidCounts } from '../../domain/grading/had-said.ts';
import { leafAudit } from '../../domain/log/leaves/leaf-audit.ts';
import { composeSweeps } from '../../infrastructure/compose/compose-sweeps.ts';
import { execute } from '../harness/database.ts';
import { query } from '../harness/embedded-instance.ts';
import { keptLog, sequence } from '../harness/kept-logs.ts';
import { type Fixture, fixtureOf, openUpgraded, releases, type Upgraded } from './upgraded.ts';

const LEFT_OF = 'select count(*) from app.decision_documents join app.decisions using (record_id)';
/** Its service kept no evidence log. */
const UNLOGGED = '0.5.0-after-0.4.0';

test('there is a dump of an earlier release, and one of a service without a log', () => {
  expect(releases.length).toBeGreaterThan(1);
  expect(releases).toContain(UNLOGGED);
});

describe.each(releases)('a database of release %s', (release) => {
  const { population, answers } = fixtureOf<Fixture>(release);
  let upgraded: Upgraded;
  beforeAll(async () => {
    upgraded = await openUpgraded(release);
  });
  afterAll(() => upgraded.close());

  test('reads the same through HTTP', async () => {
    expect(answers.length).toBeGreaterThan(40);
    for (const [requestLine, answer] of answers) {
      const [, who = '', path = ''] = /^(.*) (\S+)$/.exec(requestLine) ?? [];
      const { status, text } = await request(upgraded.app)
        .get(path)
        .set(keyFor(population, who, path));
      expect([requestLine, timeless(`${status} ${text}`)]).toEqual([requestLine, timeless(answer)]);
    }
  });

  test('counts what each direction would have got, before a sweep and after it', async () => {
    const path = '/api/v1/agent/wisdom?market=stock&include_retroactive=true';
    for (const fold of [async () => undefined, composeSweeps(upgraded.ports)['fold-cohorts']]) {
      await fold();
      const { body } = await request(upgraded.app)
        .get(path)
        .set({ 'X-API-Key': population.agents[0]?.api_key ?? '' });
      const { sample_count, had_said } = body.overview;
      for (const counts of Object.values(had_said as HadSaidCounts)) {
        expect(Object.values(counts).reduce((sum, n) => sum + n, 0)).toBe(sample_count);
      }
    }
    expect(await upgraded.storage.cohortCells.check()).toEqual([]);
  });

  test('gets a new atlas from the first sweep', async () => {
    await composeSweeps(upgraded.ports)['build-atlas']();
    for (const path of ['network', 'seeds']) {
      for (const include_retroactive of ['false', 'true']) {
        const { status } = await request(upgraded.app)
          .get(`/api/v1/public/atlas/${path}`)
          .query({ include_retroactive });
        expect(status).toBe(200);
      }
    }
  });

  test('still has the evidence that was sealed by that release', () =>
    upgraded.check(['check-evidence'], ['recompute', '--all']));

  test('erases an owner whose records it had before, although the job is killed in a step', async () => {
    const { database, ports } = upgraded;
    const email = population.agents[0]?.email ?? '';
    const [{ owner_id = '' } = {}] = await query(
      database.url,
      `select owner_id from app.owners where email = '${email}'`,
    );
    const left = async () =>
      Number((await query(database.url, `${LEFT_OF} where owner_id = '${owner_id}' and salt is not null`))[0]?.count);
    const before = await left();
    expect(before).toBeGreaterThan(2);
    await execute(database.url, `update app.owners set erases_at = app.now() where owner_id = '${owner_id}'`);
    expect(await removeDueAccount(ports, String(owner_id))).toBe(true);
    const step = `select * from app.erase_records('${owner_id}', 1)`;
    await query(database.serviceUrl, step);
    const killed = new pg.Client({ connectionString: database.serviceUrl });
    killed.on('error', () => undefined);
    await killed.connect();
    await killed.query('begin');
    await killed.query(step);
    await killed.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    expect(await left()).toBe(before - 1);
    await composeSweeps(upgraded.ports)['erase-owners']();
    expect(await left()).toBe(0);
    await upgraded.check(['check-evidence']);
  });
});

describe(`a database of ${UNLOGGED}`, () => {
  const { population } = fixtureOf<Fixture>(UNLOGGED);
  let upgraded: Upgraded;
  beforeAll(async () => {
    upgraded = await openUpgraded(UNLOGGED);
  });
  afterAll(() => upgraded.close());

  test('enters the evidence log as imported, and goes on by the rules of leaves', async () => {
    const { database, ports, storage } = upgraded;
    const records = population.agents.flatMap((agent) => agent.records);
    const [quarantined = '', released = ''] = records;
    for (const id of [quarantined, released]) await quarantineDecision(ports, id, 'made up', 'a test');
    const run = async () => {
      while ((await sequence(storage)) > 0);
    };
    await run();
    await releaseDecision(ports, released, 'a test');
    await execute(database.url, "update app.log_pending set ready_at = app.now() - interval '5 minutes'");
    await run();
    const { bytes, leaves } = await keptLog(storage);
    const audit = leafAudit();
    expect(bytes.flatMap((each) => audit.next(each) ?? [])).toEqual([]);
    const { length } = records;
    expect(audit.counts()).toMatchObject({ decisions: 0, imported: length, graded: length - 1, closed: 1 });
    expect(leaves.filter(({ t }) => t === 'reopened')).toHaveLength(1);
    const key = keyFor(population, 'its agent', quarantined);
    const { status, text } = await request(upgraded.app).get(`/api/v1/agent/decisions/${quarantined}/receipt`).set(key);
    expect([status, text]).toEqual([200, expect.stringContaining('c2sp.org/tlog-proof@v1')]);
  });

  test('promised no receipts, so that its replies are replayed without one', async () => {
    const sql = 'select receipt from app.decision_documents';
    const rows = await query(upgraded.database.url, sql);
    expect(rows.length).toBeGreaterThan(0);
    for (const { receipt } of rows) expect(acceptedReply(receipt as Receipt).receipt).toBeNull();
  });
});

/** The key of an agent of a population: of the named one, or of that whose record the path names. */
function keyFor({ agents }: Fixture['population'], who: string, path: string): Record<string, string> {
  const agent = agents.find(({ email, records }) => email === who || records.some((id) => path.includes(id)));
  return who === 'anybody' || !agent ? {} : { 'X-API-Key': agent.api_key };
}

/** Without cursors, which contain the time of their page, questions that were counted, and the member that owners get since. */
function timeless(text: string): string {
  return text
    .replace(/,"sources_after_cutoff":null(?=\},"evaluation")/, '')
    .replace(/(?<="agent_id":"agt_[0-9a-f]{12}"),"number":null/g, '')
    .replace(/(?<="outcome_index":(?:\d+|null)),"late":null(?=\})/g, '')
    .replaceAll(/"(next_cursor|queries_asked)":("[^"]*"|null|\d+)/g, '"$1":…');
}
