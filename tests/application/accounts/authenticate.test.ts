import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { authenticate } from '../../../application/accounts/authenticate.ts';
import { hashOfKey } from '../../../application/accounts/issue-key.ts';
import { hashOfSession } from '../../../application/accounts/session-hash.ts';
import { makeApiKey } from '../../../domain/accounts/api-key.ts';
import type { ApiKeyStore } from '../../../domain/accounts/api-key-store.ts';
import type { SessionStore } from '../../../domain/accounts/session-store.ts';

/** Knows nobody, and keeps what it was asked for. */
function recordingStores() {
  const asked: Uint8Array[] = [];
  const store: Pick<ApiKeyStore & SessionStore, 'authenticate'> = {
    async authenticate(hash) {
      asked.push(hash);
      return null;
    },
  };
  const { identities, clock } = openMemory();
  const stores = { apiKeys: store as ApiKeyStore, sessions: store as SessionStore, identities, clock };
  return { asked, ports: { ...stores, identityProvider: null } };
}

test('a well-formed key is asked for by the hash of the whole of it', async () => {
  const { asked, ports } = recordingStores();
  const { key } = makeApiKey(randomBytes);
  expect(await authenticate(ports, { kind: 'api_key', secret: key })).toBeNull();
  expect(asked).toEqual([hashOfKey(key)]);
});

test('a key that was mistyped costs no query', async () => {
  const { asked, ports } = recordingStores();
  const { key } = makeApiKey(randomBytes);
  const mistyped = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
  for (const secret of [mistyped, '', 'sbk_', `${key} `]) {
    expect(await authenticate(ports, { kind: 'api_key', secret })).toBeNull();
  }
  expect(asked).toEqual([]);
});

test('a session is asked for by the hash of its id, and one that was cut or made up costs no query', async () => {
  const { asked, ports } = recordingStores();
  const id = randomBytes(32).toString('base64url');
  for (const secret of [id, id.slice(1), `${id}=`, "' or 1=1 --"]) {
    expect(await authenticate(ports, { kind: 'legacy_session', secret })).toBeNull();
  }
  expect(asked).toEqual([hashOfSession(id)]);
});

test('a key proves nobody where it is presented as another credential', async () => {
  const { asked, ports } = recordingStores();
  const { key } = makeApiKey(randomBytes);
  expect(await authenticate(ports, { kind: 'owner_bearer', secret: key })).toBeNull();
  expect(await authenticate(ports, { kind: 'legacy_session', secret: key })).toBeNull();
  expect(asked).toEqual([]);
});
