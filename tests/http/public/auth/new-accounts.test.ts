import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { Identity, IdentityProvider } from '../../../../domain/accounts/provider/identity-provider.ts';
import { HOUR } from '../../../../domain/time.ts';
import { randomName } from '../../../builders/decisions.ts';
import { race } from '../../../contracts/adapters.ts';
import { openService, STORAGES, type TestService } from '../../../harness/service.ts';
import { NO_RATE_LIMITS, PASSWORD } from '../../../harness/sessions.ts';

const AT = new Date('2026-03-02T23:00:00.000Z');

describe.each(STORAGES)('limits on new accounts on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    const verifyBearer = async (subject: string): Promise<Identity> => ({ issuer: 'https://id.example', subject });
    service = await openService(storage, {
      at: AT,
      env: {
        ...NO_RATE_LIMITS,
        TRUST_PROXY: '1',
        LIMIT_ACCOUNTS_PER_ADDRESS: '3',
        LIMIT_ACCOUNTS_PER_DAY: '8',
      },
      ports: () => ({ identityProvider: { verifyBearer } as unknown as IdentityProvider }),
    });
  });
  afterAll(() => service.close());

  const from = (address: string) => ({ 'x-forwarded-for': address });
  const open = (path: string, address: string, email = `${randomName()}@example.com`, password = PASSWORD) =>
    request(service.app).post(`/api/v1/public/auth/${path}`).set(from(address)).send({ email, password });
  const byToken = (subject: string, address: string) =>
    request(service.app)
      .get('/api/v1/owner/legal-status')
      .set({ ...from(address), authorization: `Bearer ${subject}` });
  const refused = { status: 429, body: { error: { code: 'RATE_LIMIT_EXCEEDED', retry_after_seconds: 3_600 } } };

  test('an address opens 3 a day, in whatever way; what fails does not count, and its accounts go on', async () => {
    const address = '192.0.2.1';
    expect((await open('register', address, 'first@example.com')).status).toBe(201);
    for (const [email, password] of [
      ['first@example.com', PASSWORD],
      ['weak@example.com', 'password1234'],
    ] as const) {
      for (let n = 0; n < 3; n += 1) expect((await open('register', address, email, password)).status).toBe(400);
    }
    expect((await open('quick-setup', address)).status).toBe(201);
    expect((await byToken('ada', address)).status).toBe(200);
    for (const path of ['register', 'quick-setup']) {
      const reply = await open(path, address);
      expect(reply).toMatchObject({ ...refused, headers: { 'retry-after': '3600' } });
    }
    expect(await byToken('ben', address)).toMatchObject(refused);
    expect((await byToken('ada', address)).status).toBe(200);
    expect((await byToken('ada', '192.0.2.2')).status).toBe(200);
  });

  test('of 8 at once from one address 3 are opened', async () => {
    const replies = await race(8, () => open('register', '2001:db8::1'));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(await open('register', '2001:db8::2')).toMatchObject(refused);
  });

  test('all addresses together open 8 a day; the next day both windows are free', async () => {
    for (const last of [7, 8]) expect((await open('register', `192.0.2.${last}`)).status).toBe(201);
    expect(await open('register', '192.0.2.9')).toMatchObject(refused);
    expect(await byToken('cleo', '192.0.2.9')).toMatchObject(refused);
    await service.arrange.advance(HOUR);
    expect((await open('register', '192.0.2.1')).status).toBe(201);
    expect((await byToken('cleo', '192.0.2.9')).status).toBe(200);
  });
});
