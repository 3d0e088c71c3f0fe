import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from '../client/errors.ts';
import { type OwnerSession, openOwnerSession } from '../client/send.ts';
import { settingsOf } from '../client/settings.ts';
import { complain, describeError, type Options } from './usage.ts';

/** What a login stores. */
export interface Credentials {
  readonly url: string;
  readonly api_key: string;
  readonly agent_id: string;
}

/** The file of the login, in the user's folder for configuration (XDG). */
export function credentialsFile(): string {
  const { XDG_CONFIG_HOME: named = '' } = process.env;
  return join(isAbsolute(named) ? named : join(homedir(), '.config'), 'stancebook', 'credentials.json');
}

/** Only the user can read the file, at any moment of the write. */
export function storeCredentials(credentials: Credentials): string {
  const file = credentialsFile();
  const written = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  rmSync(written, { force: true });
  writeFileSync(written, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(written, file);
  return file;
}

/** @throws UsageError for a file that other users can read, or that is not one of a login */
function storedCredentials(): Credentials | null {
  const file = credentialsFile();
  const text = textOf(file);
  if (text === null) return null;
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new UsageError(`Other users can read ${file}: run chmod 600 on it, and get another key.`);
  }
  const { url, api_key, agent_id } = parsed(text);
  if (typeof url !== 'string' || typeof api_key !== 'string') {
    throw new UsageError(`${file} is not the file of a login: run stancebook login.`);
  }
  return { url, api_key, agent_id: String(agent_id) };
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Where a command sends its requests. */
export interface Connection {
  readonly url: string;
  readonly apiKey: string | null;
  readonly allowHttp: boolean;
}

/**
 * The service and the key of a command. A stored key is sent to the service that issued it alone.
 * @throws UsageError without an address
 */
export function connectionOf({ url, 'allow-http': allowHttp = false }: Options): Connection {
  const { STANCEBOOK_URL, STANCEBOOK_API_KEY } = process.env;
  const stored = STANCEBOOK_API_KEY && (url || STANCEBOOK_URL) ? null : storedCredentials();
  const address = (url || STANCEBOOK_URL || stored?.url)?.replace(/\/+$/, '');
  if (!address) throw new UsageError('Name the service: --url, STANCEBOOK_URL, or stancebook login.');
  const own = stored !== null && stored.url === address ? stored.api_key : null;
  return { url: address, apiKey: STANCEBOOK_API_KEY || own, allowHttp };
}

/** @throws UsageError without a key */
export function keyedConnectionOf(options: Options): Connection {
  const connection = connectionOf(options);
  if (connection.apiKey === null) throw new UsageError('There is no API key: set STANCEBOOK_API_KEY, or log in.');
  return connection;
}

/** Logs in with a password that the user types, and a code of a second factor where the account has one. */
export async function typedOwnerSession(connection: Connection, email: string): Promise<OwnerSession> {
  const secrets = typedSecrets();
  try {
    const password = await secrets.read(`Password of ${email}: `);
    const code = () => secrets.read('Code of the authenticator app, or a recovery code: ');
    const session = await openOwnerSession(settingsOf(connection), { email, password, code });
    return { ...session, close: async () => complainOf(await session.close()) };
  } finally {
    secrets.close();
  }
}

function complainOf(fault: unknown): void {
  if (fault === null) return;
  complain(
    `The login could not be ended: ${describeError(fault)}\n  What was asked for is done. End the session on the page.`,
  );
}

/** What the user types; the lines of standard input where that is no terminal. */
function typedSecrets() {
  const { stdin: input } = process;
  if (input.isTTY) return { read: typedSecret, close: () => undefined };
  const reader = createInterface({ input });
  const lines = reader[Symbol.asyncIterator]();
  return { read: async () => String((await lines.next()).value ?? ''), close: () => reader.close() };
}

/** Without showing it. */
async function typedSecret(prompt: string): Promise<string> {
  const { stdin: input, stderr } = process;
  stderr.write(prompt);
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input, output: hidden, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}
