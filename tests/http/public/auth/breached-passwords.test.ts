import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { makeResetLink, resetPassword } from '../../../../application/accounts/operators/reset-access.ts';
import { openService, STORAGES, type TestService } from '../../../harness/service.ts';
import { anOwnerLoggedIn, LOGIN, NO_RATE_LIMITS, OWN_PAGE, PASSWORD } from '../../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
/** No guesser's rule finds it early, but it was stolen. */
const STOLEN = 'violet granite umbrella sonata';
const AUTH = '/api/v1/public/auth';

describe.each(STORAGES)('passwords from breaches on %s', (storage) => {
  let service: TestService;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stancebook-breaches-'));
    const file = join(folder, 'breaches.txt');
    writeFileSync(file, `${createHash('sha1').update(STOLEN).digest('hex').toUpperCase()}:3\r\n`);
    const env = { ...NO_RATE_LIMITS, PASSWORD_BREACH_FILE: file };
    service = await openService(storage, { at: AT, env });
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  const refusal = (path: string) => ({
    code: 'WEAK_PASSWORD',
    message: expect.stringContaining('breach'),
    details: [expect.objectContaining({ path })],
  });
  const post = (path: string, body: object) => request(service.app).post(`${AUTH}/${path}`).send(body);

  test.each(['register', 'quick-setup'])('%s refuses one, and opens no account', async (path) => {
    const email = `${path}@example.com`;
    const refused = await post(path, { email, password: STOLEN });
    expect([refused.status, refused.body.error]).toEqual([400, expect.objectContaining(refusal('password'))]);
    expect(refused.text).not.toContain(STOLEN);
    expect((await post(path, { email, password: `${STOLEN}s` })).status).toBe(201);
  });

  test('a change refuses one, and the password stays', async () => {
    const { email, cookie } = await anOwnerLoggedIn(service);
    const body = { current_password: PASSWORD, new_password: STOLEN };
    const refused = await request(service.app)
      .put('/api/v1/owner/password')
      .set({ cookie, ...OWN_PAGE })
      .send(body);
    expect([refused.status, refused.body.error]).toEqual([400, expect.objectContaining(refusal('new_password'))]);
    expect((await request(service.app).post(LOGIN).send({ email, password: PASSWORD })).status).toBe(200);
  });

  test('a reset by a link refuses one, and the link stays', async () => {
    const { email } = await anOwnerLoggedIn(service);
    const { token } = await makeResetLink({ ...service.ports, ...service.operators }, email, 'test');
    const refused = await post('password-reset/confirm', { token, new_password: STOLEN });
    expect([refused.status, refused.body.error]).toEqual([400, expect.objectContaining(refusal('new_password'))]);
    expect((await post('password-reset/confirm', { token, new_password: `${STOLEN}s` })).status).toBe(200);
  });

  test('an operator cannot set one', async () => {
    const { email } = await anOwnerLoggedIn(service);
    const ports = { ...service.ports, ...service.operators };
    await expect(resetPassword(ports, email, STOLEN, 'test')).rejects.toMatchObject({ code: 'WEAK_PASSWORD' });
  });
});
