import type { Millis } from '../time.ts';

/** What a security event is about. A login, by password, by provider or by passkey, begins a session. */
export const SECURITY_EVENT_KINDS = [
  'registration',
  /** An account was created by the first use of an identity of the provider. */
  'identity_linked',
  'login',
  'provider_login',
  'passkey_login',
  'device_sign_in',
  /** A password was not checked, because there were too many attempts. */
  'lockout',
  'reauthentication',
  'logout',
  'session_ended',
  'password_changed',
  'password_reset',
  /** The subject of these two is the kind of factor. */
  'factor_added',
  'factor_removed',
  /** A code of a second factor was wrong, or used before. */
  'factor_failed',
  'recovery_code_used',
  'recovery_codes_renewed',
  /** An operator requested the removal of all factors; the subject is how the person was identified. */
  'factors_reset_requested',
  /** It was taken back: by the owner, by a login with a factor, or by an operator. */
  'factors_reset_cancelled',
  /** All factors were removed, after such a request. */
  'factors_reset',
  /** A link to reset the password was made: for a mail that somebody asked for, or by an operator. */
  'password_reset_requested',
  'email_confirmed',
  'key_created',
  'key_rotated',
  'key_revoked',
  'key_changed',
  /** A request with a key that its bounds refused. */
  'key_refused',
  'webhook_created',
  /** Its URL was changed. */
  'webhook_changed',
  'webhook_secret_rotated',
  'webhook_removed',
  /** An export of the owner's data began; the subject is its format. */
  'data_exported',
  /** A request to the admin area without admin access. */
  'admin_call',
  'role_changed',
  'tier_changed',
  'account_suspended',
  'account_resumed',
  /** The owner asked for the erasure of the account. */
  'erasure_scheduled',
  'erasure_taken_back',
  'account_deleted',
  /** What the owner wrote is erased. */
  'records_erased',
] as const;
export type SecurityEventKind = (typeof SECURITY_EVENT_KINDS)[number];

/** Events in which the owner proved to be the owner: the network that they came from is familiar then. */
export const FAMILIAR_KINDS: readonly SecurityEventKind[] = [
  'registration',
  'identity_linked',
  'login',
  'provider_login',
  'passkey_login',
  'device_sign_in',
  'reauthentication',
  'password_changed',
];

export const EVENT_RESULTS = ['success', 'failure'] as const;
export type EventResult = (typeof EVENT_RESULTS)[number];

export const CLIENT_KINDS = ['browser', 'curl', 'python', 'mcp', 'other', 'command_line'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

/** Where an action came from, without what identifies a person. */
export interface ActionSource {
  readonly request_id: string | null;
  /** A keyed hash of the caller's network (see `networkHash`); equal for equal networks while the key is the same. */
  readonly network: string | null;
  readonly client: ClientKind;
}

/** The source of what operators do by commands. */
export const COMMAND_LINE: ActionSource = { request_id: null, network: null, client: 'command_line' };

/** An event that concerns the security of an account, or of the service. */
export interface SecurityEvent extends ActionSource {
  readonly kind: SecurityEventKind;
  readonly result: EventResult;
  /** null where no account is known: the email that a caller sent is never stored. */
  readonly owner_id: string | null;
  /** Who did it, where that is not the owner: as in the audit log. */
  readonly actor: string | null;
  /** What it was done to, such as the prefix of a key. */
  readonly subject: string | null;
}

/** Equal events of a minute are one row. */
export interface StoredSecurityEvent extends SecurityEvent {
  /** Digits; greater in later rows. */
  readonly seq: string;
  /** The first of them, whose request_id it has. */
  readonly at: Date;
  readonly last_at: Date;
  readonly count: number;
}

/** What an operator did to an account, by a command unless another source is given. */
export function operatorEvent(
  kind: SecurityEventKind,
  owner_id: string,
  actor: string,
  source: ActionSource = COMMAND_LINE,
): SecurityEvent {
  return { ...eventOf(kind, 'success', owner_id, source), actor };
}

/** An event of an owner's own, or of an unknown caller, that is about nothing else. */
export function eventOf(
  kind: SecurityEventKind,
  result: EventResult,
  owner_id: string | null,
  { request_id, network, client }: ActionSource,
): SecurityEvent {
  return { kind, result, owner_id, actor: null, subject: null, request_id, network, client };
}

/** The event as its owner sees it. The owner does not see which operator it was. */
export function ownEventOf({ seq: _, owner_id: __, actor, ...event }: StoredSecurityEvent) {
  return { ...event, by_operator: actor !== null };
}

/** An event has to match every member that is there. */
export interface SecurityEventFilter {
  readonly owner_id?: string | undefined;
  readonly kind?: SecurityEventKind | undefined;
  readonly result?: EventResult | undefined;
  /** Begun then or later. */
  readonly since?: Date | undefined;
}

/** What else is known where an event is stored; stored with it is nothing of it. */
export interface EventContext {
  /** Whether the browser proved by its cookie that its owner has logged in with it before. */
  readonly isKnownBrowser?: boolean;
}

export type EventPlace = Pick<StoredSecurityEvent, 'at' | 'seq'>;

/** The security events of accounts. No row is changed or removed, except as described here. */
export interface SecurityEventStore {
  /**
   * Stores an event of this moment; inside the transaction of the action that it reports, if there is one, and before its
   * entry of the audit log. Events of a
   * minute that are equal but for the request are one row, which counts them. Of the events of an owner and result, the
   * first `SECURITY_EVENTS.ofOwner` rows of a UTC day are stored as they are (`ofUnknown` without an owner; each
   * transaction at the same moment may add one more); further ones are counted in a row for the day and kind, without
   * their source, actor and subject. So a flood of requests fills no disk, and hides no event of the other result.
   */
  append(event: SecurityEvent, context?: EventContext): Promise<void>;

  /** Up to `limit` rows that match the filter and begun before `after`, the newest first. */
  list(filter: SecurityEventFilter, after: EventPlace | null, limit: number): Promise<readonly StoredSecurityEvent[]>;

  /**
   * Whether the owner logged in by password from that network in the last `LOGIN.known`, with the password of today:
   * since the password was changed, by that change or by a login after it.
   */
  hasLoggedIn(owner_id: string, network: string | null): Promise<boolean>;

  /** Whether the owner opened the account, signed in or proved the password from that network in the last `LOGIN.known`. */
  isFamiliar(owner_id: string, network: string | null): Promise<boolean>;

  /**
   * Removes rows whose last event is at least that long ago; returns how many.
   * @param keep at least `SECURITY_EVENTS.leastKept`: younger rows stay, for every role of the database
   */
  prune(keep: Millis): Promise<number>;
}
