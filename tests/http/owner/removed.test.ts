import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { aSubmission } from '../../builders/decisions.ts';
import { race } from '../../contracts/adapters.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, logIn, NO_RATE_LIMITS, OWN_PAGE } from '../../harness/sessions.ts';

const AT = new Date('2017-06-05T12:00:00.000Z');

describe.each(STORAGES)('an owner who is removed, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: { ...NO_RATE_LIMITS, LIMIT_COOLDOWN_SECONDS: '0' } });
  });
  afterAll(() => service.close());

  const CHANGES = [
    ['put', '/api/v1/owner/preferences', { locale: 'de' }],
    ['post', '/api/v1/owner/legal-acceptance', { terms_version: '1.0', privacy_version: '1.0', source: 'test' }],
    ['post', '/api/v1/owner/auth/api-keys', { agent_name: 'Late' }],
    ['put', '/api/v1/owner/password', { current_password: 'wrong', new_password: 'five other words, spaced' }],
  ] as const;

  const bySession = (cookie: string, [method, path, body]: (typeof CHANGES)[number]) =>
    request(service.app)
      [method](path)
      .set({ cookie, ...OWN_PAGE })
      .send(body);

  test.each(CHANGES)(
    '%s %s at the same time as the removal causes no fault, and is 401 afterwards',
    async (...change) => {
      for (let round = 0; round < 3; round += 1) {
        const { owner_id, email, cookie } = await anOwnerLoggedIn(service);
        const statuses = await race(9, async (worker) => {
          if (worker === 4) return (await service.operators.ownerAdministration.remove(owner_id)) ? 204 : 0;
          return (await bySession(cookie, change)).status;
        });
        expect(statuses.filter((status) => ![200, 201, 204, 401, 404, 429].includes(status))).toEqual([]);
        expect((await bySession(cookie, change)).status).toBe(401);
        expect((await logIn(service, email)).status).toBe(401);
      }
    },
  );

  test('a key submits until the removal and never afterwards; the records it submitted remain', async () => {
    const agent = await anAgentAt(service);
    const sent = await race(9, (worker) =>
      worker === 4
        ? service.operators.ownerAdministration.remove(agent.owner_id).then(() => ({ status: 204 }))
        : agent.submit(aSubmission(AT)),
    );
    expect(sent.filter(({ status }) => ![201, 204, 401].includes(status))).toEqual([]);
    expect((await agent.submit(aSubmission(AT))).status).toBe(401);
    expect((await agent.read('dec_20260101_00000000')).status).toBe(401);
    const taken = sent.filter(({ status }) => status === 201).length;
    expect(await service.ports.ownerData.recordIds(agent.owner_id, null, 100)).toHaveLength(taken);
  });
});
