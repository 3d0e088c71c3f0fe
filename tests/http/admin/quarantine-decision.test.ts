import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import { releaseDecision } from '../../../application/decisions/moderate-decision.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, aPasswordOwner, cookieOf, logIn, OWN_PAGE } from '../../harness/sessions.ts';

/** A Monday in the session of New York, within the packaged prices of MSFT. */
const MONDAY = new Date('2014-06-02T15:00:00.000Z');
const AFTERWARDS = new Date('2014-06-07T00:00:00.000Z');
const MSFT = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  horizon_kind: 'trading_days',
  horizon_value: 3,
} as const;
const UNKNOWN = 'dec_20140602_00000000';

describe.each(STORAGES)('quarantine on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  let admin: { readonly owner_id: string; readonly email: string };
  beforeAll(async () => {
    service = await openService(storage, { at: MONDAY, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
    agent = await anAgentAt(service);
    admin = await aPasswordOwner(service);
    await changeRole(service.operators, admin.owner_id, 'admin', 'command line');
  });
  afterAll(() => service.close());

  const postQuarantine = (record_id: string, body: object, headers: Readonly<Record<string, string>>) =>
    request(service.app).post(`/api/v1/admin/decisions/${record_id}/quarantine`).set(headers).send(body);
  /** The clock moves by days between requests, which no session outlives. */
  const adminNow = async () => ({ cookie: cookieOf(await logIn(service, admin.email)), ...OWN_PAGE });
  const quarantine = async (record_id: string, reason = 'a stolen key') =>
    postQuarantine(record_id, { reason }, await adminNow());
  const codeOf = ({ status, body }: request.Response) => [status, body.error?.code];
  const entries = async (record_id: string) =>
    (await service.ports.audit.about(record_id, 10)).map(({ actor, action, detail }) => [actor, action, detail]);

  async function submitted(): Promise<string> {
    await service.arrange.freeze(MONDAY);
    return (await agent.submit(aSubmission(MONDAY, MSFT))).body.record_id;
  }
  async function graded(): Promise<string> {
    const record_id = await submitted();
    await service.settle();
    await service.arrange.freeze(AFTERWARDS);
    await service.settle();
    return record_id;
  }

  test('204, and only the owner still sees the record, with the reason', async () => {
    const record_id = await graded();
    const [stranger, nobody] = [await anAgentAt(service), strangerAt(service)];
    const looks = [stranger.read, stranger.state, nobody.read, nobody.state];
    for (const look of looks) expect((await look(record_id)).status).toBe(200);
    const { status, text } = await quarantine(record_id);
    expect([status, text]).toEqual([204, '']);
    for (const look of looks) expect((await look(record_id)).status).toBe(404);
    expect((await stranger.batch([record_id])).body.items).toEqual([
      { status: 'not_visible', record_id, reason: 'does_not_exist' },
    ]);
    const { body } = await agent.read(record_id);
    expect([body.lifecycle_state, body.quarantine_reason]).toEqual(['quarantined', 'a stolen key']);
    expect((await agent.state(record_id)).body).toMatchObject({ lifecycle_state: 'quarantined', state: 'unavailable' });
  });

  test('204 again, and the first reason stays; the audit log contains both requests', async () => {
    const record_id = await submitted();
    expect((await quarantine(record_id, ' the first ')).status).toBe(204);
    expect((await quarantine(record_id, 'the second')).status).toBe(204);
    expect((await agent.read(record_id)).body.quarantine_reason).toBe('the first');
    expect(await entries(record_id)).toEqual([
      [admin.owner_id, 'quarantine', { changed: false, reason: 'the second' }],
      [admin.owner_id, 'quarantine', { changed: true, reason: 'the first' }],
    ]);
  });

  test('409 RECORD_BEING_EVALUATED with retry_after_seconds while the lease runs; 204 once it is over', async () => {
    const record_id = await submitted();
    await service.settle();
    await service.arrange.freeze(AFTERWARDS);
    const leaseUntil = new Date(AFTERWARDS.getTime() + MINUTE);
    expect(await service.ports.evaluations.claimDue(AFTERWARDS, leaseUntil, 1)).toHaveLength(1);
    const refused = await quarantine(record_id);
    expect([...codeOf(refused), refused.body.error.retry_after_seconds]).toEqual([409, 'RECORD_BEING_EVALUATED', 5]);
    expect(await entries(record_id)).toEqual([]);
    await service.arrange.freeze(leaseUntil);
    expect((await quarantine(record_id)).status).toBe(204);
    await service.settle();
    expect((await agent.state(record_id)).body.lifecycle_state).toBe('quarantined');
  });

  test('a cohort counts the record until the quarantine and from the release on', async () => {
    const record_id = await graded();
    const filter = { market: 'stock', symbol: 'MSFT', include_retroactive: true } as const;
    const samples = async () => (await service.ports.cohorts.summarise(filter, 1)).result.samples;
    const before = await samples();
    await quarantine(record_id);
    expect(await samples()).toBe(before - 1);
    await releaseDecision(service.ports, record_id, 'command line');
    expect(await samples()).toBe(before);
  });

  test('a released record is graded like any other', async () => {
    const record_id = await submitted();
    await quarantine(record_id);
    await service.arrange.freeze(AFTERWARDS);
    await service.settle();
    expect((await agent.state(record_id)).body.lifecycle_state).toBe('quarantined');
    await releaseDecision(service.ports, record_id, 'command line');
    await service.settle();
    expect((await agent.state(record_id)).body.lifecycle_state).toBe('evaluated');
    expect((await strangerAt(service).read(record_id)).status).toBe(200);
  });

  test('404 NOT_FOUND for a record that is not there, and no entry', async () => {
    expect(codeOf(await quarantine(UNKNOWN))).toEqual([404, 'NOT_FOUND']);
    expect(await entries(UNKNOWN)).toEqual([]);
  });

  test.each([
    [{}],
    [{ reason: '' }],
    [{ reason: '  ' }],
    [{ reason: 'x'.repeat(501) }],
    [{ reason: 7 }],
    [{ why: 'x' }],
  ])('400 VALIDATION_ERROR for %.40j', async (body) => {
    const record_id = await submitted();
    const reply = await postQuarantine(record_id, body, await adminNow());
    expect(codeOf(reply)).toEqual([400, 'VALIDATION_ERROR']);
    expect((await agent.read(record_id)).body.lifecycle_state).not.toBe('quarantined');
  });

  test.each(['MSFT', 'dec_20140602_0000000g', '%00'])('400 for the id %s', async (record_id) => {
    expect(codeOf(await quarantine(record_id))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('403 ADMIN_REQUIRED for everyone else, whether the record is there or not, and it stays', async () => {
    const record_id = await submitted();
    const [owner, operator] = [await anOwnerLoggedIn(service), await adminNow()];
    const strangers: Record<string, string>[] = [
      {},
      { 'x-api-key': agent.api_key },
      { 'x-api-key': agent.api_key, ...operator },
      { authorization: 'Bearer guess' },
      { cookie: owner.cookie, ...OWN_PAGE },
    ];
    for (const headers of strangers) {
      for (const id of [record_id, UNKNOWN]) {
        expect(codeOf(await postQuarantine(id, { reason: 'x' }, headers))).toEqual([403, 'ADMIN_REQUIRED']);
      }
    }
    const foreign = { ...operator, 'sec-fetch-site': 'cross-site' };
    expect(codeOf(await postQuarantine(record_id, { reason: 'x' }, foreign))).toEqual([403, 'CROSS_ORIGIN_SESSION']);
    expect((await agent.read(record_id)).body.lifecycle_state).not.toBe('quarantined');
  });
});
