import type { MailResult } from './mail.ts';

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
