import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { hashOfKey } from '../../../../application/accounts/keys/issue-key.ts';
import { hashOfSession, proofOf } from '../../../../application/accounts/sign-in/proof-of-credential.ts';
import { makeApiKey } from '../../../../domain/accounts/keys/api-key.ts';
import type { IdentityProvider } from '../../../../domain/accounts/provider/identity-provider.ts';

const nobody = { identityProvider: null };

test('a well-formed key proves the hash of the whole of it', async () => {
  const { key } = makeApiKey(randomBytes);
  expect(await proofOf(nobody, { kind: 'api_key', secret: key })).toEqual({
    credential: 'api_key',
    key_hash: hashOfKey(key),
  });
});

test('a mistyped key proves nothing, so it costs no query', async () => {
  const { key } = makeApiKey(randomBytes);
  const mistyped = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
  for (const secret of [mistyped, '', 'sbk_', `${key} `]) {
    expect(await proofOf(nobody, { kind: 'api_key', secret })).toBeNull();
  }
});

test('a session proves the hash of its id; a cut or invented one proves nothing', async () => {
  const id = randomBytes(32).toString('base64url');
  const session_hash = hashOfSession(id);
  expect(await proofOf(nobody, { kind: 'legacy_session', secret: id })).toEqual({
    credential: 'legacy_session',
    session_hash,
  });
  for (const secret of [id.slice(1), `${id}=`, "' or 1=1 --"]) {
    expect(await proofOf(nobody, { kind: 'legacy_session', secret })).toBeNull();
  }
});

test('a token proves the identity that the provider returns, and nothing without a provider', async () => {
  const identity = { issuer: 'https://id.example', subject: 'someone' };
  const verifyBearer = async (token: string) => (token === 'signed' ? identity : null);
  const identityProvider = { verifyBearer } as IdentityProvider;
  const bearer = (secret: string) => ({ kind: 'owner_bearer', secret }) as const;
  expect(await proofOf({ identityProvider }, bearer('signed'))).toEqual({ credential: 'owner_bearer', identity });
  expect(await proofOf({ identityProvider }, bearer('forged'))).toBeNull();
  expect(await proofOf(nobody, bearer('signed'))).toBeNull();
});

test('a key proves nothing when it is presented as another credential', async () => {
  const { key } = makeApiKey(randomBytes);
  for (const kind of ['owner_bearer', 'legacy_session'] as const) {
    expect(await proofOf(nobody, { kind, secret: key })).toBeNull();
  }
});
