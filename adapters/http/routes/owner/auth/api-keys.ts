import { type BoundKey, createKey } from '../../../../../application/accounts/keys/create-key.ts';
import { changeKey, revokeKey, rotateKey } from '../../../../../application/accounts/keys/manage-keys.ts';
import { recentLoginBy } from '../../../../../application/accounts/sign-in/recent-login.ts';
import type { Ports } from '../../../../../application/ports.ts';
import { TIERS } from '../../../../../domain/caller.ts';
import { TIER_LIMITS } from '../../../../../domain/limits.ts';
import { type Endpoint, endpoint } from '../../../kit/endpoint.ts';
import {
  createdKey,
  createdKeyExample,
  createKeyRequest,
  keyInfo,
  keyInfoExample,
  keyList,
  keyPath,
  updateKeyRequest,
} from '../../../shapes/accounts/api-keys.ts';
import { membersOf } from '../../../shapes/texts.ts';

export function keyEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    listKeysEndpoint(ports),
    createKeyEndpoint(ports),
    updateKeyEndpoint(ports),
    revokeKeyEndpoint(ports),
    rotateKeyEndpoint(ports),
  ];
}

const tag = 'API keys';
const auth = ['owner_bearer', 'legacy_session'] as const;
const ALL_KEYS = '/api/v1/owner/auth/api-keys';
const ONE_KEY = `${ALL_KEYS}/{key_prefix}` as const;
const perTier = TIERS.map((tier) => `${tier} ${TIER_LIMITS[tier].keys} and ${TIER_LIMITS[tier].agents}`).join(', ');

type KeyPorts = Pick<Ports, 'transaction' | 'clock'>;
type ProvenPorts = KeyPorts & Pick<Ports, 'identityProvider' | 'settings'>;

const RECENTLY = 'It needs a recent login: otherwise the reply is REAUTHENTICATION_REQUIRED.';

function listKeysEndpoint({ apiKeys }: Pick<Ports, 'apiKeys'>) {
  return endpoint({
    id: 'listKeys',
    method: 'GET',
    path: ALL_KEYS,
    summary: 'List your API keys',
    description:
      'Lists the prefixes of your keys, the oldest first, never the keys themselves. Revoked keys are not listed.',
    tag,
    auth,
    replies: {
      200: {
        description: 'All keys: `next_cursor` is always null.',
        schema: keyList,
        example: { items: [keyInfoExample], next_cursor: null },
      },
    },
    problems: [],
    async handle({ caller }) {
      return { status: 200, body: { items: await apiKeys.list(caller.owner_id), next_cursor: null } };
    },
  });
}

function createKeyEndpoint(ports: ProvenPorts) {
  return endpoint({
    id: 'createKey',
    method: 'POST',
    path: ALL_KEYS,
    summary: 'Create an API key',
    description:
      'For an agent of yours (`agent_id`) or for a new one (`agent_name`, else named by the label). Your tier limits keys and ' +
      `agents: ${perTier}. ${RECENTLY}`,
    tag,
    grows: true,
    auth,
    body: { schema: createKeyRequest, example: { agent_name: 'Momentum scout', permission_mode: 'read_write' } },
    replies: {
      201: { description: 'The key, shown only once.', schema: createdKey, example: createdKeyExample },
    },
    problems: [
      ...(['REAUTHENTICATION_REQUIRED', 'NOT_FOUND', 'AGENT_ARCHIVED', 'ERASURE_SCHEDULED'] as const),
      ...(['TIER_LIMIT_REACHED', 'DAILY_QUOTA_EXCEEDED'] as const),
    ],
    async handle({ caller, credential, body, network, source }) {
      const confirmLogin = await recentLoginBy(ports, credential);
      return { status: 201, body: shownOnce(await createKey(ports, caller, body, { network, source }, confirmLogin)) };
    },
  });
}

function updateKeyEndpoint(ports: ProvenPorts) {
  return endpoint({
    id: 'updateKey',
    method: 'PATCH',
    path: ONE_KEY,
    summary: 'Change what a key may do, or from where',
    description:
      'Applies to every request that authenticates after the reply. `read_write` and networks need a recent login: ' +
      'otherwise the reply is REAUTHENTICATION_REQUIRED.',
    tag,
    auth,
    params: keyPath,
    body: { schema: updateKeyRequest, example: { permission_mode: 'read_only' } },
    replies: {
      200: { description: 'The key as it is now.', schema: keyInfo, example: keyInfoExample },
    },
    problems: ['REAUTHENTICATION_REQUIRED', 'NOT_FOUND', 'DAILY_QUOTA_EXCEEDED'],
    async handle({ caller, credential, params, body, network, source }) {
      const [confirmLogin, { key_prefix }] = [await recentLoginBy(ports, credential), params];
      const client = { network, source };
      const key = await changeKey(ports, caller.owner_id, key_prefix, body, client, confirmLogin);
      return { status: 200, body: key };
    },
  });
}

function revokeKeyEndpoint(ports: KeyPorts) {
  return endpoint({
    id: 'revokeKey',
    method: 'DELETE',
    path: ONE_KEY,
    summary: 'Revoke a key',
    description:
      'Takes effect at once and for good: no request that authenticates with the key after the reply is accepted.',
    tag,
    auth,
    params: keyPath,
    replies: { 204: { description: 'The key is revoked.' } },
    problems: ['NOT_FOUND'],
    async handle({ caller, params, source }) {
      await revokeKey(ports, caller.owner_id, params.key_prefix, source);
      return { status: 204 };
    },
  });
}

function rotateKeyEndpoint(ports: ProvenPorts) {
  return endpoint({
    id: 'rotateKey',
    method: 'POST',
    path: `${ONE_KEY}/rotate`,
    summary: 'Rotate a key',
    description:
      'Revokes the key at once, without any grace period, and issues a new one for the same agent with the same mode, ' +
      `label, networks and length of life. It also works when the tier limit is reached or the key has expired. ${RECENTLY}`,
    tag,
    auth,
    params: keyPath,
    replies: {
      200: { description: 'The new key, shown only once.', schema: createdKey, example: createdKeyExample },
    },
    problems: ['REAUTHENTICATION_REQUIRED', 'NOT_FOUND', 'KEY_UNBOUND', 'DAILY_QUOTA_EXCEEDED'],
    async handle({ caller, credential, params, network, source }) {
      const confirmLogin = await recentLoginBy(ports, credential);
      const client = { network, source };
      const key = await rotateKey(ports, caller.owner_id, params.key_prefix, client, confirmLogin);
      return { status: 200, body: shownOnce(key) };
    },
  });
}

/** The reply that contains a new key (settled.md section 8); also of rotations and of the device flow. */
export function shownOnce(key: BoundKey) {
  return membersOf(createdKey, key);
}
