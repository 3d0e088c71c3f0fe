import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as the server got it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Whether it came over TLS. */
  readonly secure: boolean;
  readonly user: string | null;
  readonly raw: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Mailbox {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  close(): Promise<void>;
}

export interface MailboxOptions extends SMTPServerOptions {
  /** The reply to the content of a mail, instead of accepting it. */
  readonly refuseContent?: () => { readonly code: number } | null;
}

/** A mail server on loopback that keeps what it gets; any user and password are right. */
export async function openMailbox({ refuseContent = () => null, ...options }: MailboxOptions = {}): Promise<Mailbox> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    logger: false,
    authOptional: true,
    onAuth: ({ username = '' }, _session, done) => done(null, { user: username }),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const refusal = refuseContent();
        if (refusal) {
          done(Object.assign(new Error('refused'), { responseCode: refusal.code }));
          return;
        }
        const raw = Buffer.concat(chunks).toString('latin1');
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          secure: session.secure,
          user: typeof session.user === 'string' ? session.user : null,
          raw,
          ...parsedMail(raw),
        });
        done();
      });
    },
    ...options,
  });
  // A client that goes away is no fault of the server.
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return {
    port: (listening.address() as AddressInfo).port,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The token of the link in a mail; the service's address is `http://127.0.0.1:3000`. */
export function tokenIn({ text }: Pick<ReceivedMail, 'text'>, purpose: 'reset' | 'confirm'): string {
  const [, token] = new RegExp(`/#/${purpose}/([\\w-]{43})\\s`).exec(text) ?? [];
  if (token === undefined) throw new Error(`There is no link to ${purpose} in the mail.`);
  return token;
}

/** One part of plain text, 7bit or quoted-printable. */
function parsedMail(raw: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = raw.slice(end + 4).replaceAll('\r\n', '\n');
  const isQuoted = headers['content-transfer-encoding'] === 'quoted-printable';
  return { headers, text: isQuoted ? unquoted(body) : body };
}

function unquoted(body: string): string {
  return body
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
