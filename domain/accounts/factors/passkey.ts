import { PASSKEY } from '../../limits.ts';
import { parseAddress } from '../../networks.ts';
import { Problem } from '../../problem.ts';

/** A passkey of an owner (WebAuthn level 3): a login of its own, because it verifies its user. */
export interface Passkey {
  readonly passkey_id: string;
  readonly owner_id: string;
  /** As its authenticator names it, in base64url: unique over all owners. */
  readonly credential_id: string;
  /** In the form of COSE. */
  readonly public_key: Uint8Array;
  /** The signature counter of the last login (WebAuthn 6.1.1); 0 of an authenticator that does not count. */
  readonly counter: number;
  readonly name: string;
  /** Whether it is synchronised between the owner's devices (WebAuthn 6.1.3: its backup state). */
  readonly synced: boolean;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const PASSKEY_PURPOSES = ['login', 'registration'] as const;
export type PasskeyPurpose = (typeof PASSKEY_PURPOSES)[number];

/** A challenge that an authenticator is to sign. */
export interface PasskeyChallenge {
  /** SHA-256 of the challenge itself. */
  readonly challenge_hash: Uint8Array;
  /** SHA-256 of what only the client of the request has: the secret in its cookie, or its session. */
  readonly bound_to: Uint8Array;
  readonly purpose: PasskeyPurpose;
  readonly created_at: Date;
}

/** Whether the client has taken too long. */
export function isExpired({ created_at }: Pick<PasskeyChallenge, 'created_at'>, now: Date): boolean {
  return now.getTime() >= created_at.getTime() + PASSKEY.challengeLife;
}

/** What a browser sends after `navigator.credentials.get` (WebAuthn 5.1.8.2): binary members in base64url. */
export interface PasskeyAssertion {
  readonly id: string;
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    /** Whose passkey the authenticator says that it is. */
    readonly userHandle?: string | null | undefined;
  };
}

/** What a browser sends after `navigator.credentials.create`. */
export interface PasskeyAttestation {
  readonly id: string;
  readonly response: { readonly clientDataJSON: string; readonly attestationObject: string };
}

/** The passkey of a registration. */
export type AttestedPasskey = Pick<Passkey, 'credential_id' | 'public_key' | 'counter' | 'synced'>;

/** Verifies what authenticators sign (WebAuthn level 3, sections 7.1 and 7.2), the verification of their user included. */
export interface PasskeyVerifier {
  /** The challenge that an answer names, not verified; null where there is none. */
  challengeOf(answer: PasskeyAssertion | PasskeyAttestation): string | null;

  /** The passkey that was made for that challenge and place; null for every other answer. */
  verifyRegistration(
    answer: PasskeyAttestation,
    challenge: string,
    place: RelyingParty,
  ): Promise<AttestedPasskey | null>;

  /**
   * What that passkey has signed for that challenge and place; null for every other answer, also with a counter that is
   * not greater than the stored one.
   */
  verifyLogin(
    answer: PasskeyAssertion,
    challenge: string,
    place: RelyingParty,
    passkey: Passkey,
  ): Promise<Pick<Passkey, 'counter' | 'synced'> | null>;
}

/** Where passkeys are made and used (WebAuthn 5.1.2): no other place gets them from a browser. */
export interface RelyingParty {
  /** The host name that passkeys are bound to (the RP ID). */
  readonly id: string;
  /** The origins of the pages that may use them. */
  readonly origins: readonly string[];
}

/**
 * The place of the passkeys of this service: the host of PUBLIC_URL; without it `localhost`, because the caller chooses the
 * Host header.
 * @param publicOrigin of PUBLIC_URL; null without it
 * @param host the Host header, with its port
 * @throws Problem MISDIRECTED_REQUEST where the address is that of no such place: browsers take no IP address for one
 */
export function relyingParty(publicOrigin: string | null, host: string): RelyingParty {
  if (publicOrigin !== null) return ofPublicUrl(publicOrigin);
  const { hostname, port } = addressOf(host);
  const here = `localhost${port === '' ? '' : `:${port}`}`;
  if (hostname === 'localhost') return { id: 'localhost', origins: [`http://${here}`, `https://${here}`] };
  throw new Problem('MISDIRECTED_REQUEST', 'Browsers take passkeys for a host name alone, and for no IP address.', {
    suggestion: `Open http://${here} instead; for other machines the operator sets PUBLIC_URL to an https address with a host name.`,
  });
}

function ofPublicUrl(origin: string): RelyingParty {
  const { hostname, port, protocol } = new URL(origin);
  if (parseAddress(hostname.replace(/^\[|\]$/g, '')) === null) return { id: hostname, origins: [origin] };
  const named = `${protocol}//localhost${port === '' ? '' : `:${port}`}`;
  throw new Problem(
    'MISDIRECTED_REQUEST',
    `Browsers take no passkeys for an IP address, and PUBLIC_URL is ${origin}.`,
    {
      suggestion: `The operator sets PUBLIC_URL to an address with a host name (${named} on one machine); then open that one.`,
    },
  );
}

function addressOf(host: string): Pick<URL, 'hostname' | 'port'> {
  const address = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null;
  return address ?? { hostname: '', port: '' };
}

/** The passkeys of owners, and the challenges for them. */
export interface PasskeyStore {
  /** Adds a passkey; false when its credential is that of another one, also of another owner. */
  add(passkey: Passkey): Promise<boolean>;

  /** Those of the owner, the oldest first. */
  list(owner_id: string): Promise<readonly Passkey[]>;

  /** The passkey of a credential, of any owner. */
  findCredential(credential_id: string): Promise<Passkey | null>;

  /**
   * Notes a login with the counter that its authenticator sent. False when it is not greater than that of the last login
   * (both 0 for an authenticator that does not count), or the passkey is gone; of concurrent calls with one counter above
   * 0 one succeeds.
   */
  use(passkey_id: string, counter: number, synced: boolean): Promise<boolean>;

  /** The passkey of the owner, renamed; null when the owner has no such one. */
  rename(owner_id: string, passkey_id: string, name: string): Promise<Passkey | null>;

  /** Removes a passkey of the owner; false when the owner has no such one. */
  remove(owner_id: string, passkey_id: string): Promise<boolean>;

  /** Adds a new challenge. */
  addChallenge(challenge: PasskeyChallenge): Promise<void>;

  /**
   * Removes the challenge: of concurrent calls one gets true, on any number of processes. False when there is none for
   * that purpose and client, or it has expired by the database's clock (`isExpired`). Another client does not use it up.
   */
  takeChallenge(challenge_hash: Uint8Array, bound_to: Uint8Array, purpose: PasskeyPurpose): Promise<boolean>;

  /** Removes expired challenges; returns how many. */
  pruneChallenges(): Promise<number>;
}
