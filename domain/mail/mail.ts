import type { ActionSource } from '../accounts/security-event.ts';
import { MAIL } from '../limits.ts';
import { HOUR, type Millis, rfc3339 } from '../time.ts';
import type { NoticeKind } from './notices.ts';

/** Mails with a one-time link, which somebody asked for. */
export const LINK_MAILS = ['password_reset', 'email_confirmation'] as const;
export type LinkMail = (typeof LINK_MAILS)[number];
export type MailKind = LinkMail | NoticeKind;

/** A link as it is sent: its token is stored nowhere else. */
export interface SentLink {
  readonly token: string;
  readonly expires_at: string;
}

/** What a mail is made of; it is stored sealed until the mail has ended. */
export interface MailContent {
  /** The address as the owner wrote it; of a reset as the caller wrote it. */
  readonly to: string;
  /** null: a sweep of the service did it. */
  readonly source: ActionSource | null;
  /** What a notice is about, such as the prefix of a key; several have spaces between them. */
  readonly subject: string | null;
  /** Of a `LINK_MAILS`, from the first attempt on. */
  readonly link: SentLink | null;
}

const MAIL_STATES = ['pending', 'sent', 'failed', 'void'] as const;
/** `void`: there was nothing to send, as for an address without an account. */
export type MailState = (typeof MAIL_STATES)[number];

/** Why a mail was not accepted. */
export const MAIL_FAILURES = [
  'connection_failed',
  'timed_out',
  'tls_failed',
  'login_failed',
  /** The server refuses for now (a reply of 400 to 499), or refused something else than the recipient. */
  'try_later',
  /** The server refuses the recipient (a reply of 500 to 599). */
  'recipient_refused',
  /** It was not sent in time. */
  'expired',
  /** Sealed under another SESSION_SECRET. */
  'unreadable',
  /** A fault of ours. */
  'internal',
] as const;
export type MailFailure = (typeof MAIL_FAILURES)[number];

export type MailResult =
  | { readonly outcome: 'accepted' }
  /** There is nothing to send. */
  | { readonly outcome: 'void' }
  | { readonly outcome: 'failed'; readonly reason: MailFailure };

export interface MailProgress {
  readonly status: MailState;
  readonly failure: MailFailure | null;
  /** When it is sent again; null once it has ended. */
  readonly due_at: Date | null;
}

/** A mail that is being sent. */
export interface ClaimedMail {
  readonly mail_id: string;
  readonly kind: MailKind;
  readonly owner_id: string | null;
  /** Sealed. */
  readonly content: Uint8Array;
  /** Attempts, this one included. */
  readonly attempts: number;
  readonly created_at: Date;
  readonly expires_at: Date;
  /** Of this attempt. */
  readonly token: string;
}

/** At most so many mails within a time; those of one kind, or all that count together with the mail. */
export interface MailLimit {
  readonly of: 'kind' | 'all';
  readonly within: Millis;
  readonly most: number;
}

/** Whether somebody asked for mails of the kind; these count apart from notices. */
export function isOnRequest(kind: MailKind): kind is LinkMail {
  return LINK_MAILS.some((each) => each === kind);
}

/** What an address gets at most in any hour, of mails that were asked for and of notices. */
export function hourlyLimit(kind: MailKind): MailLimit {
  return { of: 'all', within: HOUR, most: isOnRequest(kind) ? MAIL.onRequestPerHour : MAIL.noticesPerHour };
}

/** How long after it was queued a mail is given up. */
export function lifeOf(kind: MailKind): Millis {
  return kind === 'password_reset' ? MAIL.resetLife : MAIL.giveUpAfter;
}

/**
 * A mail after an attempt: what failed is sent again, after pauses that double, until it has expired or its recipient was
 * refused for good.
 * @param random 0 to 1, for the jitter
 */
export function afterAttempt(
  { attempts, expires_at }: Pick<ClaimedMail, 'attempts' | 'expires_at'>,
  result: MailResult,
  now: Date,
  random: number,
): MailProgress {
  if (result.outcome === 'accepted') return { status: 'sent', failure: null, due_at: null };
  if (result.outcome === 'void') return { status: 'void', failure: null, due_at: null };
  const pause = Math.min(MAIL.firstPause * 2 ** (attempts - 1), MAIL.longestPause) * (1 + MAIL.jitter * random);
  const due_at = new Date(now.getTime() + pause);
  const failure = result.reason;
  const isFinal = failure === 'recipient_refused' || failure === 'unreadable' || failure === 'expired';
  return isFinal || due_at >= expires_at
    ? { status: 'failed', failure, due_at: null }
    : { status: 'pending', failure, due_at };
}

/** The link with its expiry as stored with the mail. */
export function sentLink(token: string, expires_at: Date): SentLink {
  return { token, expires_at: rfc3339(expires_at) };
}

export interface OutgoingMail {
  readonly mail_id: string;
  readonly to: string;
  readonly subject: string;
  /** Lines of plain text. */
  readonly text: string;
  /** When it was queued. */
  readonly date: Date;
}

/** Hands mails to a mail server. */
export interface MailSender {
  /** Never throws: a fault is a result. The same mail has the same Message-ID whenever it is sent. */
  send(mail: OutgoingMail): Promise<Extract<MailResult, { readonly outcome: 'accepted' | 'failed' }>>;

  /** Connects and logs in without a mail; null: the server accepts us. */
  check(): Promise<Extract<MailResult, { readonly outcome: 'failed' }>['reason'] | null>;
}

export interface NewMail {
  readonly mail_id: string;
  readonly kind: MailKind;
  /** null where it is not known yet whether the address has an account. */
  readonly owner_id: string | null;
  /** The keyed hash of the folded address. */
  readonly address_hash: Uint8Array;
  /** Sealed. */
  readonly content: Uint8Array;
  /** Until it is given up, from now. */
  readonly life: Millis;
}

export interface QueuedMail {
  readonly admitted: boolean;
  readonly at: Date;
  /** When the address may get such a mail again; null where it was admitted. */
  readonly free_at: Date | null;
}

/** What is queued, for metrics and operators. */
export interface MailBacklog {
  /** Mails that should have been sent. */
  readonly due: number;
  /** Since when the first of them has been queued. */
  readonly since: Date | null;
  /** Mails that are to be sent again, because the last attempt failed. */
  readonly failed: number;
  /** Since when the first of them has been queued. */
  readonly failed_since: Date | null;
  /** Why it failed, for most of them. */
  readonly failure: MailFailure | null;
}

/** The mails that are to be sent (an outbox), and those of the last days without their content. */
export interface MailStore {
  /**
   * Queues a mail, in the transaction of what it reports, unless the address has as many as one of the limits admits: in any
   * time of its length, on any number of processes. Mails that were asked for and notices count apart. A mail counts from
   * when it was queued, also one that was not sent, and after its owner was deleted.
   */
  add(mail: NewMail, limits: readonly MailLimit[]): Promise<QueuedMail>;

  /**
   * Takes mails that are due, for as long as the lease: no other call gets them before its end. Of those of an address, asked
   * for or notices, no more are taken than `hourlyLimit` leaves of what was sent in the last hour; the others are due again
   * a minute later.
   */
  claim(limit: number, lease: Millis): Promise<readonly ClaimedMail[]>;

  /** Replaces the content of a mail that the token's process sends, and names its owner. false when the lease is over. */
  address(mail_id: string, token: string, owner_id: string, content: Uint8Array): Promise<boolean>;

  /**
   * Ends an attempt by what the rule makes of it; a mail that has ended keeps no content. false when another process has it.
   * @param rule gets the time of the database
   */
  settle(claimed: ClaimedMail, rule: (now: Date) => MailProgress): Promise<boolean>;

  /** When the next mail is due; null: none is queued. */
  nextDue(): Promise<Date | null>;

  backlog(): Promise<MailBacklog>;

  /** Removes mails that were queued `MAIL.kept` ago; returns how many. */
  prune(): Promise<number>;
}
