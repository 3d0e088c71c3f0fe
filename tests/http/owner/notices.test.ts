import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { requestFactorReset, stopFactorReset } from '../../../application/accounts/factors/factor-reset.ts';
import { resumeOwner, suspendOwner } from '../../../application/accounts/operators/owner-changes.ts';
import { noteExpiringKeys } from '../../../application/decisions/prune-expired.ts';
import { withNotices } from '../../../application/mail/queue-mail.ts';
import { FACTOR, LOGIN, MAIL } from '../../../domain/limits.ts';
import { NOTICE_KINDS } from '../../../domain/mail/notices.ts';
import { DAY, HOUR } from '../../../domain/time.ts';
import { A_SOURCE, aKeyOf } from '../../builders/accounts.ts';
import { tokenIn } from '../../harness/mailbox.ts';
import { type MailingService, openMailingService, PUBLIC_URL } from '../../harness/mails.ts';
import { openService, STORAGES } from '../../harness/service.ts';
import { aPasswordOwner, OWN_PAGE, PASSWORD } from '../../harness/sessions.ts';

const NOON = new Date('2026-03-02T12:00:00.000Z');
const HOST = new URL(PUBLIC_URL).host;
const LOGIN_PATH = '/api/v1/public/auth/login';

describe.each(STORAGES)('mails to owners, on %s', (storage) => {
  let service: MailingService;
  beforeAll(async () => {
    service = await openMailingService(storage, { at: NOON, env: { TRUST_PROXY: '1' } });
  });
  afterAll(() => service.close());

  /** From an address of its own network each. */
  const from = (address: string) => ({ host: HOST, 'x-forwarded-for': address, 'user-agent': 'Mozilla/5.0' });
  const logInFrom = (address: string, email: string, password = PASSWORD, cookie = '') =>
    request(service.app)
      .post(LOGIN_PATH)
      .set({ ...from(address), cookie })
      .send({ email, password });
  const cookiesOf = ({ headers }: request.Response) =>
    [headers['set-cookie'] ?? []]
      .flat()
      .map((each: string) => each.replace(/;.*/, ''))
      .join('; ');
  const subjectsOf = async () =>
    (await service.newMails()).map(({ headers }) => headers.subject?.replace('Stancebook: ', ''));
  const send = (method: 'post' | 'put', path: string, cookie: string, body: object = {}) =>
    request(service.app)
      [method](`/api/v1/owner${path}`)
      .set({ ...OWN_PAGE, ...from('192.0.2.9'), cookie })
      .send(body);
  /** Logged in from 192.0.2.9, with all mails of that read. */
  const anOwner = async () => {
    const owner = await aPasswordOwner(service);
    const cookie = cookiesOf(await logInFrom('192.0.2.9', owner.email));
    await service.newMails();
    return { ...owner, cookie };
  };

  test('a sign-in has a notice from a network and a browser that are both new', async () => {
    const { email } = await aPasswordOwner(service);
    const first = await logInFrom('198.51.100.1', email);
    const [mail] = await service.newMails();
    expect([mail?.to, mail?.headers.subject]).toEqual([[email], 'Stancebook: a new sign-in']);
    expect(mail?.text).toContain('client');
    // The network of before, and the browser of before from another network.
    await logInFrom('198.51.100.200', email);
    await logInFrom('203.0.113.1', email, PASSWORD, cookiesOf(first));
    expect(await subjectsOf()).toEqual([]);
    await logInFrom('192.0.2.1', email);
    expect(await subjectsOf()).toEqual(['a new sign-in']);
    await logInFrom('192.0.2.77', email, 'a wrong password, as it happens');
    expect(await subjectsOf()).toEqual([]);
  });

  test('keys, a change of the password and a reset have notices, which contain no key', async () => {
    const { email, cookie } = await anOwner();
    const { body: key } = await send('post', '/auth/api-keys', cookie, { agent_name: 'Scout' });
    const [mail] = await service.newMails();
    expect(mail?.headers.subject).toBe('Stancebook: a new API key');
    expect(mail?.text).toContain(key.key_prefix);
    expect(mail?.raw).not.toContain(key.api_key);
    await send('post', `/auth/api-keys/${key.key_prefix}/rotate`, cookie);
    expect(await subjectsOf()).toEqual(['a new API key']);
    const change = { current_password: PASSWORD, new_password: 'five other words, spaced alike' };
    await send('put', '/password', cookie, change);
    expect(await subjectsOf()).toEqual(['your password was changed']);
    await request(service.app).post('/api/v1/public/auth/password-reset').set('host', HOST).send({ email });
    const [link] = await service.newMails();
    const token = tokenIn(link ?? { text: '' }, 'reset');
    await request(service.app)
      .post('/api/v1/public/auth/password-reset/confirm')
      .set('host', HOST)
      .send({ token, new_password: 'six words of another kind, spaced' });
    expect(await subjectsOf()).toEqual(['your password was reset']);
  });

  test('a flood of wrong passwords has two notices an hour, and hides no other notice', async () => {
    const { email, cookie } = await anOwner();
    for (let n = 0; n < LOGIN.attempts + 20; n += 1) await logInFrom('203.0.113.50', email, `${PASSWORD} wrong ${n}`);
    expect(await subjectsOf()).toEqual(Array(MAIL.noticesOfKindPerHour).fill('too many wrong passwords'));
    await send('post', '/auth/api-keys', cookie, { agent_name: 'Scout' });
    expect(await subjectsOf()).toEqual(['a new API key']);
  });

  test('an address that nobody confirmed gets few notices, a confirmed one more', async () => {
    const { owner_id, cookie } = await anOwner();
    const events = withNotices(service.ports, service.ports.settings).securityEvents;
    const source = { request_id: null, network: null, client: 'browser' } as const;
    const kinds = [
      'key_created',
      'password_reset',
      'password_changed',
      'account_suspended',
      'account_resumed',
    ] as const;
    const appendAll = async () => {
      for (const kind of kinds)
        await events.append({ kind, result: 'success', owner_id, actor: null, subject: null, ...source });
    };
    // One of the day was the new sign-in.
    await appendAll();
    expect(await subjectsOf()).toHaveLength(MAIL.unconfirmedPerDay - 1);
    await send('post', '/auth/email/confirmation', cookie);
    await service.ports.owners.confirmEmail(owner_id);
    await appendAll();
    expect((await subjectsOf()).length).toBeGreaterThan(MAIL.unconfirmedPerDay - 1);
  });

  test('a requested removal of the factors has a notice, also for an owner who wants none', async () => {
    const { owner_id, cookie } = await anOwner();
    await send('put', '/preferences', cookie, { notify: { mail: { notices: false } } });
    await service.ports.factors.setRecoveryCodes(owner_id, [Buffer.alloc(32, 7)]);
    const noticing = withNotices({ ...service.ports }, service.ports.settings);
    await requestFactorReset(noticing, owner_id, 'organisation', 'root');
    const [mail] = await service.newMails();
    expect([mail?.headers.subject, mail?.text.includes('root')]).toEqual([
      'Stancebook: your second factors will be removed',
      false,
    ]);
    expect(mail?.text).toContain(`removed in ${FACTOR.resetWait / HOUR} hours`);
    await stopFactorReset(service.ports, owner_id, 'owner', A_SOURCE);
  });

  test('suspension and its end have notices; the address of the operator is in none', async () => {
    const { owner_id } = await anOwner();
    const operators = { ...service.ports, ...service.operators };
    const noticing = withNotices(operators, service.ports.settings);
    await suspendOwner(noticing, owner_id, 'a test', 'root');
    const [mail] = await service.newMails();
    expect([mail?.headers.subject, mail?.text.includes('root')]).toEqual([
      'Stancebook: your account is suspended',
      false,
    ]);
    await resumeOwner(noticing, owner_id, 'root');
    expect(await subjectsOf()).toEqual(['your account is in use again']);
  });

  test('keys that expire soon have one mail', async () => {
    const { owner_id } = await anOwner();
    const expires_at = new Date((await service.ports.clock.now()).getTime() + DAY);
    const keys = [aKeyOf({ owner_id }), aKeyOf({ owner_id })];
    for (const key of keys) await service.ports.apiKeys.add({ ...key, expires_at }, 10);
    for (let n = 0; n < 2; n += 1) await noteExpiringKeys(service.ports);
    const [mail, ...more] = await service.newMails();
    expect([mail?.headers.subject, more]).toEqual(['Stancebook: an API key expires soon', []]);
    for (const { key_prefix } of keys) expect(mail?.text).toContain(key_prefix);
  });

  test('notices are switched off by a preference, and links are not', async () => {
    const { email, cookie } = await anOwner();
    await send('put', '/preferences', cookie, { notify: { mail: { notices: false } } });
    await send('post', '/auth/api-keys', cookie, { agent_name: 'Scout' });
    await logInFrom('203.0.113.99', email);
    expect(await subjectsOf()).toEqual([]);
    await request(service.app).post('/api/v1/public/auth/password-reset').set('host', HOST).send({ email });
    expect(await subjectsOf()).toEqual(['reset your password']);
    await send('put', '/preferences', cookie, { notify: null });
    await send('post', '/auth/api-keys', cookie, { label: 'again' });
    expect(await subjectsOf()).toEqual(['a new API key']);
  });

  test('an action that is undone has no notice', async () => {
    const { owner_id } = await anOwner();
    const undone = service.ports.transaction(async ({ securityEvents }) => {
      const source = { request_id: null, network: null, client: 'browser' } as const;
      const about = { owner_id, actor: null, subject: 'sbk_00000000' };
      await securityEvents.append({ kind: 'key_created', result: 'success', ...about, ...source });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await subjectsOf()).toEqual([]);
  });

  test('an address is confirmed by a link, once; the owner sees it, a key does not', async () => {
    const { email, cookie } = await anOwner();
    const status = async (headers: Record<string, string>) =>
      (
        await request(service.app)
          .get('/api/v1/public/auth/status')
          .set({ ...from('192.0.2.9'), ...headers })
      ).body;
    expect((await status({ cookie })).email_confirmed_at).toBeNull();
    const asked = await send('post', '/auth/email/confirmation', cookie);
    expect([asked.status, asked.body]).toEqual([202, { email, email_confirmed_at: null }]);
    const [mail] = await service.newMails();
    expect(mail?.headers.subject).toBe('Stancebook: confirm your email address');
    const token = tokenIn(mail ?? { text: '' }, 'confirm');
    const confirm = () =>
      request(service.app).post('/api/v1/public/auth/email/confirm').set('host', HOST).send({ token });
    const confirmed = await confirm();
    expect([confirmed.status, (await confirm()).body.error.code]).toEqual([200, 'LINK_INVALID']);
    expect((await status({ cookie })).email_confirmed_at).toBe(confirmed.body.email_confirmed_at);
    const { body: key } = await send('post', '/auth/api-keys', cookie, { agent_name: 'Scout' });
    expect(await status({ 'x-api-key': key.api_key })).not.toHaveProperty('email_confirmed_at');
    await service.newMails();
    const again = await send('post', '/auth/email/confirmation', cookie);
    expect([again.status, again.body.email_confirmed_at]).toEqual([202, confirmed.body.email_confirmed_at]);
    expect(await service.newMails()).toEqual([]);
  });

  test('a link that confirms lasts a day, resets nothing, and a flood of requests is bounded', async () => {
    const { cookie } = await anOwner();
    const asked = [];
    for (let n = 0; n < MAIL.onRequestPerHour + 2; n += 1)
      asked.push((await send('post', '/auth/email/confirmation', cookie)).status);
    expect(asked).toEqual([...Array(MAIL.onRequestPerHour).fill(202), 429, 429]);
    const mails = await service.newMails();
    const token = tokenIn(mails.at(-1) ?? { text: '' }, 'confirm');
    const wrong = await request(service.app)
      .post('/api/v1/public/auth/password-reset/confirm')
      .set('host', HOST)
      .send({ token, new_password: 'five other words, spaced alike' });
    expect(wrong.body.error.code).toBe('LINK_INVALID');
    const now = await service.ports.clock.now();
    await service.arrange.advance(DAY + HOUR);
    const late = await request(service.app).post('/api/v1/public/auth/email/confirm').set('host', HOST).send({ token });
    expect(late.body.error.code).toBe('LINK_INVALID');
    await service.arrange.freeze(now);
  });
});

test('each kind of notice is queued by an event or a sweep', async () => {
  const { NOTICE_OF_EVENT } = await import('../../../domain/mail/notices.ts');
  const ofEvents = Object.values(NOTICE_OF_EVENT).map(({ kind }) => kind);
  expect(new Set([...ofEvents, 'key_expiring'])).toEqual(new Set(NOTICE_KINDS));
});

test('a service without mail queues nothing, and says so where a mail is asked for', async () => {
  const service = await openService('memory', { at: NOON });
  const { email } = await aPasswordOwner(service);
  const login = await request(service.app).post(LOGIN_PATH).send({ email, password: PASSWORD });
  const cookie = [login.headers['set-cookie'] ?? []]
    .flat()
    .map((each: string) => each.replace(/;.*/, ''))
    .join('; ');
  expect(await service.ports.mails.nextDue()).toBeNull();
  const { status, body } = await request(service.app)
    .post('/api/v1/owner/auth/email/confirmation')
    .set({ ...OWN_PAGE, cookie });
  expect([status, body.error.code]).toEqual([503, 'MAIL_NOT_CONFIGURED']);
  await service.close();
});
