import {
  addPasskey,
  beginPasskey,
  type PasskeyOffer,
  type PasskeyPorts,
  removePasskey,
  renamePasskey,
} from '../../../../../application/accounts/passkeys/manage-passkeys.ts';
import { userHandle } from '../../../../../application/accounts/passkeys/use-passkey.ts';
import type { Ports } from '../../../../../application/ports.ts';
import { relyingParty } from '../../../../../domain/accounts/factors/passkey.ts';
import { FACTOR, PASSKEY } from '../../../../../domain/limits.ts';
import { passkeyCookie } from '../../../kit/caller/credentials.ts';
import { type Endpoint, endpoint } from '../../../kit/endpoint.ts';
import { passkey, passkeyExample, shownPasskey } from '../../../shapes/accounts/factors.ts';
import {
  addedPasskey,
  attestationExample,
  creationOptions,
  creationOptionsExample,
  newPasskey,
  passkeyChange,
  passkeyPath,
} from '../../../shapes/accounts/passkeys.ts';
import { CHALLENGE_COOKIE, challengeCookie, loginCookies } from '../../public/auth/login.ts';
import { FACTORS, factorCaller, NEW_SESSION, RECENTLY } from './factors.ts';

export function passkeyEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    passkeyCreationEndpoint(ports),
    addPasskeyEndpoint(ports),
    renamePasskeyEndpoint(ports),
    removePasskeyEndpoint(ports),
  ];
}

const tag = 'Accounts';
const auth = ['legacy_session'] as const;
const PASSKEYS = `${FACTORS}/passkeys` as const;

function passkeyCreationEndpoint(ports: PasskeyPorts) {
  return endpoint({
    id: 'beginPasskey',
    method: 'POST',
    path: `${PASSKEYS}/options`,
    isAddition: true,
    summary: 'Begin a passkey',
    description:
      'Returns the argument of `navigator.credentials.create`. The challenge is accepted once, for this account, with the ' +
      'cookie that this reply sets. ' +
      RECENTLY,
    tag,
    auth,
    withoutFactor: true,
    replies: {
      200: {
        description: 'The challenge.',
        schema: creationOptions,
        example: creationOptionsExample,
        headers: CHALLENGE_COOKIE,
      },
    },
    problems: ['REAUTHENTICATION_REQUIRED', 'TIER_LIMIT_REACHED', 'MISDIRECTED_REQUEST'],
    async handle(visit) {
      const { id } = relyingParty(ports.settings.publicOrigin, visit.host);
      const { sessionCookie: session, cookie } = visit;
      const offer = await beginPasskey(ports, factorCaller(visit), cookie(passkeyCookie(session)));
      const headers = challengeCookie(session, offer.browser_secret);
      return { status: 200, headers, body: creationOptionsOf(id, offer) };
    },
  });
}

function addPasskeyEndpoint(ports: PasskeyPorts) {
  return endpoint({
    id: 'addPasskey',
    method: 'POST',
    path: PASSKEYS,
    isAddition: true,
    summary: 'Add a passkey',
    description:
      `Adds the passkey that a browser has made for such a challenge, up to ${PASSKEY.perOwner}: a second factor of the ` +
      'account, and a login of its own. All your sessions end, and the reply sets the cookie of a new one. The first ' +
      `factor of an account comes with ${FACTOR.recoveryCodes} recovery codes. ${RECENTLY}`,
    tag,
    auth,
    withoutFactor: true,
    body: { schema: newPasskey, example: { name: 'Laptop', passkey: attestationExample } },
    replies: {
      201: {
        description: 'The passkey is added.',
        schema: addedPasskey,
        example: { passkey: passkeyExample, recovery_codes: null },
        headers: NEW_SESSION,
      },
    },
    problems: ['REAUTHENTICATION_REQUIRED', 'INVALID_CREDENTIALS', 'TIER_LIMIT_REACHED', 'MISDIRECTED_REQUEST'],
    async handle(visit) {
      const { name, passkey: answer } = visit.body;
      const place = relyingParty(ports.settings.publicOrigin, visit.host);
      const browserSecret = visit.cookie(passkeyCookie(visit.sessionCookie));
      const added = await addPasskey(ports, factorCaller(visit), name, { answer, place, browserSecret });
      const body = { passkey: shownPasskey(added.passkey), recovery_codes: added.recovery_codes };
      return { status: 201, headers: loginCookies(visit.sessionCookie, added), body };
    },
  });
}

function renamePasskeyEndpoint(ports: PasskeyPorts) {
  return endpoint({
    id: 'renamePasskey',
    method: 'PATCH',
    path: `${PASSKEYS}/{passkey_id}`,
    isAddition: true,
    summary: 'Rename a passkey',
    description: 'Changes your name for it, and nothing else.',
    tag,
    auth,
    params: passkeyPath,
    body: { schema: passkeyChange, example: { name: 'Phone' } },
    replies: { 200: { description: 'The passkey as it is now.', schema: passkey, example: passkeyExample } },
    problems: ['NOT_FOUND'],
    async handle({ caller, params, body }) {
      const renamed = await renamePasskey(ports, caller.owner_id, params.passkey_id, body.name);
      return { status: 200, body: shownPasskey(renamed) };
    },
  });
}

function removePasskeyEndpoint(ports: PasskeyPorts) {
  return endpoint({
    id: 'removePasskey',
    method: 'DELETE',
    path: `${PASSKEYS}/{passkey_id}`,
    isAddition: true,
    summary: 'Remove a passkey',
    description: `It opens no session from now on, and your other sessions end. The recovery codes end with the last factor. ${RECENTLY}`,
    tag,
    auth,
    params: passkeyPath,
    replies: { 204: { description: 'The passkey is removed.' } },
    problems: ['REAUTHENTICATION_REQUIRED', 'FACTOR_REQUIRED', 'NOT_FOUND'],
    async handle(visit) {
      await removePasskey(ports, factorCaller(visit), visit.params.passkey_id);
      return { status: 204 };
    },
  });
}

/** WebAuthn 5.4: a passkey that its authenticator offers by itself, and that verifies its user. */
function creationOptionsOf(id: string, { owner, challenge, registered }: PasskeyOffer) {
  const name = owner.email ?? owner.owner_id;
  const type = 'public-key' as const;
  return {
    challenge,
    rp: { id, name: 'Stancebook' },
    user: { id: userHandle(owner.owner_id), name, displayName: name },
    pubKeyCredParams: PASSKEY.algorithms.map((alg) => ({ type, alg })),
    timeout: PASSKEY.challengeLife,
    excludeCredentials: registered.map((credential) => ({ type, id: credential })),
    authenticatorSelection: {
      residentKey: 'required' as const,
      requireResidentKey: true as const,
      userVerification: 'required' as const,
    },
    attestation: 'none' as const,
  };
}
