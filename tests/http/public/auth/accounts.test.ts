import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Express } from 'express';
import request from 'supertest';
import { quickSetupEndpoint, registerEndpoint } from '../../../../adapters/http/routes/public/auth/register.ts';
import { bcryptPasswords } from '../../../../adapters/identity/passwords.ts';
import { openMemory } from '../../../../adapters/memory/storage.ts';
import { hashOfKey } from '../../../../application/accounts/keys/issue-key.ts';
import type { Storage } from '../../../../application/ports.ts';
import { parseApiKey } from '../../../../domain/accounts/keys/api-key.ts';
import { ACCOUNT_SETTINGS } from '../../../builders/accounts.ts';
import { adapters, type Opened, race } from '../../../contracts/adapters.ts';
import { callerByKey } from '../../../harness/known-callers.ts';
import { testApp } from '../../app.ts';

const PASSWORD = 'four plain words, spaced';
const passwords = bcryptPasswords({ pepper: 'pepper', cost: 4 });

describe.each(adapters.slice(0, 2))('on $name', (adapter) => {
  let opened: Opened;
  let app: Express;
  beforeAll(async () => {
    opened = await adapter.open();
    const ports = { ...opened.storage, passwords, ...ACCOUNT_SETTINGS };
    app = testApp([registerEndpoint(ports), quickSetupEndpoint(ports)]).app;
  });
  afterAll(() => opened.close());

  const register = (body: object) => request(app).post('/api/v1/public/auth/register').send(body);
  const quickSetup = (body: object) => request(app).post('/api/v1/public/auth/quick-setup').send(body);

  test('register creates an account and returns only its id, email and time', async () => {
    const reply = await register({ email: 'Ada@Example.com', password: PASSWORD });
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      owner_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      email: 'Ada@Example.com',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const owner = await opened.storage.owners.findByEmail('ada@example.com');
    expect(owner).toMatchObject({ owner_id: reply.body.owner_id, role: 'owner', tier: 'free' });
    expect(await passwords.verify(PASSWORD, owner?.password_hash ?? null)).toBe(true);
  });

  test('400 EMAIL_TAKEN for the same email in another case, by register and by quick-setup', async () => {
    await register({ email: 'taken@example.com', password: PASSWORD });
    for (const again of [register, quickSetup]) {
      const reply = await again({ email: 'TAKEN@example.com', password: PASSWORD });
      expect([reply.status, reply.body.error.code]).toEqual([400, 'EMAIL_TAKEN']);
    }
  });

  test('when 10 callers register one email at once, one succeeds and the others get 400', async () => {
    const replies = await race(10, () => register({ email: 'race@example.com', password: PASSWORD }));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(400)]);
  });

  test.each(['short', 'x'.repeat(129), 'password1234', 'grace@example.com'])(
    '400 WEAK_PASSWORD for %s, which is not repeated',
    async (password) => {
      const reply = await register({ email: 'grace@example.com', password });
      expect([reply.status, reply.body.error.code]).toEqual([400, 'WEAK_PASSWORD']);
      expect(JSON.stringify(reply.body)).not.toContain(password);
      expect(await opened.storage.owners.findByEmail('grace@example.com')).toBeNull();
    },
  );

  test.each([
    { password: PASSWORD },
    { email: 'no-password@example.com' },
    { email: 'not an email', password: PASSWORD },
    { email: `${'x'.repeat(250)}@example.com`, password: PASSWORD },
    { email: 'a@example.com', password: PASSWORD, agent_name: '   ' },
    { email: 'a@example.com', password: PASSWORD, agent_name: 'x'.repeat(81) },
    { email: 'a@example.com', password: PASSWORD, role: 'admin' },
    { email: ['a@example.com'], password: PASSWORD },
  ])('400 VALIDATION_ERROR naming the field: %j', async (body) => {
    const reply = await quickSetup(body);
    expect([reply.status, reply.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(reply.body.error.details).toHaveLength(1);
  });

  test('quick-setup creates an account whose key works at once', async () => {
    const reply = await quickSetup({ email: 'quick@example.com', password: PASSWORD, agent_name: ' Scout ' });
    expect(reply.status).toBe(201);
    const { owner_id, agent_id, api_key, key_prefix } = reply.body;
    expect(reply.body).toEqual({
      owner_id,
      email: 'quick@example.com',
      agent_id: expect.stringMatching(/^agt_[0-9a-f]{12}$/),
      api_key: expect.stringMatching(/^sbk_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/),
      key_prefix: api_key.slice(0, 12),
      permission_mode: 'read_write',
    });
    expect(await callerByKey(opened.storage.admission, { key_hash: hashOfKey(api_key) })).toEqual({
      credential: 'api_key',
      owner_id,
      agent_id,
      key_prefix,
      permission_mode: 'read_write',
      tier: 'free',
    });
  });
});

test('500 KEY_ISSUANCE_FAILED is logged with its cause, which the reply does not contain', async () => {
  const storage = openMemory();
  const cause = new Error('the second transaction is lost');
  const pending: Storage['transaction'][] = [storage.transaction, () => Promise.reject(cause)];
  const transaction: Storage['transaction'] = (work) => (pending.shift() ?? storage.transaction)(work);
  const { app, logged } = testApp([quickSetupEndpoint({ ...storage, transaction, passwords, ...ACCOUNT_SETTINGS })]);
  const sent = { email: 'ada@example.com', password: PASSWORD };
  const reply = await request(app).post('/api/v1/public/auth/quick-setup').send(sent);
  expect([reply.status, reply.body.error.code]).toEqual([500, 'KEY_ISSUANCE_FAILED']);
  expect(logged.map(({ fields }) => fields.error)).toEqual([cause]);
  expect(reply.text).not.toContain('lost');
  expect(await storage.owners.findByEmail(sent.email)).not.toBeNull();
});

test('the example of the reference is a key of the right form', () => {
  const { replies } = quickSetupEndpoint({ ...openMemory(), passwords, ...ACCOUNT_SETTINGS });
  const example = replies[201]?.example as Readonly<Record<string, string>> | undefined;
  expect(parseApiKey(example?.api_key ?? '')).not.toBeNull();
});
