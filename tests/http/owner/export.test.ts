import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { EXPORT_FORMATS, ownExports } from '../../../application/accounts/export-own-data.ts';
import { exportPlaces } from '../../../application/accounts/export-places.ts';
import { COMMAND_LINE } from '../../../domain/accounts/security-event.ts';
import { EXPORT, SESSION } from '../../../domain/limits.ts';
import { HOUR } from '../../../domain/time.ts';
import { verdictsOf } from '../../builders/proof-files.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT } from '../../harness/cohorts.ts';
import { KEPT_LOG_POLICY } from '../../harness/kept-logs.ts';
import { logAll } from '../../harness/logged.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, cookieOf, logIn, OWN_PAGE, PASSWORD } from '../../harness/sessions.ts';

const PATH = '/api/v1/owner/export';

// biome-ignore lint/suspicious/noExplicitAny: each type of line has members of its own.
type Line = { readonly type: string; readonly [member: string]: any };

describe.each(STORAGES)("an owner's export on %s", (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
  });
  beforeEach(() => service.arrange.advance(HOUR));
  afterAll(() => service.close());

  const get = (cookie: string, query = '') => request(service.app).get(`${PATH}${query}`).set({ cookie });
  const linesOf = async (cookie: string): Promise<readonly Line[]> => {
    const { status, headers, text } = await get(cookie);
    expect([status, headers['content-type']]).toEqual([200, 'application/jsonl; charset=utf-8']);
    expect(headers['content-disposition']).toBe('attachment; filename="stancebook-export.jsonl"');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const typed = (lines: readonly Line[], type: string) => lines.filter((line) => line.type === type);

  /** An owner with a graded and logged decision. */
  async function aProducer() {
    const owner = await anOwnerLoggedIn(service);
    const agent = await anAgentAt(service, { mate: owner });
    const { body } = await agent.submit({ ...aPastCall(9), summary: `what ${owner.email} said`, meta: { n: 1 } });
    await service.settle();
    await logAll(service);
    return { ...owner, agent, record_id: String(body.record_id) };
  }

  test('has the account, events, and each decision with outcome and bars; the last line counts the others', async () => {
    const { owner_id, email, cookie, agent, record_id } = await aProducer();
    const workflow = { name: 'A draft', nodes: [], edges: [] };
    await request(service.app)
      .post('/api/v1/owner/workflows')
      .set({ cookie, ...OWN_PAGE })
      .send(workflow);
    const lines = await linesOf(cookie);
    expect(lines[0]).toEqual({ type: 'export', version: 1, owner_id, exported_at: expect.any(String) });
    expect(typed(lines, 'owner')).toMatchObject([{ row: { email } }]);
    expect(typed(lines, 'agents')).toMatchObject([{ row: { agent_id: agent.agent_id } }]);
    expect(typed(lines, 'api_keys')).toMatchObject([{ row: { key_prefix: agent.key_prefix } }]);
    expect(typed(lines, 'workflows')).toMatchObject([{ row: { name: 'A draft' } }]);
    expect(typed(lines, 'security_event').map(({ event }) => event.kind)).toContain('login');
    const [{ decision } = { decision: null }] = typed(lines, 'decision');
    expect(decision).toMatchObject({ record_id, submission: { summary: `what ${email} said`, meta: { n: 1 } } });
    expect(decision).toMatchObject({
      salt: expect.any(String),
      facts: expect.anything(),
      owner_facts: expect.anything(),
    });
    expect(decision.bars.length).toBeGreaterThan(0);
    const counted = Object.entries(lines.at(-1)?.counts ?? {}).map(([type, count]) => [type, count]);
    expect(lines.at(-1)?.type).toBe('complete');
    for (const [type, count] of counted) expect([type, typed(lines, String(type)).length]).toEqual([type, count]);
    expect(counted.reduce((sum, [, count]) => sum + Number(count), 2)).toBe(lines.length);
  });

  test('has receipts of the decision and of its grade that the verifier accepts offline, bars included', async () => {
    const { cookie, record_id, agent } = await aProducer();
    const receipts = typed(await linesOf(cookie), 'receipt');
    expect(receipts.map(({ leaf }) => leaf)).toEqual(['decision', 'outcome']);
    for (const { leaf, proof } of receipts) {
      const path = `/api/v1/agent/decisions/${record_id}/receipt?leaf=${leaf}&opening=full`;
      expect(proof).toBe((await agent.get(path)).text);
      const verdicts = await verdictsOf(proof, KEPT_LOG_POLICY);
      expect(verdicts).toMatchObject({ signature: 'holds', inclusion: 'holds', opening: 'holds' });
    }
  });

  test('has nothing of another owner, and no secret', async () => {
    const [mine, other] = [await aProducer(), await aProducer()];
    const { text } = await get(mine.cookie);
    const foreign = [other.owner_id, other.email, other.agent.agent_id, other.agent.key_prefix, other.record_id];
    for (const secret of [...foreign, mine.agent.api_key, mine.cookie.slice('sid='.length)]) {
      expect(text).not.toContain(secret);
    }
    for (const name of ['password_hash', 'key_hash', 'session_hash']) expect(text).not.toContain(name);
  });

  test('contains every page of records, archived and quarantined ones too, without those after its moment', async () => {
    const owner = await anOwnerLoggedIn(service);
    const agent = await anAgentAt(service, { mate: owner });
    const made: string[] = [];
    for (let each = 0; each < 3; each += 1) {
      await service.arrange.advance(1_000);
      made.push((await agent.submit(aPastCall(9 - each))).body.record_id);
    }
    await service.arrange.mark(made[0] ?? '', { archived_at: COHORTS_AT });
    await service.arrange.mark(made[1] ?? '', { quarantine_reason: 'for a test' });
    await service.arrange.advance(1_000);
    const lines = await linesOf(owner.cookie);
    expect(typed(lines, 'decision').map(({ decision }) => decision.record_id)).toEqual(made);
  });

  test('asks for a recent login, in every format, and HEAD says so without an export', async () => {
    const { cookie, email, owner_id } = await anOwnerLoggedIn(service);
    const head = (session: string) => request(service.app).head(PATH).set({ cookie: session });
    expect((await head(cookie)).status).toBe(200);
    await service.arrange.advance(SESSION.reauthenticateAfter);
    for (const format of EXPORT_FORMATS) {
      const { status, body, headers } = await get(cookie, `?format=${format}`);
      expect([status, body.error.code]).toEqual([401, 'REAUTHENTICATION_REQUIRED']);
      expect([body.error.suggestion, headers['content-disposition']]).toEqual([
        expect.stringContaining('POST /api/v1/owner/auth/reauthenticate'),
        undefined,
      ]);
    }
    expect((await head(cookie)).status).toBe(401);
    const known = { owner_id, kind: 'data_exported' } as const;
    expect(await service.ports.securityEvents.list(known, null, 10)).toEqual([]);
    const proven = await request(service.app)
      .post('/api/v1/owner/auth/reauthenticate')
      .set({ cookie, ...OWN_PAGE })
      .send({ password: PASSWORD });
    expect(proven.status).toBe(200);
    const fresh = cookieOf(proven);
    for (let each = 0; each <= EXPORT.perHour; each += 1) expect((await head(fresh)).status).toBe(200);
    expect(await service.ports.securityEvents.list(known, null, 10)).toEqual([]);
    expect((await get(fresh)).text).toContain(email);
  });

  test('of an account runs a few times an hour', async () => {
    const { cookie, email } = await anOwnerLoggedIn(service);
    for (let each = 0; each < EXPORT.perHour; each += 1) expect((await get(cookie)).status).toBe(200);
    const { status, body, headers } = await get(cookie);
    expect([status, body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(60);
    await service.arrange.advance(HOUR);
    expect((await get(cookieOf(await logIn(service, email)))).status).toBe(200);
  });

  test('runs once at a time for an owner, a few times in a process, and no longer than there is the account', async () => {
    const exportOf = ownExports(service.ports, exportPlaces({ ...EXPORT, wait: 1 }));
    const owners = [];
    for (let each = 0; each <= EXPORT.atOnce; each += 1) owners.push(await aProducer());
    const wantedBy = (owner_id = '') =>
      ({ owner_id, format: 'jsonl', source: COMMAND_LINE, network: `of ${owner_id}` }) as const;
    const running = owners.map(({ owner_id }) => exportOf(wantedBy(owner_id)));
    const over = running.pop();
    for (const each of running) await each.next();
    const [first] = owners;
    await expect(exportOf(wantedBy(first?.owner_id)).next()).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    await expect(over?.next()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await service.operators.ownerAdministration.remove(first?.owner_id ?? '');
    const lines: string[] = [];
    const reading = (async () => {
      for await (const line of running[0] ?? []) lines.push(String(line));
    })();
    await expect(reading).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(lines.join('')).not.toContain('"type":"decision"');
    for (const each of running) await each.return(undefined);
    const freed = exportOf(wantedBy(owners[1]?.owner_id));
    expect((await freed.next()).done).toBe(false);
    await freed.return(undefined);
  });

  test('is a security event of the owner when it begins, and none when it is refused', async () => {
    const { cookie, owner_id } = await anOwnerLoggedIn(service);
    const exportsSeen = async () => {
      const { body } = await request(service.app)
        .get('/api/v1/owner/security-events?kind=data_exported')
        .set({ cookie });
      return body.items;
    };
    expect((await get(cookie, '?format=xml')).status).toBe(400);
    expect(await exportsSeen()).toEqual([]);
    const lines = await linesOf(cookie);
    const event = { kind: 'data_exported', result: 'success', subject: 'jsonl', client: 'other', by_operator: false };
    expect(await exportsSeen()).toMatchObject([event]);
    expect(typed(lines, 'security_event').map((line) => line.event)).toContainEqual(expect.objectContaining(event));
    const known = { owner_id, kind: 'data_exported' } as const;
    for (let each = 1; each <= EXPORT.perHour; each += 1) await get(cookie);
    expect(await service.ports.securityEvents.list(known, null, 10)).toMatchObject([{ count: EXPORT.perHour }]);
  });

  test('refuses another format, and is ended by HEAD without a body', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    const { status, body } = await get(cookie, '?format=xml');
    expect([status, body.error.code, body.error.details[0].path]).toEqual([400, 'VALIDATION_ERROR', 'format']);
    const head = await request(service.app).head(PATH).set({ cookie });
    expect([head.status, head.text]).toEqual([200, undefined]);
    expect((await get(cookie, '?format=jsonl')).status).toBe(200);
  });
});
