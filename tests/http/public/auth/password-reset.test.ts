import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { sealTotp } from '../../../../application/accounts/factors/totp-secret.ts';
import { suspendOwner } from '../../../../application/accounts/operators/owner-changes.ts';
import { resetPassword } from '../../../../application/accounts/operators/reset-access.ts';
import { sendMails } from '../../../../application/mail/send-mails.ts';
import { MAIL } from '../../../../domain/limits.ts';
import { HOUR, MINUTE } from '../../../../domain/time.ts';
import { race } from '../../../contracts/adapters.ts';
import { tokenIn } from '../../../harness/mailbox.ts';
import { type MailingService, openMailingService, PUBLIC_URL } from '../../../harness/mails.ts';
import { openService, STORAGES } from '../../../harness/service.ts';
import { aPasswordOwner, logIn, OWN_PAGE, PASSWORD } from '../../../harness/sessions.ts';

const RESET = '/api/v1/public/auth/password-reset';
const CONFIRM = `${RESET}/confirm`;
const NOON = new Date('2026-03-02T12:00:00.000Z');
const NEXT = 'five other words, spaced alike';
const HOST = new URL(PUBLIC_URL).host;

describe.each(STORAGES)('a reset of the password, on %s', (storage) => {
  let service: MailingService;
  beforeAll(async () => {
    service = await openMailingService(storage, { at: NOON });
  });
  afterAll(() => service.close());

  const post = (path: string, body: object) =>
    request(service.app).post(path).set('host', HOST).set('user-agent', 'curl/8').send(body);
  const ask = (email: string) => post(RESET, { email });
  const confirm = (token: string, more: object = {}) => post(CONFIRM, { token, new_password: NEXT, ...more });
  const mailsTo = async (email: string) => (await service.newMails()).filter(({ to }) => to.includes(email));
  /** The token of the link that was mailed for a request. */
  const linkFor = async (email: string) => {
    await ask(email);
    const [mail] = (await mailsTo(email)).filter(({ text }) => text.includes('/#/reset/'));
    return tokenIn(mail ?? { text: '' }, 'reset');
  };
  const passwordIs = async (email: string, password: string) =>
    (await request(service.app).post('/api/v1/public/auth/login').set('host', HOST).send({ email, password }))
      .status === 200;

  test('a link is mailed, which replaces the password once, ends all sessions and begins none', async () => {
    const { email, cookie } = await anOwnerLoggedInAt(service);
    await service.newMails();
    const asked = await ask(email);
    expect([asked.status, asked.body]).toEqual([202, { accepted: true }]);
    const [mail] = await mailsTo(email);
    expect(mail?.headers).toMatchObject({
      subject: 'Stancebook: reset your password',
      'auto-submitted': 'auto-generated',
      'content-type': 'text/plain; charset=utf-8',
    });
    expect(mail?.text).toContain('until 2026-03-02 13:00 UTC');
    const token = tokenIn(mail ?? { text: '' }, 'reset');
    const done = await confirm(token);
    expect([done.status, done.body, done.headers['set-cookie']]).toEqual([
      200,
      { sessions_ended: 1, keys_revoked: 0 },
      undefined,
    ]);
    expect(
      (await request(service.app).get('/api/v1/owner/dashboard').set('host', HOST).set('cookie', cookie)).status,
    ).toBe(401);
    expect([await passwordIs(email, PASSWORD), await passwordIs(email, NEXT)]).toEqual([false, true]);
    const again = await confirm(token);
    expect([again.status, again.body.error.code]).toEqual([400, 'LINK_INVALID']);
  });

  test('of 20 uses of a link at once, one succeeds', async () => {
    const { email } = await aPasswordOwner(service);
    const token = await linkFor(email);
    const used = await race(20, (n) => confirm(token, { new_password: `${NEXT} of the worker ${n}` }));
    expect(used.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(400)]);
    const winner = used.findIndex(({ status }) => status === 200);
    expect(await passwordIs(email, `${NEXT} of the worker ${winner}`)).toBe(true);
  });

  test('a link is void after another change of the password', async () => {
    const { owner_id, email } = await aPasswordOwner(service);
    const token = await linkFor(email);
    await resetPassword({ ...service.ports, ...service.operators }, owner_id, 'a password of the operator', 'test');
    expect((await confirm(token)).body.error.code).toBe('LINK_INVALID');
  });

  test('a link is void after a newer one, its hour, a suspension and a deletion', async () => {
    const { email } = await aPasswordOwner(service);
    const [first, second] = [await linkFor(email), await linkFor(email)];
    expect((await confirm(first)).status).toBe(400);
    await service.arrange.advance(HOUR);
    expect((await confirm(second)).status).toBe(400);

    const suspended = await aPasswordOwner(service);
    const third = await linkFor(suspended.email);
    await suspendOwner(service.operators, suspended.owner_id, 'a test', 'test');
    expect((await confirm(third)).status).toBe(400);

    const deleted = await aPasswordOwner(service);
    const fourth = await linkFor(deleted.email);
    await service.operators.ownerAdministration.remove(deleted.owner_id);
    expect((await confirm(fourth)).status).toBe(400);
  });

  test('an address without an account, of a suspended one, or without a password gets the same reply and no mail', async () => {
    const { email, owner_id } = await aPasswordOwner(service);
    await suspendOwner(service.operators, owner_id, 'a test', 'test');
    await service.newMails();
    for (const each of [email, 'nobody@example.com']) {
      const { status, body } = await ask(each);
      expect([status, body]).toEqual([202, { accepted: true }]);
    }
    expect(await service.newMails()).toEqual([]);
  });

  test('a request does the same work whether the address has an account or not', async () => {
    const { email } = await aPasswordOwner(service);
    const of = async (address: string) => {
      const before = await service.ports.mails.backlog();
      await ask(address);
      const { due } = await service.ports.mails.backlog();
      return due - before.due;
    };
    await service.newMails();
    expect([await of(email), await of('stranger@example.com')]).toEqual([1, 1]);
    await service.newMails();
  });

  test('a flood of requests for an address sends as many mails as the limit, and other addresses get theirs', async () => {
    const { email } = await aPasswordOwner(service);
    const other = await aPasswordOwner(service);
    await service.newMails();
    const asked = await race(20, () => ask(email));
    const refused = asked.filter(({ status }) => status === 429);
    expect(asked.filter(({ status }) => status === 202)).toHaveLength(MAIL.onRequestPerHour);
    expect(refused[0]?.body.error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retry_after_seconds: 3_600 });
    expect(await mailsTo(email)).toHaveLength(MAIL.onRequestPerHour);
    await ask(other.email);
    expect(await mailsTo(other.email)).toHaveLength(1);
    await service.arrange.advance(HOUR);
    expect((await ask(email)).status).toBe(202);
    expect(await mailsTo(email)).toHaveLength(1);
  });

  test('a flood for an address without an account is refused alike', async () => {
    const asked = await race(20, () => ask('flooded@example.com'));
    expect(asked.filter(({ status }) => status === 202)).toHaveLength(MAIL.onRequestPerHour);
    expect(await service.newMails()).toEqual([]);
  });

  test('keys stay, and end with revoke_keys', async () => {
    const { email, cookie } = await anOwnerLoggedInAt(service);
    const made = await request(service.app)
      .post('/api/v1/owner/auth/api-keys')
      .set({ ...OWN_PAGE, host: HOST, cookie })
      .send({ agent_name: 'Scout' });
    const works = async () =>
      (await request(service.app).get('/api/v1/public/auth/status').set({ host: HOST, 'x-api-key': made.body.api_key }))
        .status === 200;
    expect((await confirm(await linkFor(email))).body.keys_revoked).toBe(0);
    expect(await works()).toBe(true);
    const again = await confirm(await linkFor(email), { revoke_keys: true, new_password: `${NEXT} again` });
    expect([again.body.keys_revoked, await works()]).toEqual([1, false]);
  });

  test('a reset bypasses no second factor: the login after it asks for a code', async () => {
    const { email, owner_id } = await aPasswordOwner(service);
    const sealed = sealTotp(service.ports.settings.sessionSecret, owner_id, service.ports.oneTimeCodes.newSecret());
    await service.ports.factors.beginTotp(owner_id, sealed);
    await service.ports.factors.confirmTotp(owner_id, sealed, 1, MINUTE);
    const done = await confirm(await linkFor(email));
    expect([done.status, done.headers['set-cookie']]).toEqual([200, undefined]);
    const login = await request(service.app)
      .post('/api/v1/public/auth/login')
      .set('host', HOST)
      .send({ email, password: NEXT });
    expect([login.status, login.body.error.code]).toEqual([401, 'SECOND_FACTOR_REQUIRED']);
  });

  test('a weak password is refused, and the link stays', async () => {
    const { email } = await aPasswordOwner(service);
    const token = await linkFor(email);
    expect((await confirm(token, { new_password: 'password1234' })).body.error.code).toBe('WEAK_PASSWORD');
    expect((await confirm(token)).status).toBe(200);
  });

  test('a reset by mail confirms the address, and is among the security events with its request', async () => {
    const { email, owner_id } = await aPasswordOwner(service);
    await confirm(await linkFor(email));
    expect((await service.ports.owners.find(owner_id))?.email_confirmed_at).not.toBeNull();
    const events = await service.ports.securityEvents.list({ owner_id }, null, 10);
    expect(events.map(({ kind, result, client }) => `${kind} ${result} ${client}`)).toEqual(
      expect.arrayContaining(['password_reset success curl', 'password_reset_requested success curl']),
    );
  });

  test('the mail goes to the address of the account, however the request spells it', async () => {
    const { email } = await aPasswordOwner(service);
    await service.newMails();
    await ask(email.toUpperCase());
    const mails = await service.newMails();
    expect(mails.flatMap(({ to }) => to)).toEqual([email]);
  });

  test('no log line has an address, a token or the password of the mail server', async () => {
    const { email } = await aPasswordOwner(service);
    const token = await linkFor(email);
    await confirm(token);
    const log = service.log.join('\n');
    for (const secret of [email, token, 'mail-password']) expect(log).not.toContain(secret);
  });

  test('no row has an address or a token in the clear', async () => {
    const { email, owner_id } = await aPasswordOwner(service);
    await ask(email);
    const token = await linkFor(email);
    const account = await service.ports.ownerData.account(owner_id);
    const { owner: _, ...rows } = account?.rows ?? {};
    const text = JSON.stringify(rows);
    for (const secret of [email, token]) expect(text).not.toContain(secret);
    expect(text).toContain('password_reset');
  });
});

describe('a mail server that is down', () => {
  test('the mail is sent when it is up again, with the same link; an hour later it is given up', async () => {
    let isDown = true;
    const refuseContent = () => (isDown ? { code: 451 } : null);
    const service = await openMailingService('memory', { at: NOON }, { refuseContent });
    const { email } = await aPasswordOwner(service);
    await request(service.app).post(RESET).set('host', HOST).send({ email });
    expect(await service.newMails()).toEqual([]);
    await service.arrange.advance(10 * MINUTE);
    expect(await service.newMails()).toEqual([]);
    isDown = false;
    await service.arrange.advance(10 * MINUTE);
    const [mail, ...more] = await service.newMails();
    expect([mail?.to, more]).toEqual([[email], []]);

    isDown = true;
    await request(service.app).post(RESET).set('host', HOST).send({ email });
    for (let n = 0; n < 10; n += 1) {
      await service.newMails();
      await service.arrange.advance(10 * MINUTE);
    }
    isDown = false;
    expect([await service.newMails(), await sendMails(service.ports)]).toEqual([[], null]);
    await service.close();
  });
});

test('a service without mail says so, and a link of the operator still works', async () => {
  const service = await openService('memory', { at: NOON });
  const { status, body } = await request(service.app).post(RESET).send({ email: 'ada@example.com' });
  expect([status, body.error]).toMatchObject([503, { code: 'MAIL_NOT_CONFIGURED', category: 'service_degraded' }]);
  expect(await sendMails(service.ports)).toBeNull();
  await service.close();
});

async function anOwnerLoggedInAt(service: MailingService) {
  const owner = await aPasswordOwner(service);
  const { headers } = await logIn(service, owner.email, { host: HOST });
  const cookies = [headers['set-cookie'] ?? []].flat().map((each: string) => each.replace(/;.*/, ''));
  return { ...owner, cookie: cookies.join('; ') };
}
