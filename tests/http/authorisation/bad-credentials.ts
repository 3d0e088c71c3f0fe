import { randomBytes } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { issueKey } from '../../../application/accounts/keys/issue-key.ts';
import { revokeKey, rotateKey } from '../../../application/accounts/keys/manage-keys.ts';
import { deleteOwner } from '../../../application/accounts/operators/delete-owner.ts';
import { logOut } from '../../../application/accounts/sign-in/sessions.ts';
import { type KeyBounds, makeApiKey } from '../../../domain/accounts/keys/api-key.ts';
import { HOUR, SECOND } from '../../../domain/time.ts';
import { A_CLIENT, A_SOURCE } from '../../builders/accounts.ts';
import { makeSigningKey } from '../../harness/identity/hostile-provider.ts';
import { byBearer, byKey, bySession } from './credentials.ts';
import { aParty, type KeyOf, type Party, type Stage } from './party.ts';
import type { Headers } from './wire.ts';

/** Keys that their bounds refuse, and the refusal where keys are accepted. */
export const BARRED_KEYS: ReadonlyMap<string, readonly [status: number, code: string]> = new Map([
  ['an expired key', [401, 'KEY_EXPIRED']],
  ['a key of other networks', [403, 'KEY_NETWORK_REFUSED']],
]);

type Named = Readonly<Record<string, Headers>>;

export interface Past {
  readonly owner: Party;
  /** The id of a session that has been idle for too long. */
  readonly asleep: string;
}

/** Invalid credentials of each kind, by the fault in them. */
export async function badCredentials(stage: Stage, past: Past): Promise<Named> {
  return { ...(await badKeys(stage, past)), ...(await badBearers(stage)), ...(await badSessions(stage, past)) };
}

async function badKeys(stage: Stage, { owner }: Past): Promise<Named> {
  const { ports } = stage.service;
  const { owner_id } = owner;
  const [revoked, rotated] = [await aKey(stage, owner), await aKey(stage, owner)];
  await revokeKey(ports, owner_id, revoked.key_prefix, A_SOURCE);
  await rotateKey(ports, owner_id, rotated.key_prefix, A_CLIENT, async () => undefined);
  const gone = await aParty(stage, 'somebody who left');
  await deleteOwner(stage.service.operators, gone.owner_id, 'test');
  return {
    'an empty key': byKey(''),
    'a malformed key': byKey('sbk_nonsense'),
    'a key that was cut': byKey(owner.keys.read_write.api_key.slice(0, -1)),
    'a key that never was': byKey(makeApiKey(randomBytes).key),
    'a revoked key': byKey(revoked.api_key),
    'a rotated key': byKey(rotated.api_key),
    'an expired key': byKey((await aKey(stage, owner, { expires_at: await ports.clock.now() })).api_key),
    'a key of other networks': byKey((await aKey(stage, owner, { allowed_networks: ['192.0.2.0/24'] })).api_key),
    'the key of a removed owner': byKey(gone.keys.read_write.api_key),
  };
}

async function aKey(
  { service: { ports } }: Stage,
  { owner_id, agent_id }: Party,
  bounds: Partial<KeyBounds> = {},
): Promise<KeyOf> {
  const created_at = await ports.clock.now();
  return issueKey(
    ports,
    { owner_id, tier: 'pro' },
    { agent_id, permission_mode: 'read_write', label: null, created_at, ...bounds },
    A_SOURCE,
  );
}

/** Invalid tokens that claim to be of the owner. */
async function badBearers({ provider }: Stage): Promise<Named> {
  const { sign, settings } = provider;
  const tokenWith = async (claims: JWTPayload) => byBearer(await sign({ sub: 'owner', ...claims }));
  const anHourAgo = Math.floor((Date.now() - HOUR) / SECOND);
  const stranger = await makeSigningKey('RS256', provider.key.kid);
  const good = await sign({ sub: 'owner' });
  const [, claims] = good.split('.');
  const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
  return {
    'an empty bearer': { authorization: 'Bearer' },
    'a malformed bearer': byBearer('not.a.token'),
    'an expired bearer': await tokenWith({ iat: anHourAgo - 60, exp: anHourAgo }),
    'a bearer of later': await tokenWith({ nbf: anHourAgo + 7_200 }),
    'a bearer of another issuer': await tokenWith({ iss: 'https://other.example.com' }),
    'a bearer for another audience': await tokenWith({ aud: 'https://other.example.com' }),
    'an id token': byBearer(await sign({ sub: 'owner', aud: settings.clientId }, { typ: 'JWT' })),
    "a bearer that another's key has signed": byBearer(await sign({ sub: 'owner' }, { key: stranger })),
    'an unsigned bearer': byBearer(`${unsigned}.${claims}.`),
    'a bearer and a key in its place': byKey(good),
  };
}

async function badSessions(stage: Stage, { owner, asleep }: Past): Promise<Named> {
  const { ports } = stage.service;
  const ended = await owner.session();
  await logOut(ports, owner.owner_id, ended, A_SOURCE);
  const gone = await aParty(stage, 'somebody else who left');
  const left = await gone.session();
  await deleteOwner(stage.service.operators, gone.owner_id, 'test');
  return {
    'a malformed session': bySession('made-up'),
    'a session that never was': bySession(randomBytes(32).toString('base64url')),
    'a session that was idle for too long': bySession(asleep),
    'a session that has logged out': bySession(ended),
    'the session of a removed owner': bySession(left),
  };
}
