import { DAY, HOUR, MINUTE, SECOND } from './time.ts';

// The numbers of accounts, logins and keys. They are imported from limits.ts, like all numbers of the contract.

export const ACCOUNT = {
  emailLength: 254, // RFC 5321 4.5.3.1.3: a path of 256 octets without its angle brackets
  agentNameLength: 80, // left open by the contract: fits one line of a list
  displayNameLength: 80, // ours, as agentNameLength
  zoneNameLength: 64, // ours: the longest name of the IANA database has 32
  localeLength: 35, // RFC 5646 4.4.1: the length that an application has to support
  keyLabelLength: 80, // ours: it may become the name of an agent
  passwordMin: 12, // settled.md 8
  passwordMax: 128, // settled.md 8
  bcryptCost: 12, // settled.md 8
  hashesAtOnce: 2, // settled.md 8
  hashesWaiting: 100, // ours: more are a flood, with waits of more than half a minute
  hashesOfOwner: 2, // ours: running and waiting, of an owner who is logged in
  hashesOfNetwork: 20, // ours: the same, of an address for one purpose; twice the logins that it has in a minute
  legalSourceLength: 40, // settled.md 8
  suspensionReasonLength: 500, // ours: as that of a quarantine
  preferencesBytes: 8 * 1024, // settled.md 8
  passwordChangesPerHour: 5, // ours: of an owner, per UTC hour
} as const;

export const API_KEY = {
  noteEvery: MINUTE, // ours: how often the use of a key is written down
  longestLife: 366 * DAY, // ours: of a key that expires; a year, also a leap year
  networks: 20, // ours: that a key is used from
  expiryNotice: 14 * DAY, // ours: how long before its expiry a key is in the dashboard and has an event
} as const;

export const SESSION = {
  idle: 12 * HOUR, // settled.md 8
  absolute: 7 * DAY, // settled.md 8
  noteEvery: MINUTE, // ours: how often the use of a session is written down
  reauthenticateAfter: 10 * MINUTE, // ours: unless REAUTH_MINUTES says otherwise
  perOwner: 100, // ours: a further login ends the session that was unused for longest
} as const;

/** Attempts to prove the password of one account, whether it exists or not. */
export const LOGIN = {
  known: 30 * DAY, // ours: how long a network is known after a login; at most SECURITY_EVENTS.leastKept
  deviceLife: 180 * DAY, // ours: of the cookie of a device, renewed by each login
  keep: DAY, // ours: counts of attempts, password changes, archivings and new accounts; at least as long as the longest window
  attempts: 10, // ours: failed ones, and those under way, per window
  window: 15 * MINUTE, // ours: fixed quarters of an hour
} as const;

/** Codes of authenticator apps (RFC 6238). */
export const TOTP = {
  digits: 6, // what every app shows
  step: 30 * SECOND, // RFC 6238 5.2
  drift: 1, // RFC 6238 5.2: steps that a clock may be behind or ahead
  secretBytes: 20, // RFC 4226 4: 160 bits
  beginLife: 10 * MINUTE, // ours: from the secret to its first code
} as const;

/** Second factors of owners. */
export const FACTOR = {
  codesPerWindow: 5, // ours: wrong codes of an account per LOGIN.window, and those under way
  codesPerDay: 30, // ours: wrong codes of an account per UTC day, and those under way
  recoveryCodes: 10, // ours: of a set
  /** Ours: between the operator's request and the removal of lost factors; a mail of Friday evening is read before. */
  resetWait: 3 * DAY,
  recoverySigns: 24, // ours: of a recovery code, 5 bits each: more than 112, so that a fast hash is enough (ASVS 5.0, 6.5.2)
} as const;

/** Passkeys of owners (WebAuthn level 3). */
export const PASSKEY = {
  perOwner: 10, // ours
  nameLength: 80, // ours, as agentNameLength
  challengeLife: 5 * MINUTE, // WebAuthn 15.1: within the recommended range
  algorithms: [-8, -7, -257], // COSE: EdDSA, ES256, RS256, as WebAuthn 5.4 recommends
  answerLength: 16_384, // ours: characters of a binary member; the id and the key of a passkey are far shorter
} as const;

/** The erasure of owners, in steps that hold no row for long. */
export const ERASURE = {
  grace: 7 * DAY, // ours: how long it can be taken back; app.schedule_erasure refuses less
  step: 200, // ours: records of one transaction
  rows: 1_000, // ours: other rows of one statement
  owners: 100, // ours: of a page
  sweep: 30 * SECOND, // ours: a run begins no step after that, and another run goes on
  lookAgain: 10 * SECOND, // ours: at records that were being evaluated
} as const;

/** The rows of security events; further ones are counted (see `SecurityEventStore`). */
export const SECURITY_EVENTS = {
  ofOwner: 200, // ours: rows of an owner, a result and a UTC day
  ofUnknown: 1_000, // ours: the same of events without an owner
  leastKept: 30 * DAY, // ours: no role removes a younger row; SECURITY_EVENTS_KEPT_DAYS is at least that
} as const;

export const IDENTITY = {
  tokenRequest: 10 * SECOND, // settled.md 8: deadline of the provider's token endpoint
  keySetRefetch: MINUTE, // settled.md 8: at most one refetch for unknown key ids
  slowDown: 5 * SECOND, // settled.md 8: added to the polling interval by SLOW_DOWN
  clockSkew: MINUTE, // ours, at most that much: how far the provider's clock may be from ours
  metadataRequest: 5 * SECOND, // ours: deadline of the provider's addresses and of its keys
  metadataFresh: HOUR, // ours: after which its addresses are looked up again
  keySetFresh: 10 * MINUTE, // ours: after which its keys are fetched again, so that a withdrawn one loses its trust
  metadataRetry: 5 * SECOND, // ours: until the first metadata arrive
  logoutLife: 5 * MINUTE, // ours: how far a logout token's time of issue may be from now
  logoutToken: 16_384, // ours: characters of a logout token
  longestToken: DAY, // ours: unless IDP_TOKEN_MINUTES says otherwise
  loginLife: 10 * MINUTE, // ours: from the redirect to the provider to the callback
} as const;

export const DEVICE_FLOW = {
  defaultInterval: 5 * SECOND, // RFC 8628 3.2: when the provider sends none
  longestInterval: MINUTE, // ours: a caller that polls without pause still gets a poll through this often
  longestLife: HOUR, // ours: whatever the provider grants
  lease: 45 * SECOND, // ours: longer than one exchange with the provider can take
  keep: HOUR, // ours: how long after its end polls still report how a sign-in ended
} as const;
