import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import request from 'supertest';
import { removeDueAccount } from '../../application/accounts/erasure/erase-owner.ts';
import { quarantineDecision, releaseDecision } from '../../application/decisions/moderate-decision.ts';
import { logKeyOf, readCheckpoint, readPolicy } from '../../application/log/read-log.ts';
import { signedCheckpoint } from '../../application/log/witness-checkpoint.ts';
import { sha256, sha256Hex } from '../../application/sha256.ts';
import { acceptedReply, type Receipt } from '../../domain/decisions/submission/receipt.ts';
import type { HadSaidCounts } from '../../domain/grading/bucket.ts';
import { hexOf } from '../../domain/log/encoding.ts';
import { leafBytes } from '../../domain/log/leaves/leaf.ts';
import { leafAudit } from '../../domain/log/leaves/leaf-audit.ts';
import type { StoredCheckpoint } from '../../domain/log/log-store.ts';
import { checkpointOf } from '../../domain/log/notes/checkpoint.ts';
import { noteOf, noteText } from '../../domain/log/notes/note.ts';
import { entryBundle } from '../../domain/log/tree/tile.ts';
import { leafHash } from '../../domain/log/tree/tree.ts';
import { composeSweeps } from '../../infrastructure/compose/compose-sweeps.ts';
import { execute } from '../harness/database.ts';
import { query } from '../harness/embedded-instance.ts';
import { keptLog, logKeyFor, sequence, startNext } from '../harness/kept-logs.ts';
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

describe('a database of 0.5.0 whose second log imported all decisions', () => {
  let upgraded: Upgraded;
  beforeAll(async () => {
    upgraded = await openUpgraded('0.5.0', { loaded: startSecondLog });
  });
  afterAll(() => upgraded.close());

  test('serves both logs as they are, and a third one goes on with the leaves of the second', async () => {
    const { storage, app, check } = upgraded;
    const run = async () => {
      while ((await sequence(storage)) > 0);
    };
    const [first, policy] = [await readCheckpoint(storage, 1), await readPolicy(storage, null)];
    await run();
    await run();
    await check(['check-evidence']);
    const second = await keptLog(storage);
    expect(second.leaves.filter(({ t }) => t === 'imported').length).toBeGreaterThan(5);
    const { agents } = fixtureOf<Fixture>('0.5.0').population;
    const [{ api_key = '', records: [record = ''] = [] } = {}] = agents;
    const receipt = async () => {
      const { status, text } = await request(app)
        .get(`/api/v1/agent/decisions/${record}/receipt`)
        .set({ 'X-API-Key': api_key });
      expect([status, text]).toEqual([200, expect.stringMatching(/\n\n\S+\/log\/2\n/)]);
      return text;
    };
    const before = await receipt();
    await startNext(storage);
    await run();
    expect(await receipt()).toBe(before);
    expect(await readCheckpoint(storage, 1)).toBe(first);
    expect(checkpointOf(noteOf(await readCheckpoint(storage, 2)).text).size).toBe(second.size);
    const third = await keptLog(storage);
    expect(third.leaves[second.size]).toMatchObject({ t: 'continues', size: second.size });
    expect(third.bytes.slice(0, second.size)).toEqual(second.bytes);
    // Logs that share leaves have one policy; the first one had its own.
    expect(policy.match(/^log /gm)).toHaveLength(1);
    expect((await readPolicy(storage, null)).match(/^log \S+\/log\/\d/gm)?.map((line) => line.at(-1))).toEqual([
      '3',
      '2',
    ]);
    await check(['check-evidence']);
  });
});

interface SignedRow extends StoredCheckpoint {
  readonly origin: string;
  readonly own: string;
}

/** As `log-new` of 0.5.0 did: a log with leaves of its own, for which all decisions are pending. */
async function startSecondLog(url: string): Promise<void> {
  const [row] = await query(url, LAST_SIGNED);
  const { origin, own, ...last } = row as unknown as SignedRow;
  const note = signedCheckpoint({ log: 1, origin, key_id: own }, last);
  if (!note) throw new Error('The release signed no log.');
  const leaf = leafBytes({ t: 'log', last: sha256Hex(noteText(note)), v: 1 });
  const key = logKeyOf(logKeyFor(2), origin.replace(/1$/, '2'));
  const bytes = (value: Uint8Array) => `'\\x${hexOf(value)}'`;
  const root = bytes(leafHash(leaf, sha256));
  await execute(
    url,
    `insert into app.logs (log, origin, key_id) values (2, '${key.name}', '${key.id}');
     insert into app.log_keys (log, key_id, public_key) values (2, '${key.id}', ${bytes(key.publicKey)});
     insert into app.log_tiles (log, level, index, hashes) values (2, 0, 0, ${root});
     insert into app.log_bundles (log, index, leaves) values (2, 0, ${bytes(entryBundle([leaf]))});
     insert into app.log_checkpoints (log, size, root) values (2, 1, ${root});
     ${IMPORT}`,
  );
}

const LAST_SIGNED = `
  select c.size::float8 as size, c.root, c.signature, c.key_id, l.origin, l.key_id as own
  from app.log_checkpoints c join app.logs l using (log) where c.signature is not null order by c.size desc limit 1`;

const IMPORT = `
  delete from app.log_pending;
  delete from app.log_pending_plans;
  insert into app.log_pending_plans (plan_id, imported, ready_at)
  select plan_id, true, app.now() - interval '1 day' from app.plans;
  insert into app.log_pending (record_id, seq, event, reason, imported, ready_at)
  select d.record_id, e.seq, e.event, case when e.event = 'closed' then d.lifecycle_state end, true,
    app.now() - interval '1 day'
  from app.decisions d
  left join app.decision_outcomes o using (record_id)
  cross join lateral (values (-3, 'imported', true), (-2, 'outcome', o.record_id is not null),
    (-1, 'closed', app.closes(d.lifecycle_state))) e(seq, event, happened)
  where e.happened`;

/** The key of an agent of a population: of the named one, or of that whose record the path names. */
function keyFor({ agents }: Fixture['population'], who: string, path: string): Record<string, string> {
  const agent = agents.find(({ email, records }) => email === who || records.some((id) => path.includes(id)));
  return who === 'anybody' || !agent ? {} : { 'X-API-Key': agent.api_key };
}

/** Without cursors, which contain the time of their page, questions that were counted, and the members that owners and track records have since. */
function timeless(text: string): string {
  return text
    .replace(/,"sources_after_cutoff":null(?=\},"evaluation")/, '')
    .replace(/(?<="agent_id":"agt_[0-9a-f]{12}"),"number":null/g, '')
    .replaceAll(/,"group":null|,"inputs":null|,"notes":\[\]|,"calls":\d+/g, '')
    .replace(/(?<="outcome_index":(?:\d+|null)),"late":null(?=\})/g, '')
    .replaceAll(/"(next_cursor|queries_asked)":("[^"]*"|null|\d+)/g, '"$1":…');
}
