import { randomBytes } from 'node:crypto';
import type {
  AttestedPasskey,
  Passkey,
  PasskeyAttestation,
  RelyingParty,
} from '../../../domain/accounts/factors/passkey.ts';
import { type Owner, ownerGone } from '../../../domain/accounts/owner.ts';
import { eventOf } from '../../../domain/accounts/security-event.ts';
import { uuidV7 } from '../../../domain/identifiers.ts';
import { PASSKEY } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import {
  type AddedFactor,
  beginChange,
  endEnrolment,
  endRemoval,
  type FactorCaller,
  type FactorPorts,
} from '../factors/factor-change.ts';
import { type BegunPasskey, type ChallengePorts, newChallenge, takeChallenge } from './use-passkey.ts';

export type PasskeyPorts = FactorPorts & ChallengePorts & Pick<Ports, 'owners' | 'securityEvents'>;

/** What an authenticator has to know to make a passkey. */
export interface PasskeyOffer extends BegunPasskey {
  readonly owner: Owner;
  /** Credentials of the owner: an authenticator makes no second passkey beside one of them. */
  readonly registered: readonly string[];
}

/** What an authenticator has made, with what came with it. */
export interface SentAttestation {
  readonly answer: PasskeyAttestation;
  readonly place: RelyingParty;
  /** The secret of the browser's cookie, not verified. */
  readonly browserSecret: string | undefined;
}

export interface AddedPasskey extends AddedFactor {
  readonly passkey: Passkey;
}

/**
 * Begins a passkey: its challenge is bound to the account and the browser.
 * @param presented the secret of the browser's cookie, not verified
 * @throws Problem REAUTHENTICATION_REQUIRED, TIER_LIMIT_REACHED, UNAUTHORIZED, ACCOUNT_SUSPENDED
 */
export async function beginPasskey(
  ports: PasskeyPorts,
  caller: FactorCaller,
  presented: string | undefined,
): Promise<PasskeyOffer> {
  const owner = await ownerOf(ports, caller.owner_id);
  const { before } = await ports.transaction((stores) => beginChange(ports, stores, caller));
  refuseMore(before.passkeys);
  const begun = await newChallenge(ports, 'registration', owner.owner_id, presented);
  return { owner, ...begun, registered: before.passkeys.map(({ credential_id }) => credential_id) };
}

/**
 * Adds the passkey of an answer to that challenge, which is used up. All sessions end; the caller goes on in a new one,
 * opened with the passkey.
 * @throws Problem INVALID_CREDENTIALS for an answer that is not accepted, REAUTHENTICATION_REQUIRED, TIER_LIMIT_REACHED,
 * UNAUTHORIZED, ACCOUNT_SUSPENDED
 */
export async function addPasskey(
  ports: PasskeyPorts,
  caller: FactorCaller,
  name: string,
  { answer, place, browserSecret }: SentAttestation,
): Promise<AddedPasskey> {
  const owner = await ownerOf(ports, caller.owner_id);
  const challenge = await takeChallenge(ports, answer, 'registration', owner.owner_id, browserSecret);
  const attested = challenge && (await ports.passkeyVerifier.verifyRegistration(answer, challenge, place));
  const added = attested ? await add(ports, owner, caller, name, attested) : null;
  if (added) return added;
  const { owner_id, source } = caller;
  await ports.securityEvents.append({ ...eventOf('factor_failed', 'failure', owner_id, source), subject: 'passkey' });
  throw new Problem('INVALID_CREDENTIALS', 'The passkey was not accepted.', {
    suggestion:
      'Ask for another challenge (POST /api/v1/owner/auth/factors/passkeys/options), and answer it within ' +
      'its time from the same browser, with a passkey that is new here and verifies its user.',
  });
}

/** Null when its credential is registered already. */
async function add(
  ports: PasskeyPorts,
  owner: Owner,
  caller: FactorCaller,
  name: string,
  attested: AttestedPasskey,
): Promise<AddedPasskey | null> {
  const now = await ports.clock.now();
  const { owner_id } = owner;
  const times = { created_at: now, last_used_at: null };
  const passkey = { passkey_id: uuidV7(now, randomBytes(10)), owner_id, name, ...attested, ...times };
  return ports.transaction(async (stores) => {
    const { before } = await beginChange(ports, stores, caller);
    refuseMore(before.passkeys);
    if (!(await stores.passkeys.add(passkey))) return null;
    return { passkey, ...(await endEnrolment(stores, owner, 'passkey', caller, now)) };
  });
}

/** @throws Problem NOT_FOUND */
export async function renamePasskey(
  { passkeys }: Pick<Ports, 'passkeys'>,
  owner_id: string,
  passkey_id: string,
  name: string,
): Promise<Passkey> {
  const passkey = await passkeys.rename(owner_id, passkey_id, name);
  if (passkey) return passkey;
  throw unknownPasskey();
}

/**
 * Removes a passkey of the caller; the caller's other sessions end.
 * @throws Problem FACTOR_REQUIRED for the last factor of an owner who needs one, REAUTHENTICATION_REQUIRED, NOT_FOUND, UNAUTHORIZED, ACCOUNT_SUSPENDED
 */
export function removePasskey(ports: FactorPorts, caller: FactorCaller, passkey_id: string): Promise<void> {
  return ports.transaction(async (stores) => {
    await beginChange(ports, stores, caller);
    if (!(await stores.passkeys.remove(caller.owner_id, passkey_id))) throw unknownPasskey();
    await endRemoval(ports, stores, 'passkey', caller);
  });
}

function refuseMore(passkeys: readonly Passkey[]): void {
  if (passkeys.length < PASSKEY.perOwner) return;
  throw new Problem('TIER_LIMIT_REACHED', `An account has at most ${PASSKEY.perOwner} passkeys.`, {
    suggestion: 'Remove one that you no longer use: DELETE /api/v1/owner/auth/factors/passkeys/{passkey_id}.',
  });
}

async function ownerOf({ owners }: Pick<Ports, 'owners'>, owner_id: string): Promise<Owner> {
  const owner = await owners.find(owner_id);
  if (!owner) throw ownerGone();
  return owner;
}

function unknownPasskey(): Problem {
  return new Problem('NOT_FOUND', 'You have no such passkey.', {
    suggestion: 'GET /api/v1/owner/auth/factors lists your passkeys.',
  });
}
