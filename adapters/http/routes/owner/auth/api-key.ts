import { changeKeyMode, revokeKey, rotateKey } from '../../../../../application/accounts/keys/manage-keys.ts';
import type { Ports } from '../../../../../application/ports.ts';
import { endpoint } from '../../../kit/endpoint.ts';
import {
  createdKey,
  createdKeyExample,
  keyInfo,
  keyInfoExample,
  keyPath,
  updateKeyRequest,
} from '../../../shapes/api-keys.ts';
import { shownOnce } from './api-keys.ts';

const tag = 'API keys';
const auth = ['owner_bearer', 'legacy_session'] as const;
const path = '/api/v1/owner/auth/api-keys/{key_prefix}';

type KeyPorts = Pick<Ports, 'transaction' | 'clock'>;

export function updateKeyEndpoint(ports: KeyPorts) {
  return endpoint({
    id: 'updateKey',
    method: 'PATCH',
    path,
    summary: 'Change what a key may do',
    description: 'Holds for every request that authenticates after the reply.',
    tag,
    auth,
    params: keyPath,
    body: { schema: updateKeyRequest, example: { permission_mode: 'read_only' } },
    replies: {
      200: { description: 'The key as it is now.', schema: keyInfo, example: keyInfoExample },
    },
    problems: ['NOT_FOUND'],
    async handle({ caller, params, body }) {
      return {
        status: 200,
        body: await changeKeyMode(ports, caller.owner_id, params.key_prefix, body.permission_mode),
      };
    },
  });
}

export function revokeKeyEndpoint(ports: KeyPorts) {
  return endpoint({
    id: 'revokeKey',
    method: 'DELETE',
    path,
    summary: 'Revoke a key',
    description: 'At once and for good: no request that authenticates after the reply is let in with it.',
    tag,
    auth,
    params: keyPath,
    replies: { 204: { description: 'The key is revoked.' } },
    problems: ['NOT_FOUND'],
    async handle({ caller, params }) {
      await revokeKey(ports, caller.owner_id, params.key_prefix);
      return { status: 204 };
    },
  });
}

export function rotateKeyEndpoint(ports: KeyPorts) {
  return endpoint({
    id: 'rotateKey',
    method: 'POST',
    path: `${path}/rotate`,
    summary: 'Rotate a key',
    description:
      'Revokes the key at once, without any grace period, and issues a new one for the same agent with the same mode ' +
      'and label. It works at the limit of the tier too.',
    tag,
    auth,
    params: keyPath,
    replies: {
      200: { description: 'The new key, shown this once.', schema: createdKey, example: createdKeyExample },
    },
    problems: ['NOT_FOUND', 'KEY_UNBOUND'],
    async handle({ caller, params }) {
      return { status: 200, body: shownOnce(await rotateKey(ports, caller.owner_id, params.key_prefix)) };
    },
  });
}
