import { randomUUID } from 'node:crypto';
import { PATHS } from '../../harness/identity/hostile-provider.ts';
import type { Stage } from './party.ts';
import type { Asked } from './wire.ts';

const IDP = '/api/v1/public/auth/idp';

/** The callback of a new user whom the provider has logged in. */
export async function callback({ wire, provider }: Stage): Promise<Asked> {
  const { headers } = await wire.send({ method: 'GET', path: IDP });
  const leads = new URL(headers.location ?? '').searchParams;
  const claims = { sub: randomUUID(), aud: provider.settings.clientId, nonce: leads.get('nonce') };
  const id_token = await provider.sign(claims, { typ: 'JWT' });
  provider.answers.set(PATHS.token, { json: { access_token: 'any', token_type: 'Bearer', id_token } });
  const query = new URLSearchParams({ code: 'any', state: leads.get('state') ?? '' });
  const cookie = headers['set-cookie']?.[0]?.replace(/;.*/, '') ?? '';
  return { method: 'GET', path: `${IDP}/callback?${query}`, headers: { cookie } };
}

export function deviceStart({ provider }: Stage): Asked {
  const verification_uri = 'https://id.example.com/device';
  const json = { device_code: randomUUID(), user_code: 'ABCD', verification_uri, expires_in: 600 };
  provider.answers.set('/device', { json });
  return { method: 'POST', path: `${IDP}/device` };
}

/** The logout of a person whom nobody here knows. */
export async function logoutAtProvider({ provider }: Stage): Promise<Asked> {
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const claims = { sub: randomUUID(), aud: provider.settings.clientId, jti: randomUUID(), events };
  const logout_token = await provider.sign(claims, { typ: 'logout+jwt' });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { method: 'POST', path: `${IDP}/backchannel-logout`, headers, body: `logout_token=${logout_token}` };
}

/** A poll of a sign-in that a new user has approved. */
export async function devicePoll(stage: Stage): Promise<Asked> {
  const { body } = await stage.wire.send(deviceStart(stage));
  const { provider } = stage;
  const claims = { sub: randomUUID(), aud: provider.settings.clientId };
  const id_token = await provider.sign(claims, { typ: 'JWT' });
  provider.answers.set(PATHS.token, { json: { access_token: 'any', token_type: 'Bearer', id_token } });
  return { method: 'POST', path: `${IDP}/device/poll`, body: { device_code: body.device_code } };
}
