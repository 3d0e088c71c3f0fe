import {
  type AcceptPorts,
  acceptLegal,
  readLegalStatus,
  setPreferences,
} from '../../../../application/accounts/own-account.ts';
import { changePassword } from '../../../../application/accounts/sign-in/change-password.ts';
import type { LoginPorts } from '../../../../application/accounts/sign-in/log-in.ts';
import type { Ports } from '../../../../application/ports.ts';
import { LOGIN } from '../../../../domain/limits.ts';
import { MINUTE } from '../../../../domain/time.ts';
import { deviceCookie } from '../../kit/caller/credentials.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { passwordChange, passwordChanged } from '../../shapes/accounts/accounts.ts';
import { legalAcceptance, legalStatus, preferences, preferencesPatch } from '../../shapes/accounts/owner-settings.ts';
import { loginCookies } from '../public/auth/login.ts';

export function settingsEndpoints(ports: Ports): readonly Endpoint[] {
  return [legalStatusEndpoint(ports), acceptLegalEndpoint(ports), preferencesEndpoint(ports)];
}

const current = { terms_version: '1.0', privacy_version: '1.0' };

const STATUS_REPLY = {
  description: 'The versions accepted last, and the current versions.',
  schema: legalStatus,
  example: {
    accepted: { ...current, source: 'dashboard', accepted_at: new Date('2026-01-30T14:30:00.000Z') },
    current,
    up_to_date: true,
  },
};

const legalStatusEndpoint = (ports: Pick<Ports, 'profiles' | 'settings'>) =>
  endpoint({
    id: 'readLegalStatus',
    method: 'GET',
    path: '/api/v1/owner/legal-status',
    summary: 'Read which terms you accepted',
    description:
      'Shows the current versions of the terms and of the privacy notice, and the versions that you accepted last.',
    tag: 'Accounts',
    auth: ['owner_bearer', 'legacy_session'],
    replies: { 200: STATUS_REPLY },
    problems: [],
    handle: async ({ caller }) => ({ status: 200, body: await readLegalStatus(ports, caller.owner_id) }),
  });

const acceptLegalEndpoint = (ports: AcceptPorts) =>
  endpoint({
    id: 'acceptLegal',
    method: 'POST',
    path: '/api/v1/owner/legal-acceptance',
    summary: 'Accept the terms',
    description:
      'Records that you accepted these versions; earlier acceptances remain. An older version that is ' +
      'still published can be accepted too; `up_to_date` is then false.',
    tag: 'Accounts',
    auth: ['owner_bearer', 'legacy_session'],
    body: { schema: legalAcceptance, example: { ...current, source: 'dashboard' } },
    replies: { 200: STATUS_REPLY },
    problems: ['UNKNOWN_LEGAL_VERSION', 'DAILY_QUOTA_EXCEEDED'],
    handle: async ({ caller: { owner_id }, body, network }) => ({
      status: 200,
      body: await acceptLegal(ports, { owner_id, network }, body),
    }),
  });

const preferencesEndpoint = (ports: Pick<Ports, 'transaction'>) =>
  endpoint({
    id: 'setPreferences',
    method: 'PUT',
    path: '/api/v1/owner/preferences',
    summary: 'Set preferences',
    description:
      'Merges the body into your preferences by RFC 7396 (JSON merge patch): null removes a member, objects are merged ' +
      'at every level, everything else is replaced. At most 8 KiB are stored. `{}` changes nothing and returns them.',
    tag: 'Accounts',
    auth: ['owner_bearer', 'legacy_session'],
    body: {
      schema: preferencesPatch,
      example: { timezone: 'Europe/Berlin', display_name: null, notify: { digest: { weekly: true } } },
    },
    replies: {
      200: {
        description: 'The merged preferences.',
        schema: preferences,
        example: { timezone: 'Europe/Berlin', locale: 'en-GB', notify: { digest: { weekly: true } } },
      },
    },
    problems: [],
    handle: async ({ caller, body }) => ({ status: 200, body: await setPreferences(ports, caller.owner_id, body) }),
  });

const headers = { 'set-cookie': 'The cookies of the new session and of the device, as a login sets them.' };

export const changePasswordEndpoint = (ports: LoginPorts) =>
  endpoint({
    id: 'changePassword',
    method: 'PUT',
    path: '/api/v1/owner/password',
    summary: 'Change the password',
    description:
      'Replaces the password and ends all your sessions; the reply sets the cookie of a new one. API keys stay valid ' +
      'unless `revoke_keys` is true. Wrong ' +
      `current passwords count as failed logins: after ${LOGIN.attempts} within ${LOGIN.window / MINUTE} minutes the reply is ` +
      'RATE_LIMIT_EXCEEDED.',
    tag: 'Accounts',
    auth: ['legacy_session'],
    body: {
      schema: passwordChange,
      example: { current_password: 'four plain words, spaced', new_password: 'five other words, spaced alike' },
    },
    replies: {
      200: {
        description: 'With `revoke_keys`: the password is changed, and all sessions and API keys have ended.',
        schema: passwordChanged,
        example: { keys_revoked: 3 },
        headers,
      },
      204: { description: 'The password is changed, and all earlier sessions have ended.', headers },
    },
    problems: ['WEAK_PASSWORD', 'INVALID_CREDENTIALS', 'PASSWORDLESS_ACCOUNT', 'NOT_FOUND'],
    async handle({ caller, credential, body, network, source, cookie, sessionCookie: name }) {
      const client = { network, source, session: credential?.secret ?? '', device: cookie(deviceCookie(name)) };
      const { keys_revoked, ...login } = await changePassword(ports, caller.owner_id, body, client);
      const setting = loginCookies(name, login);
      return body.revoke_keys
        ? { status: 200, headers: setting, body: { keys_revoked } }
        : { status: 204, headers: setting };
    },
  });
