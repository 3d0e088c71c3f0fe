import { describe, expect, test } from '@jest/globals';
import { openTotp, sealTotp } from '../../application/accounts/factors/totp-secret.ts';
import { deviceOf, deviceToken } from '../../application/accounts/sign-in/prove-password.ts';
import { openMail, sealMail } from '../../application/mail/queue-mail.ts';
import { openCursor, sealCursor } from '../../application/page-cursor.ts';
import { makeSecret, webhookSecret } from '../../application/webhooks/deliver-webhooks.ts';

const [FIRST, SECOND, THIRD] = ['1'.repeat(32), '2'.repeat(32), '3'.repeat(32)] as const;
const ACCOUNT = { owner_id: 'owner', password_hash: 'hash' };
const MAIL = { to: 'a@example.org', kind: 'confirm_email', facts: {} } as unknown as Parameters<typeof sealMail>[2];

type Opens = (secret: string | readonly [string, ...string[]]) => unknown;

/** What a value of SESSION_SECRET makes, and what opens it. */
const THINGS: readonly (readonly [string, (secret: string | readonly [string, ...string[]]) => Opens])[] = [
  ['the secret of an app', (made) => (secret) => openTotp(secret, 'owner', sealTotp(made, 'owner', 'text'))],
  [
    'the secret of a webhook',
    (made) => {
      const { sealed } = makeSecret(made, 'webhook');
      return (secret) => webhookSecret(secret, 'webhook', sealed);
    },
  ],
  ['a queued mail', (made) => (secret) => openMail(secret, 'mail', sealMail(made, 'mail', MAIL))],
  ['a cursor', (made) => (secret) => openCursor(secret, ['query'], sealCursor(made, ['query'], 'place'))],
  ['a device', (made) => (secret) => deviceOf(secret, ACCOUNT, deviceToken(made, ACCOUNT))],
];

describe.each(THINGS)('%s of a former SESSION_SECRET', (_what, make) => {
  test('opens while that value is named, wherever in the list', () => {
    for (const values of [[FIRST], [SECOND, FIRST], [THIRD, SECOND, FIRST]] as const)
      expect(make(FIRST)([...values])).not.toBeNull();
  });

  test('opens no more without it', () => {
    expect(make(FIRST)([SECOND])).toBeNull();
    expect(make(FIRST)(THIRD)).toBeNull();
  });

  test('is made by the newest value alone', () => {
    const opens = make([SECOND, FIRST]);
    expect([opens(SECOND) === null, opens(FIRST)]).toEqual([false, null]);
  });
});
