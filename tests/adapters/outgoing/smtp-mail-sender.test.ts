import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type SmtpSurroundings, smtpMailSender } from '../../../adapters/outgoing/smtp-mail-sender.ts';
import type { OutgoingMail } from '../../../domain/mail/mail.ts';
import { type Mailbox, type MailboxOptions, openMailbox } from '../../harness/mailbox.ts';
import { certificateFor } from '../../harness/outgoing/certificate.ts';
import { PYTHON } from '../../harness/python.ts';

const FROM = { name: 'Stancebook, "of tests"', address: 'stancebook@example.com' };
const { cert, key } = certificateFor(['localhost', '127.0.0.1']);
const notOwn = () => false;

let mailbox: Mailbox | null = null;
afterEach(async () => {
  await mailbox?.close();
  mailbox = null;
});

function aMail(changes: Partial<OutgoingMail> = {}): OutgoingMail {
  return {
    mail_id: randomUUID(),
    to: 'ada@example.com',
    subject: 'Stancebook: reset your password',
    text: `Open this page:\n\nhttps://a.rather.long.name.of.a.host.in.the.example/and/so/on/#/reset/${'x'.repeat(43)}\n\n.\nA line with a dot before it.\n`,
    date: new Date('2026-01-30T14:30:00Z'),
    ...changes,
  };
}

async function senderTo(options: MailboxOptions, scheme: string, surroundings: SmtpSurroundings = {}, user = '') {
  mailbox = await openMailbox(options);
  return smtpMailSender({ url: `${scheme}://${user}localhost:${mailbox.port}`, from: FROM }, surroundings);
}

describe('a mail', () => {
  test('arrives with the headers of an automatic mail, and is read by another implementation', async () => {
    const sender = await senderTo({}, 'smtp');
    const mail = aMail();
    expect(await sender.send(mail)).toEqual({ outcome: 'accepted' });
    expect(mailbox?.mails).toMatchObject([{ from: FROM.address, to: ['ada@example.com'], text: mail.text }]);
    const read = JSON.parse(
      execFileSync(PYTHON, ['-c', READ_MAIL], { input: mailbox?.mails[0]?.raw ?? '' }).toString(),
    );
    expect(read).toEqual({
      from: [[FROM.name, FROM.address]],
      to: [['', mail.to]],
      subject: mail.subject,
      auto: 'auto-generated',
      id: `<${mail.mail_id}@example.com>`,
      date: '2026-01-30T14:30:00+00:00',
      type: 'text/plain',
      text: mail.text,
      defects: 0,
    });
  });

  test('of the same id has the same Message-ID when it is sent again', async () => {
    const sender = await senderTo({}, 'smtp');
    const mail = aMail();
    for (let n = 0; n < 2; n += 1) await sender.send(mail);
    const [first, second] = mailbox?.mails ?? [];
    expect(first?.headers['message-id']).toBe(second?.headers['message-id']);
  });

  test.each([
    ['to', { to: 'ada@example.com\r\nBcc: eve@example.com' }],
    ['subject', { subject: 'Hello\nBcc: eve@example.com' }],
  ])('with a line end in its %s is not sent', async (_, changes) => {
    const sender = await senderTo({}, 'smtp');
    expect(await sender.send(aMail(changes))).toEqual({ outcome: 'failed', reason: 'internal' });
    expect(mailbox?.mails).toEqual([]);
  });

  test('has one recipient, whatever the address looks like', async () => {
    const sender = await senderTo({}, 'smtp');
    await sender.send(aMail({ to: '"a, b"@example.com' }));
    await sender.send(aMail({ to: 'ada@example.com, eve@example.com' }));
    for (const { to } of mailbox?.mails ?? []) expect(to).toHaveLength(1);
    expect(mailbox?.mails.flatMap(({ to }) => to)).not.toContain('eve@example.com');
  });
});

describe('TLS', () => {
  test('smtps: the password and the mail go over TLS', async () => {
    const sender = await senderTo({ secure: true, cert, key }, 'smtps', { ca: cert }, 'user%40x:pass%2Fword@');
    expect(await sender.send(aMail())).toEqual({ outcome: 'accepted' });
    expect(mailbox?.mails).toMatchObject([{ secure: true, user: 'user@x' }]);
  });

  test('smtps: a certificate of an unknown authority is refused', async () => {
    const sender = await senderTo({ secure: true, cert, key }, 'smtps');
    expect(await sender.send(aMail())).toEqual({ outcome: 'failed', reason: 'tls_failed' });
  });

  test('smtps: a certificate for another host is refused', async () => {
    const other = certificateFor(['mail.example.com']);
    const sender = await senderTo({ secure: true, ...other }, 'smtps', { ca: other.cert });
    expect(await sender.send(aMail())).toEqual({ outcome: 'failed', reason: 'tls_failed' });
  });

  test('smtp to another host: STARTTLS comes before the password and the mail', async () => {
    const sender = await senderTo({ cert, key }, 'smtp', { ca: cert, isOwn: notOwn }, 'user:password@');
    expect(await sender.send(aMail())).toEqual({ outcome: 'accepted' });
    expect(mailbox?.mails).toMatchObject([{ secure: true, user: 'user' }]);
  });

  test.each([
    ['no STARTTLS', { hideSTARTTLS: true, disabledCommands: ['STARTTLS'], allowInsecureAuth: true }],
    ['a certificate of an unknown authority', { cert, key }],
  ])('smtp to another host with %s gets neither', async (_, options) => {
    const users: unknown[] = [];
    const onAuth: MailboxOptions['onAuth'] = ({ username }, _session, done) => {
      users.push(username);
      done(null, { user: username });
    };
    const sender = await senderTo({ ...options, onAuth }, 'smtp', { isOwn: notOwn }, 'user:password@');
    expect(await sender.send(aMail())).toMatchObject({ outcome: 'failed' });
    expect([users, mailbox?.mails]).toEqual([[], []]);
  });

  test('smtp to this machine needs none', async () => {
    const options = { hideSTARTTLS: true, disabledCommands: ['STARTTLS', 'AUTH'] };
    const sender = await senderTo(options, 'smtp');
    expect(await sender.send(aMail())).toEqual({ outcome: 'accepted' });
    expect(mailbox?.mails).toMatchObject([{ secure: false }]);
  });
});

describe('a server that does not take the mail', () => {
  const refusing = (code: number) => Object.assign(new Error('No.'), { responseCode: code });

  test.each([
    [550, 'recipient_refused'],
    [450, 'try_later'],
  ])('refuses the recipient with %d: %s', async (code, reason) => {
    const sender = await senderTo({ onRcptTo: (_to, _session, done) => done(refusing(code)) }, 'smtp');
    expect(await sender.send(aMail())).toEqual({ outcome: 'failed', reason });
  });

  test.each([554, 451])('refuses the content with %d: it is sent again later', async (code) => {
    const sender = await senderTo({ refuseContent: () => ({ code }) }, 'smtp');
    expect(await sender.send(aMail())).toEqual({ outcome: 'failed', reason: 'try_later' });
  });

  test('refuses the password', async () => {
    const onAuth: MailboxOptions['onAuth'] = (_auth, _session, done) => done(refusing(535));
    const sender = await senderTo({ onAuth }, 'smtp', {}, 'user:password@');
    expect(await sender.send(aMail())).toEqual({ outcome: 'failed', reason: 'login_failed' });
    expect(await sender.check()).toBe('login_failed');
  });

  test('is not there', async () => {
    const sender = await senderTo({}, 'smtp');
    await mailbox?.close();
    expect(await sender.send(aMail())).toEqual({ outcome: 'failed', reason: 'connection_failed' });
    expect(await sender.check()).toBe('connection_failed');
  });

  test('says nothing', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { readonly port: number };
    const sender = smtpMailSender({ url: `smtp://127.0.0.1:${port}`, from: FROM }, { deadline: 200 });
    expect(await sender.send(aMail())).toEqual({ outcome: 'failed', reason: 'timed_out' });
    silent.close();
  });
});

test('a check logs in and sends nothing', async () => {
  const sender = await senderTo({}, 'smtp', {}, 'user:password@');
  expect(await sender.check()).toBeNull();
  expect(mailbox?.mails).toEqual([]);
});

const READ_MAIL = `
import sys, json, email, email.policy
from email.utils import parsedate_to_datetime
m = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
names = lambda h: [[a.display_name, a.addr_spec] for a in m[h].addresses]
print(json.dumps({
  'from': names('From'), 'to': names('To'), 'subject': m['Subject'], 'auto': m['Auto-Submitted'],
  'id': m['Message-ID'], 'date': parsedate_to_datetime(m['Date']).isoformat(), 'type': m.get_content_type(),
  'text': m.get_content().replace('\\r\\n', '\\n'), 'defects': len(m.defects)}))
`;
