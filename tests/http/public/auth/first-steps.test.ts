import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { aSubmission, randomName } from '../../../builders/decisions.ts';
import { openService, STORAGES, type TestService } from '../../../harness/service.ts';

const AT = new Date('2017-06-05T12:00:00.000Z');
const PASSWORD = 'four plain words, spaced';

describe.each(STORAGES)('the first steps of a newcomer, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
  });
  afterAll(() => service.close());

  const post = (path: string, body: object, headers = {}) => request(service.app).post(path).set(headers).send(body);

  test('the key of quick-setup submits and reads; its prefix alone and a bearer header with it are 401', async () => {
    const { body: account } = await post('/api/v1/public/auth/quick-setup', {
      email: 'new@example.com',
      password: PASSWORD,
    });
    const key = { 'X-API-Key': account.api_key };
    const submitted = await post('/api/v1/agent/decisions', aSubmission(AT), key);
    expect(submitted.status).toBe(201);
    const read = (headers: Readonly<Record<string, string>>) =>
      request(service.app).get(`${submitted.body.state_url}`).set(headers);
    expect((await read(key)).body.view).toBe('owner');
    expect((await read({ 'X-API-Key': account.key_prefix })).status).toBe(401);
    expect((await read({ Authorization: `Bearer ${account.api_key}` })).status).toBe(401);
    const { body } = await request(service.app).get(`/api/v1/agent/decisions/${submitted.body.record_id}`).set(key);
    expect(body.agent_id).toBe(account.agent_id);
  });

  test('credentials are neither needed nor checked', async () => {
    const registration = { email: 'second@example.com', password: PASSWORD };
    const reply = await post('/api/v1/public/auth/register', registration, { 'X-API-Key': 'made up' });
    expect(reply.status).toBe(201);
  });

  test.each(['\ufeff', '\u202e', '\ud83d\udc69', '<b>', "' or 1=1 --", '\u0001', '\u00c5', '\ufb01'])(
    'no text in the name, the email and the password causes a fault: %j',
    async (odd) => {
      for (const path of ['/api/v1/public/auth/register', '/api/v1/public/auth/quick-setup']) {
        for (const body of [
          { email: `${odd}@example.com`, password: PASSWORD },
          { email: `a@${odd}.com`, password: PASSWORD },
          { email: `${randomName()}@example.com`, password: `${odd} ${PASSWORD}` },
          { email: `${randomName()}@example.com`, password: PASSWORD, agent_name: odd },
        ]) {
          expect([400, 201]).toContain((await post(path, body)).status);
        }
      }
    },
  );

  test('400 MALFORMED_BODY for what cannot be stored', async () => {
    for (const email of ['a\0@example.com', '\ud800@example.com']) {
      const { status, body } = await post('/api/v1/public/auth/register', { email, password: PASSWORD });
      expect([status, body.error.code]).toEqual([400, 'MALFORMED_BODY']);
    }
  });
});
