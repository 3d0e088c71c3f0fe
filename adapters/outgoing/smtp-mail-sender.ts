import { createTransport } from 'nodemailer';
import { MAIL } from '../../domain/limits.ts';
import type { MailFailure, MailSender, OutgoingMail } from '../../domain/mail/mail.ts';
import type { Millis } from '../../domain/time.ts';

export interface SmtpSettings {
  /** `smtp:` or `smtps:`, with user and password where the server asks for them. */
  readonly url: string;
  readonly from: { readonly name: string; readonly address: string };
}

/** What is outside of the process, for tests. */
export interface SmtpSurroundings {
  /** Certificates of authorities in PEM, in place of those of Node.js. */
  readonly ca?: string;
  readonly deadline?: Millis;
  /** Whether a host is this machine. */
  readonly isOwn?: (host: string) => boolean;
}

/**
 * Sends mails over SMTP, each on a connection of its own. All but the greeting is sent over TLS, with a certificate that is
 * valid for the host, whatever NODE_TLS_REJECT_UNAUTHORIZED says. With `smtp:` to this machine, TLS and its certificate are
 * the server's choice: nobody is between us and it.
 */
export function smtpMailSender({ url, from }: SmtpSettings, surroundings: SmtpSurroundings = {}): MailSender {
  const { deadline = MAIL.deadline } = surroundings;
  const transport = createTransport({ ...connectionOf(new URL(url), surroundings), ...PLAIN, ...timeouts(deadline) });

  async function within(work: () => Promise<unknown>): Promise<MailFailure | null> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Late()), deadline);
    try {
      await Promise.race([work(), late.promise]);
      return null;
    } catch (error) {
      return failureOf(error);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async send(mail) {
      const reason = await within(() => transport.sendMail(messageOf(mail, from)));
      return reason === null ? { outcome: 'accepted' } : { outcome: 'failed', reason };
    },
    check: () => within(() => transport.verify()),
  };
}

class Late extends Error {}
class HeaderFault extends Error {}

/** No content of a mail names a file or a URL to be read. */
const PLAIN = { disableFileAccess: true, disableUrlAccess: true, logger: false } as const;

function timeouts(deadline: Millis) {
  return { connectionTimeout: deadline, greetingTimeout: deadline, socketTimeout: deadline, dnsTimeout: deadline };
}

function connectionOf(
  { protocol, hostname, port, username, password }: URL,
  { ca, isOwn = isLoopback }: SmtpSurroundings,
) {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = protocol === 'smtps:';
  const isTrusted = !secure && isOwn(host);
  const auth = username === '' ? undefined : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    host,
    port: Number(port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !isTrusted,
    ...(auth && { auth }),
    tls: { rejectUnauthorized: !isTrusted, ...(ca !== undefined && { ca }) },
  };
}

function isLoopback(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
}

/** Auto-Submitted (RFC 3834, 5) keeps programs from answering. Addresses are objects, so that none is parsed as a list. */
function messageOf({ mail_id, to, subject, text, date }: OutgoingMail, from: SmtpSettings['from']) {
  const domain = from.address.split('@').at(-1) ?? '';
  return {
    from: { name: from.name, address: from.address },
    to: { name: '', address: oneLine(to) },
    subject: oneLine(subject),
    text,
    date,
    messageId: `<${mail_id}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

/** @throws HeaderFault for a text that would end a header */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
  if (/[\u0000-\u001f\u007f]/.test(text)) throw new HeaderFault();
  return text;
}

interface SmtpError {
  readonly code?: unknown;
  /** That of the system or of TLS, where nodemailer put its own in place of it. */
  readonly originalCode?: unknown;
  readonly responseCode?: unknown;
  readonly command?: unknown;
}

/** By the codes of nodemailer and the reply of the server; its text is not used. */
function failureOf(error: unknown): MailFailure {
  if (error instanceof Late) return 'timed_out';
  if (error instanceof HeaderFault) return 'internal';
  const { code, originalCode, responseCode, command }: SmtpError =
    typeof error === 'object' && error !== null ? error : {};
  if (code === 'EAUTH' || code === 'ENOAUTH') return 'login_failed';
  if (code === 'ETLS' || [code, originalCode].some(isOfTls)) return 'tls_failed';
  if (code === 'ETIMEDOUT') return 'timed_out';
  const reply = typeof responseCode === 'number' ? responseCode : 0;
  if (reply >= 500 && command === 'RCPT TO') return 'recipient_refused';
  return reply >= 400 ? 'try_later' : 'connection_failed';
}

/** Codes of Node.js and OpenSSL for a handshake or a certificate that fails. */
function isOfTls(code: unknown): boolean {
  return typeof code === 'string' && /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code);
}
