import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { resumeOwner, suspendOwner } from '../../../application/accounts/operators/owner-changes.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { race } from '../../contracts/adapters.ts';
import { aKeyHolder, KEYS } from '../../harness/api-keys.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { codeOf, deviceFlowOf } from '../../harness/identity/device.ts';
import { bodyOf, IDP, openServiceWithProvider, type ServiceWithProvider } from '../../harness/identity/service.ts';
import { tokensOf } from '../../harness/identity/tokens.ts';
import { STORAGES } from '../../harness/service.ts';
import { LOGIN, logIn, OWN_PAGE } from '../../harness/sessions.ts';

const AT = new Date('2017-06-05T12:00:00.000Z');
const STATUS = '/api/v1/public/auth/status';
const SUSPENDED = [403, 'ACCOUNT_SUSPENDED'];

describe.each(STORAGES)('a suspended account on %s', (storage) => {
  let service: ServiceWithProvider;
  beforeAll(async () => {
    service = await openServiceWithProvider(storage, { at: AT, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
  });
  afterAll(() => service.close());

  const ports = () => ({ ...service.ports, ...service.operators });
  const suspend = (owner_id: string) => suspendOwner(ports(), owner_id, 'stolen keys', 'os:operator');
  const resume = (owner_id: string) => resumeOwner(ports(), owner_id, 'os:operator');
  const withPassword = (email: string, password: string) => request(service.app).post(LOGIN).send({ email, password });
  const get = (path: string, headers: Readonly<Record<string, string>>) => request(service.app).get(path).set(headers);

  test('keys and sessions are over at once, and the keys return at the end; a revoked one does not', async () => {
    const holder = await aKeyHolder(service);
    const [stopped, revoked] = [(await holder.create()).body, (await holder.create()).body];
    await holder.revoke(revoked.key_prefix);
    expect((await suspend(holder.owner_id)).ended).toEqual({ sessions_ended: 1, keys: [stopped.key_prefix] });
    const byKey = async ({ api_key }: { api_key: string }) => (await get(STATUS, { 'x-api-key': api_key })).status;
    expect([await byKey(stopped), await byKey(revoked)]).toEqual([401, 401]);
    expect((await holder.list()).status).toBe(401);
    expect((await holder.rotate(stopped.key_prefix)).status).toBe(401);
    expect((await resume(holder.owner_id)).keys).toEqual([stopped.key_prefix]);
    expect([await byKey(stopped), await byKey(revoked)]).toEqual([200, 401]);
    expect((await holder.list()).status).toBe(401);
  });

  test('only who knows the password learns of it, and each such login is a failure that counts as no attempt', async () => {
    const { owner_id, email, headers } = await aKeyHolder(service);
    await suspend(owner_id);
    expect(codeOf(await withPassword(email, 'four other words, spaced'))).toEqual([401, 'INVALID_CREDENTIALS']);
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const refused = await logIn(service, email, { cookie: headers.cookie });
      expect([codeOf(refused), refused.headers['set-cookie']]).toEqual([SUSPENDED, undefined]);
      expect(refused.body.error.retry_after_seconds).toBeNull();
    }
    await resume(owner_id);
    expect((await logIn(service, email)).status).toBe(200);
    const events = await service.ports.securityEvents.list({ owner_id }, null, 20);
    const kinds = events.map(({ kind, result, count, actor }) => [kind, result, count, actor]);
    expect(kinds).toContainEqual(['login', 'failure', 13, null]);
    expect(kinds).toContainEqual(['account_suspended', 'success', 1, 'os:operator']);
    expect(kinds).toContainEqual(['account_resumed', 'success', 1, 'os:operator']);
    const audit = await service.ports.audit.about(owner_id, 10);
    expect(audit.map(({ action, detail }) => [action, detail])).toEqual([
      ['resume_owner', { changed: true, keys: [] }],
      ['suspend_owner', { reason: 'stolen keys', changed: true, sessions_ended: 1, keys: [] }],
    ]);
  });

  test('the provider logs nobody in, its tokens are refused wherever they are accepted, and a device gets no key', async () => {
    const flow = deviceFlowOf(service);
    const browser = service.browserOf('suspended');
    const { owner_id } = bodyOf(await browser.visit(IDP));
    const device_code = await flow.approved('suspended');
    const { access_token } = await tokensOf(service.provider, 'suspended');
    const bearer = { authorization: `Bearer ${access_token}` };
    expect((await get(KEYS, bearer)).status).toBe(200);
    await suspend(owner_id);
    expect(bodyOf(await browser.visit(IDP)).error.code).toBe('ACCOUNT_SUSPENDED');
    const snapshot = `/api/v1/public/workflows/snapshots/${'0'.repeat(64)}`;
    for (const path of [KEYS, STATUS, '/api/v1/agent/wisdom', snapshot]) {
      const refused = await get(path, bearer);
      expect(codeOf(refused)).toEqual(SUSPENDED);
      expect(refused.headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
    }
    expect(codeOf(await get('/api/v1/admin/stablecoin', bearer))).toEqual([403, 'ADMIN_REQUIRED']);
    const created = await request(service.app).post(KEYS).set(bearer).send({ agent_name: 'Late' });
    expect(codeOf(created)).toEqual(SUSPENDED);
    expect(codeOf(await flow.poll(device_code))).toEqual(SUSPENDED);
    expect(await service.ports.apiKeys.list(owner_id)).toEqual([]);
    const failed = await service.ports.securityEvents.list({ owner_id, result: 'failure' }, null, 5);
    expect(failed.map(({ kind }) => kind)).toEqual(['provider_login']);
    await resume(owner_id);
    await service.arrange.advance(5_000);
    expect((await flow.poll(device_code)).status).toBe(200);
    expect((await get(KEYS, bearer)).status).toBe(200);
  });

  test('a key submits until the suspension and never afterwards; the records stay public', async () => {
    for (let round = 0; round < 3; round += 1) {
      const agent = await anAgentAt(service);
      const first = await agent.submit(aSubmission(AT));
      let isAcknowledged = false;
      const sent = await race(9, async (worker) => {
        if (worker !== 4) {
          const isLate = isAcknowledged;
          return { status: (await agent.submit(aSubmission(AT))).status, isLate };
        }
        await suspend(agent.owner_id);
        isAcknowledged = true;
        return { status: 0, isLate: false };
      });
      expect(
        sent.filter(({ status, isLate }) => ![0, 201, 401].includes(status) || (isLate && status === 201)),
      ).toEqual([]);
      const acknowledged = 1 + sent.filter(({ status }) => status === 201).length;
      expect(await service.ports.ownerData.recordIds(agent.owner_id, null, 100)).toHaveLength(acknowledged);
      expect((await agent.submit(aSubmission(AT))).status).toBe(401);
      expect(
        (await service.ports.decisions.find([first.body.record_id], null)).map(({ owner_id }) => owner_id),
      ).toEqual([agent.owner_id]);
      await resume(agent.owner_id);
      expect((await agent.submit(aSubmission(AT))).status).toBe(201);
      expect((await agent.read(first.body.record_id)).body.view).toBe('owner');
    }
  });

  test('a request that creates keys while its owner is suspended leaves none that works', async () => {
    for (let round = 0; round < 3; round += 1) {
      const holder = await aKeyHolder(service);
      const made = await race(7, async (worker) => {
        if (worker === 3) return void (await suspend(holder.owner_id));
        return holder.create({ agent_name: `Scout ${worker}` });
      });
      expect(made.filter((reply) => reply && ![201, 401, 403, 429].includes(reply.status))).toEqual([]);
      expect(await service.ports.apiKeys.list(holder.owner_id)).toEqual([]);
      const begun = await request(service.app)
        .post(KEYS)
        .set({ cookie: holder.cookie, ...OWN_PAGE })
        .send({});
      expect(begun.status).toBe(401);
    }
  });
});
