import { type BoundKey, createKey } from '../../../../../application/accounts/keys/create-key.ts';
import type { Ports } from '../../../../../application/ports.ts';
import { TIERS } from '../../../../../domain/caller.ts';
import { TIER_LIMITS } from '../../../../../domain/limits.ts';
import { endpoint } from '../../../kit/endpoint.ts';
import { createdKey, createdKeyExample, createKeyRequest, keyInfoExample, keyList } from '../../../shapes/api-keys.ts';

const tag = 'API keys';
const auth = ['owner_bearer', 'legacy_session'] as const;
const perTier = TIERS.map((tier) => `${tier} ${TIER_LIMITS[tier].keys} and ${TIER_LIMITS[tier].agents}`).join(', ');

export function listKeysEndpoint({ apiKeys }: Pick<Ports, 'apiKeys'>) {
  return endpoint({
    id: 'listKeys',
    method: 'GET',
    path: '/api/v1/owner/auth/api-keys',
    summary: 'List your API keys',
    description: 'By their names, the oldest first; never the keys themselves. Revoked keys are left out.',
    tag,
    auth,
    replies: {
      200: {
        description: 'All of them: `next_cursor` is always null.',
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

export function createKeyEndpoint(ports: Pick<Ports, 'transaction' | 'clock'>) {
  return endpoint({
    id: 'createKey',
    method: 'POST',
    path: '/api/v1/owner/auth/api-keys',
    summary: 'Create an API key',
    description:
      'For an agent of yours (`agent_id`) or for a new one (`agent_name`, else named by the label). How many keys and ' +
      `agents you may have is a matter of your tier: ${perTier}.`,
    tag,
    auth,
    body: { schema: createKeyRequest, example: { agent_name: 'Momentum scout', permission_mode: 'read_write' } },
    replies: {
      201: { description: 'The key, shown this once.', schema: createdKey, example: createdKeyExample },
    },
    problems: ['NOT_FOUND', 'TIER_LIMIT_REACHED'],
    async handle({ caller, body }) {
      return { status: 201, body: shownOnce(await createKey(ports, caller, body)) };
    },
  });
}

/** The create-key reply (settled.md section 8), of rotations and of the device flow too. */
export function shownOnce({ api_key, key_prefix, agent_id, permission_mode, created_at }: BoundKey) {
  return { api_key, key_prefix, agent_id, permission_mode, created_at };
}
