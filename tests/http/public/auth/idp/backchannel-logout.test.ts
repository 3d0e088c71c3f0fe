import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import {
  BACKCHANNEL,
  IDP,
  ORIGIN,
  openServiceWithProvider,
  postForm,
  type ServiceWithProvider,
} from '../../../../harness/identity/service.ts';
import { openService, STORAGES } from '../../../../harness/service.ts';

const KEYS = '/api/v1/owner/auth/api-keys';

describe.each(STORAGES)('a logout at the provider, on %s', (storage) => {
  let service: ServiceWithProvider;
  beforeAll(async () => {
    service = await openServiceWithProvider(storage, { at: new Date() });
  });
  afterAll(() => service.close());

  async function loggedIn(user: string) {
    const browser = service.browserOf(user);
    expect((await browser.visit(IDP)).status).toBe(200);
    const cookie = `__Host-sid=${browser.cookies.get(ORIGIN, '__Host-sid')}`;
    const isOpen = async () => (await request(service.app).get(KEYS).set({ cookie })).status === 200;
    return { browser, isOpen };
  }
  const logOutAt = async ({ browser }: Awaited<ReturnType<typeof loggedIn>>) =>
    browser.submit(await browser.visit(`${service.provider.issuer}/session/end`), { logout: 'yes' });

  test('ends the sessions of that login here, and those of no other browser or person', async () => {
    const [first, second, other] = [await loggedIn('ada'), await loggedIn('ada'), await loggedIn('grace')];
    await logOutAt(first);
    expect(await Promise.all([first, second, other].map(({ isOpen }) => isOpen()))).toEqual([false, true, true]);
    const owner = await service.ports.identities.find({ issuer: service.provider.issuer, subject: 'ada' });
    const { body } = await request(service.app)
      .get('/api/v1/owner/security-events?kind=session_ended')
      .set({ cookie: `__Host-sid=${second.browser.cookies.get(ORIGIN, '__Host-sid')}` });
    expect([owner !== null, body.items.length]).toEqual([true, 1]);
  });

  test('400 for what is no logout token or no form of one, and 415 for what is no form', async () => {
    for (const form of ['logout_token=a.b.c', `logout_token=${randomUUID()}&other=ignored`]) {
      const { status, body } = await postForm(service.app, BACKCHANNEL, form);
      expect([status, body.error.code]).toEqual([400, 'OAUTH_CALLBACK_ERROR']);
    }
    for (const form of ['', 'other=a', 'logout_token=', 'logout_token=a&logout_token=b']) {
      expect((await postForm(service.app, BACKCHANNEL, form)).status).toBe(400);
    }
    const json = await request(service.app)
      .post(BACKCHANNEL)
      .set('host', 'stancebook.test')
      .send({ logout_token: 'a' });
    expect([json.status, json.body.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});

test('503 OAUTH_NOT_CONFIGURED without a provider', async () => {
  const service = await openService('memory', { at: new Date() });
  const { status, body } = await postForm(service.app, BACKCHANNEL, 'logout_token=a.b.c');
  expect([status, body.error.code]).toEqual([503, 'OAUTH_NOT_CONFIGURED']);
  await service.close();
});
