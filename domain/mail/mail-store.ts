import type { Millis } from '../time.ts';
import type { ClaimedMail, MailFailure, MailKind, MailLimit, MailProgress } from './mail.ts';

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
