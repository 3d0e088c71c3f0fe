import { type BoundKey, createKey } from '../../../../../application/accounts/keys/create-key.ts';
import { changeKeyMode, revokeKey, rotateKey } from '../../../../../application/accounts/keys/manage-keys.ts';
import type { Ports } from '../../../../../application/ports.ts';
import { TIERS } from '../../../../../domain/caller.ts';
import { TIER_LIMITS } from '../../../../../domain/limits.ts';
import { endpoint } from '../../../kit/endpoint.ts';
import {
  createdKey,
  createdKeyExample,
  createKeyRequest,
  keyInfo,
  keyInfoExample,
  keyList,
  keyPath,
  updateKeyRequest,
} from '../../../shapes/api-keys.ts';

const tag = 'API keys';
const auth = ['owner_bearer', 'legacy_session'] as const;
const ALL_KEYS = '/api/v1/owner/auth/api-keys';
const ONE_KEY = `${ALL_KEYS}/{key_prefix}` as const;
const perTier = TIERS.map((tier) => `${tier} ${TIER_LIMITS[tier].keys} and ${TIER_LIMITS[tier].agents}`).join(', ');

type KeyPorts = Pick<Ports, 'transaction' | 'clock'>;

export function listKeysEndpoint({ apiKeys }: Pick<Ports, 'apiKeys'>) {
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

export function createKeyEndpoint(ports: KeyPorts) {
  return endpoint({
    id: 'createKey',
    method: 'POST',
    path: ALL_KEYS,
    summary: 'Create an API key',
    description:
      'For an agent of yours (`agent_id`) or for a new one (`agent_name`, else named by the label). Your tier limits keys and ' +
      `agents: ${perTier}.`,
    tag,
    auth,
    body: { schema: createKeyRequest, example: { agent_name: 'Momentum scout', permission_mode: 'read_write' } },
    replies: {
      201: { description: 'The key, shown only once.', schema: createdKey, example: createdKeyExample },
    },
    problems: ['NOT_FOUND', 'TIER_LIMIT_REACHED'],
    async handle({ caller, body, source }) {
      return { status: 201, body: shownOnce(await createKey(ports, caller, body, source)) };
    },
  });
}

export function updateKeyEndpoint(ports: KeyPorts) {
  return endpoint({
    id: 'updateKey',
    method: 'PATCH',
    path: ONE_KEY,
    summary: 'Change what a key may do',
    description: 'Applies to every request that authenticates after the reply.',
    tag,
    auth,
    params: keyPath,
    body: { schema: updateKeyRequest, example: { permission_mode: 'read_only' } },
    replies: {
      200: { description: 'The key as it is now.', schema: keyInfo, example: keyInfoExample },
    },
    problems: ['NOT_FOUND'],
    async handle({ caller, params, body, source }) {
      return {
        status: 200,
        body: await changeKeyMode(ports, caller.owner_id, params.key_prefix, body.permission_mode, source),
      };
    },
  });
}

export function revokeKeyEndpoint(ports: KeyPorts) {
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

export function rotateKeyEndpoint(ports: KeyPorts) {
  return endpoint({
    id: 'rotateKey',
    method: 'POST',
    path: `${ONE_KEY}/rotate`,
    summary: 'Rotate a key',
    description:
      'Revokes the key at once, without any grace period, and issues a new one for the same agent with the same mode ' +
      'and label. It also works when the tier limit is reached.',
    tag,
    auth,
    params: keyPath,
    replies: {
      200: { description: 'The new key, shown only once.', schema: createdKey, example: createdKeyExample },
    },
    problems: ['NOT_FOUND', 'KEY_UNBOUND'],
    async handle({ caller, params, source }) {
      return { status: 200, body: shownOnce(await rotateKey(ports, caller.owner_id, params.key_prefix, source)) };
    },
  });
}

/** The reply that contains a new key (settled.md section 8); also of rotations and of the device flow. */
export function shownOnce({ api_key, key_prefix, agent_id, permission_mode, created_at }: BoundKey) {
  return { api_key, key_prefix, agent_id, permission_mode, created_at };
}
