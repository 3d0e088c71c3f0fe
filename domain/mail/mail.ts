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
