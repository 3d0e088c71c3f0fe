import { randomUUID } from 'node:crypto';
import { MINUTE } from '../../../domain/time.ts';
import { PASSWORD } from '../../harness/sessions.ts';
import { ownPasskey, passkeyAssertion, passkeyAttestation } from '../authorisation/passkey-flows.ts';
import { callback, devicePoll, deviceStart, logoutAtProvider } from '../authorisation/provider-flows.ts';
import {
  agent,
  beginApp,
  confirmedApp,
  key,
  linkTo,
  registration,
  SPARE,
  session,
  textOf,
} from '../authorisation/requests.ts';
import { addition, type Operation, operation } from './operation.ts';

/** Of logins, sessions, keys and second factors. */
export const ACCOUNTS: readonly Operation[] = [
  operation('GET /owner/auth/api-keys', 200, 'an account reads'),
  operation(
    'POST /owner/auth/api-keys',
    201,
    { '.': 'an account changes', agent: 'the account changes' },
    (cast, of) =>
      of === 'agent'
        ? { ...agent(cast), body: { agent_id: cast.owner.agent_id, label: SPARE } }
        : { body: { label: SPARE } },
  ),
  operation('DELETE /owner/auth/api-keys/{key_prefix}', 204, { key: 'the account changes' }, key),
  operation('PATCH /owner/auth/api-keys/{key_prefix}', 200, { key: 'the account changes' }, async (cast, of) => ({
    ...(await key(cast, of)),
    body: { permission_mode: 'read_only' },
  })),
  operation(
    'POST /owner/auth/api-keys/{key_prefix}/rotate',
    200,
    { key: 'the account changes', 'unbound-key': 'no account, unbound' },
    key,
  ),
  operation('POST /owner/auth/logout', 204, 'a session'),
  // The sessions of an owner (docs/contract.md).
  addition('POST /owner/auth/reauthenticate', 200, { password: 'a session', '.': 'no session, no password' }, () => ({
    body: { password: PASSWORD },
  })),
  // Second factors (docs/second-factors.md).
  addition('GET /owner/auth/factors', 200, 'an account reads', async (cast) => {
    await confirmedApp(cast);
    return { isOwn: (body) => /"totp":\{/.test(textOf(body)) };
  }),
  addition('POST /owner/auth/factors/totp/confirm', 200, 'the session', async (cast) => ({
    body: { totp: await beginApp(cast) },
  })),
  addition('POST /owner/auth/factors/totp', 201, 'a session'),
  addition('DELETE /owner/auth/factors/totp', 204, 'the session', async (cast) => {
    await confirmedApp(cast);
    return {};
  }),
  addition('DELETE /owner/auth/factors/reset', 204, 'the account changes', async ({ service, owner: { owner_id } }) => {
    const request = { owner_id, evidence: 'known_number', actor: 'a test' } as const;
    await service.ports.factors.requestReset(request, MINUTE);
    return {};
  }),
  addition('POST /owner/auth/factors/recovery-codes', 201, 'the session', async (cast) => {
    await confirmedApp(cast);
    return {};
  }),
  addition('POST /owner/auth/factors/passkeys/options', 200, 'a session'),
  addition('POST /owner/auth/factors/passkeys', 201, 'the session, proven', passkeyAttestation),
  addition('PATCH /owner/auth/factors/passkeys/{passkey_id}', 200, { passkey: 'the session' }, async (cast) => ({
    ...(await ownPasskey(cast)),
    body: { name: randomUUID() },
  })),
  addition('DELETE /owner/auth/factors/passkeys/{passkey_id}', 204, { passkey: 'the session' }, ownPasskey),
  addition(
    'POST /owner/auth/email/confirmation',
    202,
    { password: 'a password account', '.': 'no account, no password' },
    async ({ service: { ports }, owner, other, admin }) => {
      // A confirmed address gets no mail, so that no limit of mails ends the row.
      for (const { account } of [owner, other, admin]) await ports.owners.confirmEmail(account.owner_id);
      return {};
    },
  ),
  addition('GET /owner/auth/sessions', 200, 'an account reads', async (cast) => {
    const { names } = await session(cast);
    return { isOwn: (body) => textOf(body).includes(names?.id ?? '') };
  }),
  addition('DELETE /owner/auth/sessions', 200, 'an account changes'),
  addition('DELETE /owner/auth/sessions/{session_id}', 204, { session: 'the account changes' }, session),
  operation('PUT /owner/password', 204, { password: 'a session', '.': 'no session, no password' }, () => ({
    body: { current_password: PASSWORD, new_password: PASSWORD },
  })),
  operation('GET /public/auth/idp', 302, 'everyone'),
  operation('GET /public/auth/idp/callback', 200, 'everyone', callback),
  // OpenID Connect Back-Channel Logout (docs/identity-provider.md).
  addition('POST /public/auth/idp/backchannel-logout', 200, 'everyone', logoutAtProvider),
  operation('POST /public/auth/idp/device', 200, 'everyone', deviceStart),
  operation('POST /public/auth/idp/device/poll', 200, 'everyone', devicePoll),
  operation('POST /public/auth/login', 200, 'everyone', ({ other }) => ({
    body: { email: other.account.email, password: PASSWORD },
  })),
  // Logins by passkey (docs/second-factors.md).
  addition('POST /public/auth/passkey', 200, 'everyone', passkeyAssertion),
  addition('POST /public/auth/passkey/options', 200, 'everyone'),
  // Links by mail (docs/mail.md).
  addition('POST /public/auth/password-reset', 202, 'everyone', () => ({
    body: { email: `${randomUUID()}@example.com` },
  })),
  addition('POST /public/auth/password-reset/confirm', 200, 'everyone', async (cast) => ({
    body: { token: await linkTo(cast, 'reset'), new_password: `${PASSWORD}, again` },
  })),
  addition('POST /public/auth/email/confirm', 200, 'everyone', async (cast) => ({
    body: { token: await linkTo(cast, 'confirm') },
  })),
  operation('POST /public/auth/quick-setup', 201, 'everyone', registration),
  operation('POST /public/auth/register', 201, 'everyone', registration),
  operation('GET /public/auth/status', 200, 'any credential, own view'),
];
