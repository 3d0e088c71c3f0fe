import { z } from 'zod';
import { PASSKEY } from '../../../../domain/limits.ts';
import { trimmedName } from '../texts.ts';
import { addedFactor, passkey } from './factors.ts';

/** Binary members are in base64url without padding, as browsers write them (WebAuthn level 3, section 5.1). */
const base64url = z
  .string()
  .max(PASSKEY.answerLength)
  .regex(/^[\w-]+$/);

/** What `toJSON()` of a browser also sends, and is not read: nothing signs it. */
const unread = {
  rawId: base64url.optional(),
  type: z.literal('public-key').optional(),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).nullish(),
  clientExtensionResults: z.record(z.string().max(64), z.unknown()).optional(),
};

/** The reply to `navigator.credentials.get`, in the form of its `toJSON()`. */
export const passkeyAssertion = z
  .strictObject({
    id: base64url,
    response: z.strictObject({
      clientDataJSON: base64url,
      authenticatorData: base64url,
      signature: base64url,
      userHandle: base64url.nullish(),
    }),
    ...unread,
  })
  .meta({ id: 'PasskeyAssertion' })
  .describe('What `navigator.credentials.get` returned, by its `toJSON()`.');

export const passkeyAttestation = z
  .strictObject({
    id: base64url,
    response: z.strictObject({
      clientDataJSON: base64url,
      attestationObject: base64url,
      authenticatorData: base64url.optional(),
      publicKey: base64url.nullish(),
      publicKeyAlgorithm: z.literal(PASSKEY.algorithms).optional(),
      transports: z
        .array(
          z
            .string()
            .max(32)
            .regex(/^[\w-]+$/),
        )
        .max(8)
        .optional(),
    }),
    ...unread,
  })
  .meta({ id: 'PasskeyAttestation' })
  .describe('What `navigator.credentials.create` returned, by its `toJSON()`.');

const name = trimmedName(PASSKEY.nameLength).describe('Your name for it, such as that of the device.');

export const passkeyLogin = z.strictObject({ passkey: passkeyAssertion }).meta({ id: 'PasskeyLogin' });

export const newPasskey = z.strictObject({ name, passkey: passkeyAttestation }).meta({ id: 'NewPasskey' });

export const passkeyChange = z.strictObject({ name }).meta({ id: 'PasskeyChange' });

export const passkeyPath = z.strictObject({ passkey_id: z.uuid().describe('As the list of factors names it.') });

export const addedPasskey = z
  .strictObject({ passkey, recovery_codes: addedFactor.shape.recovery_codes })
  .meta({ id: 'AddedPasskey' });

/** The argument of `navigator.credentials.get` (WebAuthn 5.5), for `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const requestOptions = z
  .strictObject({
    challenge: z.string(),
    rpId: z.string().describe('The host name that the passkeys are bound to.'),
    timeout: z.int().describe('Milliseconds in which the answer is accepted.'),
    userVerification: z.literal('required'),
    allowCredentials: z.array(z.strictObject({})).max(0).describe('Empty: the authenticator offers what it has.'),
  })
  .meta({ id: 'PasskeyRequestOptions' });

export const requestOptionsExample = {
  challenge: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA',
  rpId: 'stancebook.example.com',
  timeout: PASSKEY.challengeLife,
  userVerification: 'required',
  allowCredentials: [],
} as const;

const KEY = z.literal('public-key');

/** The argument of `navigator.credentials.create` (WebAuthn 5.4), for `parseCreationOptionsFromJSON`. */
export const creationOptions = z
  .strictObject({
    challenge: z.string(),
    rp: z.strictObject({ id: z.string(), name: z.string() }),
    user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.strictObject({ type: KEY, alg: z.int() })),
    timeout: z.int().describe('Milliseconds in which the answer is accepted.'),
    excludeCredentials: z.array(z.strictObject({ type: KEY, id: z.string() })).describe('Passkeys that you have.'),
    authenticatorSelection: z.strictObject({
      residentKey: z.literal('required'),
      requireResidentKey: z.literal(true),
      userVerification: z.literal('required'),
    }),
    attestation: z.literal('none'),
  })
  .meta({ id: 'PasskeyCreationOptions' });

export const creationOptionsExample = {
  challenge: requestOptionsExample.challenge,
  rp: { id: requestOptionsExample.rpId, name: 'Stancebook' },
  user: { id: 'AZOhwHwAejuMTV5vcIGSow', name: 'ada@example.com', displayName: 'ada@example.com' },
  pubKeyCredParams: PASSKEY.algorithms.map((alg) => ({ type: 'public-key', alg }) as const),
  timeout: PASSKEY.challengeLife,
  excludeCredentials: [],
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  attestation: 'none',
} as const;

const BYTES = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA';

export const assertionExample = {
  id: BYTES,
  rawId: BYTES,
  type: 'public-key',
  response: { clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0', authenticatorData: BYTES, signature: BYTES },
  clientExtensionResults: {},
} as const;

export const attestationExample = {
  ...assertionExample,
  response: { clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0', attestationObject: BYTES },
} as const;
