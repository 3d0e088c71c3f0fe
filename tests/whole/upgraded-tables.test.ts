import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { keepLog } from '../../application/log/keep-log.ts';
import { deliverWebhooks } from '../../application/webhooks/deliver-webhooks.ts';
import { auditLog, isAudited } from '../../clients/typescript/verify/audit.ts';
import { textOf } from '../../clients/typescript/verify/verdict.ts';
import { composeSweeps } from '../../infrastructure/compose/compose-sweeps.ts';
import { verdictsOf } from '../builders/proof-files.ts';
import { execute } from '../harness/database.ts';
import { query } from '../harness/embedded-instance.ts';
import { codeAt } from '../harness/one-time-code.ts';
import { type Receiver, receiver } from '../harness/outgoing/receiver.ts';
import { cookieOf, LOGIN, OWN_PAGE } from '../harness/sessions.ts';
import { type FilledFixture, fixtureOf, openUpgraded, type Upgraded } from './upgraded.ts';

const RELEASE = '0.5.0';

/** Tables of 0.5.0 that its service leaves without rows in the fixture, each with the reason. */
const EMPTY: Readonly<Record<string, string>> = {
  decision_documents_default: 'records whose month has no partition, which only a clock that is years ahead makes',
  decision_outcomes_default: 'as decision_documents_default',
  outcome_evidence_default: 'as decision_documents_default',
};

/** Tables whose rows an upgrade or a restore changes, each with the reason. */
const CHANGED: Readonly<Record<string, string>> = {
  applied_functions: 'names the functions of this release',
  events: 'after-restore.sql sets the position of each to 0',
  decisions: 'after-restore.sql sets listed_xid, a transaction of the other cluster',
  reply_texts: 'a cache, whose replies are removed with that change of their decisions',
};

describe(`a database of release ${RELEASE} with rows in every table`, () => {
  const fixture = fixtureOf<FilledFixture>(RELEASE);
  const { owner, plan, erased, receipts, webhook } = fixture;
  const policy = `${/^log .*$/m.exec(fixture.policy)?.[0]}\nquorum none\n`;
  let upgraded: Upgraded;
  let before: ReadonlyMap<string, Table>;
  let receiving: Receiver;
  beforeAll(async () => {
    receiving = await receiver((_request, response) => void response.end());
    upgraded = await openUpgraded(RELEASE, {
      loaded: async (url) => {
        before = await tablesOf(url);
      },
    });
  });
  afterAll(async () => {
    receiving.close();
    await upgraded.close();
  });

  const get = (path: string, headers: Readonly<Record<string, string>> = { 'x-api-key': owner.api_key }) =>
    request(upgraded.app).get(path).set(headers);
  const keep = async () => {
    const { ports } = upgraded;
    if (!ports.logWriter) throw new Error('No log is kept.');
    while ((await keepLog({ ...ports, ...ports.logWriter }, ports.logWriter)).leaves > 0);
  };
  const audited = async () => {
    const served = async (path: string) => {
      const { status, body } = await get(`/log/1/${path}`, {}).buffer(true).responseType('arraybuffer');
      if (status !== 200) throw new Error(`${path} was answered ${status}.`);
      return new Uint8Array(body);
    };
    return (await auditLog(served, policy, null, { now: Math.floor(Date.now() / 1_000) })).lines;
  };
  /** The cookie of a login as the owner with a code of the app, which counts once. */
  let session: Promise<string> | undefined;
  const cookie = () => {
    session ??= logIn();
    return session;
  };
  const logIn = async () => {
    const totp = codeAt(owner.totp, await upgraded.ports.clock.now());
    const reply = await request(upgraded.app).post(LOGIN).send({ email: owner.email, password: owner.password, totp });
    expect([reply.status, reply.body.error]).toEqual([200, undefined]);
    return cookieOf(reply);
  };

  test('has rows in each that the service of that release fills', () => {
    const empty = [...before].filter(([, { rows }]) => rows === 0).map(([name]) => name);
    expect(empty.filter((name) => !isLaterPartition(name)).toSorted()).toEqual(Object.keys(EMPTY).toSorted());
    expect(before.size).toBeGreaterThan(80);
  });

  test('keeps every row as it was', async () => {
    const after = await tablesOf(upgraded.database.url, before);
    const changed = [...before].filter(([name, { digest }]) => after.get(name)?.digest !== digest);
    expect(changed.map(([name]) => name).toSorted()).toEqual(Object.keys(CHANGED).toSorted());
    const stays = [...before.keys()].filter((name) => name !== 'reply_texts');
    const counts = (tables: ReadonlyMap<string, Table>) => stays.map((name) => [name, tables.get(name)?.rows]);
    expect(counts(after)).toEqual(counts(before));
  });

  test('has evidence and a log without faults, and every outcome is computed again', async () => {
    await upgraded.check(['check-evidence'], ['recompute', '--all'], ['check-cohorts']);
  });

  test('has receipts that verify, and gives them again', async () => {
    expect(receipts.length).toBeGreaterThan(1);
    for (const { record_id, proof } of receipts) {
      const verdicts = { signature: 'holds', witnesses: 'holds', inclusion: 'holds', opening: 'holds' };
      expect(await verdictsOf(proof, fixture.policy)).toMatchObject(verdicts);
      const { status, text } = await get(`/api/v1/agent/decisions/${record_id}/receipt`);
      expect(status).toBe(200);
      expect(await verdictsOf(text, policy)).toMatchObject({ ...verdicts, witnesses: expect.any(String) });
    }
  });

  test('goes on with its log, which takes in what waited', async () => {
    const waiting = async () =>
      Number(
        (
          await query(
            upgraded.database.url,
            'select (select count(*) from app.log_pending) + (select count(*) from app.log_pending_plans) as n',
          )
        )[0]?.n,
      );
    const lines = await audited();
    expect([lines.map(textOf), isAudited(lines)]).toEqual([lines.map(textOf), true]);
    expect(await waiting()).toBeGreaterThan(1);
    await execute(upgraded.database.url, "update app.log_pending set ready_at = app.now() - interval '5 minutes'");
    await execute(
      upgraded.database.url,
      "update app.log_pending_plans set ready_at = app.now() - interval '5 minutes'",
    );
    await keep();
    expect(await waiting()).toBe(0);
    const grown = await audited();
    expect([grown.map(textOf), isAudited(grown)]).toEqual([grown.map(textOf), true]);
    expect(grown.map(textOf)).not.toEqual(lines.map(textOf));
    await upgraded.check(['check-evidence']);
  });

  test('counts the question of a plan as asked, and names the plan', async () => {
    const path = '/api/v1/agent/wisdom?market=stock&symbol=MSFT&direction=bullish&include_retroactive=true';
    const { body } = await get(path);
    expect(body).toMatchObject({
      plan: { stated_at: plan.stated_at, log_index: expect.any(Number) },
      queries_asked: 1,
    });
    const { status } = await get(`/api/v1/agent/plans/${plan.plan_id}/receipt`);
    expect(status).toBe(200);
    const again = await request(upgraded.app)
      .post('/api/v1/agent/plans')
      .set({ 'x-api-key': owner.api_key })
      .send({
        query: { market: 'stock', symbol: 'MSFT', direction: 'bullish', include_retroactive: true },
        sentence: 'Once more.',
      });
    expect([again.status, again.body.asked_before]).toEqual([201, true]);
  });

  test('lets its owner log in with the authenticator app, and not without it', async () => {
    const { email, password } = owner;
    const without = await request(upgraded.app).post(LOGIN).send({ email, password });
    expect([without.status, without.body.error.code]).toEqual([401, 'SECOND_FACTOR_REQUIRED']);
    const { body } = await get('/api/v1/owner/auth/factors', { cookie: await cookie() });
    expect(body).toMatchObject({ passkeys: [{ name: 'Laptop' }], recovery_codes_left: 10, session_factor: 'totp' });
  });

  test('delivers to the webhook, signed with its secret of before', async () => {
    const code = { ...OWN_PAGE, cookie: await cookie() };
    const hook = `/api/v1/owner/webhooks/${webhook.webhook_id}`;
    const url = `http://127.0.0.1:${receiving.port}/`;
    expect((await request(upgraded.app).patch(hook).set(code).send({ url })).status).toBe(200);
    expect((await request(upgraded.app).post(`${hook}/test`).set(code)).status).toBe(202);
    await deliverWebhooks(upgraded.ports);
    expect(receiving.received.length).toBeGreaterThan(0);
    for (const { headers, body } of receiving.received) {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      const key = Buffer.from(webhook.secret.replace('whsec_', ''), 'base64');
      const signature = createHmac('sha256', key).update(signed).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${signature}`);
    }
  });

  test('keeps an erased owner erased', async () => {
    const { email, api_key, records } = erased;
    await composeSweeps(upgraded.ports)['erase-owners']();
    const { status, body } = await request(upgraded.app).post(LOGIN).send({ email, password: owner.password });
    expect([status, body.error.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await get('/api/v1/public/auth/status', { 'x-api-key': api_key })).body.authenticated).not.toBe(true);
    const texts = await query(
      upgraded.database.url,
      `select salt, statement from app.decision_documents where record_id in (${records.map((id) => `'${id}'`)})`,
    );
    expect(texts).toHaveLength(records.length);
    for (const { salt, statement } of texts) {
      expect([salt, JSON.parse(String(statement)).erased]).toEqual([null, true]);
      expect(statement).not.toContain('For the owner alone.');
    }
    await upgraded.check(['check-evidence']);
  });
});

interface Table {
  readonly columns: readonly string[];
  readonly rows: number;
  /** Of the rows in these columns, in any order. */
  readonly digest: string;
}

/** The tables of the schema by name. @param like those whose columns count; without it all */
async function tablesOf(url: string, like?: ReadonlyMap<string, Table>): Promise<ReadonlyMap<string, Table>> {
  const described = await query(url, COLUMNS);
  const tables = new Map<string, Table>();
  for (const { name, columns } of described as readonly { readonly name: string; readonly columns: string[] }[]) {
    const compared = like ? like.get(name)?.columns : columns;
    if (compared === undefined) continue;
    const row = 'row_to_json(x)::text';
    const [found] = await query(
      url,
      `select count(*)::int as rows, md5(coalesce(string_agg(${row}, ' ' order by ${row}), '')) as digest
        from (select ${compared.map((column) => `"${column}"`)} from app."${name}") x`,
    );
    tables.set(name, { columns: compared, rows: Number(found?.rows), digest: String(found?.digest) });
  }
  return tables;
}

/** Partitioned tables are read as a whole, and by their partitions. */
const COLUMNS = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'app'::regnamespace and c.relkind in ('r', 'p')
  group by c.relname order by c.relname`;

/** The partition of a month in which the fixture has no records: those before the month of its making, and those to come. */
function isLaterPartition(name: string): boolean {
  return /_20\d{4}$/.test(name);
}
