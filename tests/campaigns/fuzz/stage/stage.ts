import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../../../adapters/postgres/migrations/migrate.ts';
import { SERVICE_ROLE } from '../../../../infrastructure/embedded-postgres/roles.ts';
import { freePort } from '../../../../infrastructure/embedded-postgres/supervisor.ts';
import { openMailbox } from '../../../harness/mailbox.ts';
import { limitVariables, serviceEnvironment, UNREACHED_LIMITS } from '../../stage/environment.ts';
import { evidenceLogEnvironment, makeLogKey } from '../../stage/evidence-log.ts';
import { dumpEnvironment } from '../../stage/made-dumps.ts';
import { writePrices } from '../../stage/prices.ts';
import { type ServerProcess, startService } from '../../stage/server-process.ts';
import type { ThrowawayDatabase } from '../../stage/throwaway-database.ts';
import { type Document, readDocument } from '../document.ts';
import { type Line, openLine, type Send } from '../send.ts';
import { readTools } from '../tools.ts';
import { ADMIN_SUBJECT, accountCaller, type Caller, callersOf } from './callers.ts';
import { addPerson, type Person } from './people.ts';
import { openProvider } from './provider.ts';
import { EMAIL, type Things, thingsOf } from './things.ts';

/** The service in two processes on one database: one without effective limits, one with those of the contract. */
export interface Stage {
  readonly document: Document;
  readonly callers: readonly Caller[];
  readonly things: Things;
  readonly wide: ServerProcess;
  readonly narrow: ServerProcess;
  readonly lines: { readonly wide: Line; readonly narrow: Line };
  /** Undoes what keeps callers out: other requests end the sessions of the account with a password, and stop all keys. */
  readonly renewCallers: () => Promise<void>;
  /** Lines of the logs that report a fault of the service. */
  readonly loggedFaults: readonly string[];
}

export async function openStage(throwaway: ThrowawayDatabase, closers: (() => Promise<void> | void)[]): Promise<Stage> {
  const { database, folder, adopt } = throwaway;
  await migrate({ url: database.url, serviceRole: SERVICE_ROLE });
  const provider = await openProvider();
  closers.push(() => provider.close());
  const mailbox = await openMailbox();
  closers.push(() => mailbox.close());
  const owner = new pg.Client({ connectionString: database.url });
  // Its server ends first when the campaign is interrupted.
  owner.on('error', () => undefined);
  await owner.connect();
  closers.push(() => owner.end());
  const bars = join(folder, 'bars');
  mkdirSync(bars);
  writePrices(bars, new Date());
  const shared = {
    ...serviceEnvironment(database),
    ...ENVIRONMENT,
    MARKET_DATA_BARS_DIR: bars,
    ...provider.environment,
    SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
    MAIL_FROM: 'notices@fuzz.test',
    ...dumpEnvironment(folder),
  };
  const start = async (name: string, own: Readonly<Record<string, string>>) => {
    const port = await freePort();
    const place = {
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ALLOWED_HOSTS: 'fuzz.test',
      DATA_DIR: join(folder, name),
    };
    return startService({ ...shared, ...place, ...own }, adopt);
  };
  const log = evidenceLogEnvironment(makeLogKey(folder), folder);
  const wide = await start('wide', { ROLE: 'all', ...log, ...limitVariables(UNREACHED_LIMITS) });
  const narrow = await start('narrow', { ROLE: 'api', TRUST_PROXY: '1' });
  const loggedFaults = loggedFaultsOf([wide, narrow]);
  const lines = { wide: openLine(wide.url), narrow: openLine(narrow.url) };
  closers.push(lines.wide.close, lines.narrow.close);
  await owner.query('begin');
  const people: [Person, Person, Person] = [
    await addPerson(owner, 'owner'),
    await addPerson(owner, 'owner'),
    await addPerson(owner, 'admin'),
  ];
  await owner.query('commit');
  const callers = await callersOf(people, provider);
  await makeAdmin(owner, callers, wide.url);
  const served = readDocument(await (await fetch(`${wide.url}/openapi.json`)).text());
  const tools = await readTools(lines.wide.send, { 'x-api-key': people[0].keys.read_write }, served);
  const document = { ...served, operations: [...served.operations, ...tools] };
  const things = await thingsOf(lines.wide.send, document, callers, people);
  const sessions = callers.filter(({ credential, isForeign }) => credential === 'legacy_session' && !isForeign);
  const renewCallers = async () => {
    const cookie = await logIn(wide.url, things.get('account_password')?.[0]);
    if (cookie) things.set('account_session', [cookie.replace('sid=', '')]);
    await Promise.all(sessions.map((caller) => takeBackErasure(lines.wide.send, caller)));
  };
  await renewCallers();
  const account = accountCaller(`sid=${things.get('account_session')?.[0]}`);
  return { document, callers: [...callers, account], things, wide, narrow, lines, renewCallers, loggedFaults };
}

/** Logs in to the account that has a password; the cookie of its session is empty if it is locked. */
async function logIn(url: string, password: string | undefined): Promise<string> {
  const login = () =>
    fetch(`${url}/api/v1/public/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: EMAIL, password }),
    });
  // The service may close a kept connection in the moment in which it is used again.
  const reply = await login().catch(login);
  return /^sid=[\w-]+/.exec(reply.headers.get('set-cookie') ?? '')?.[0] ?? '';
}

/**
 * The keys of an account that is to be erased do not work, and those of most are: more requests schedule than take back.
 * What a busy machine refuses is asked again before the next requests.
 */
async function takeBackErasure(send: Send, caller: Caller): Promise<void> {
  await send({ method: 'DELETE', path: '/api/v1/owner/erasure', headers: caller.headers(), body: null });
}

/** Uses the token once, which creates the owner, and makes it an admin. */
async function makeAdmin(client: pg.Client, callers: readonly Caller[], url: string): Promise<void> {
  const headers = callers.find(({ name }) => name === 'admin bearer')?.headers() ?? {};
  await fetch(`${url}/api/v1/owner/dashboard`, { headers });
  const made = `update app.owners set role = 'admin', tier = 'pro'
    where owner_id = (select owner_id from app.identities where subject = $1)`;
  const { rowCount } = await client.query(made, [ADMIN_SUBJECT]);
  if (rowCount !== 1) throw new Error('The first request with the admin token created no owner.');
}

/** Collects log lines that only a fault of the service causes: `warn` is for faults of clients. */
function loggedFaultsOf(servers: readonly ServerProcess[]): readonly string[] {
  const loggedFaults: string[] = [];
  for (const { child } of servers) {
    const read = (text: Buffer) => {
      const lines = String(text)
        .split('\n')
        .filter((line) => /"level":"error"|INTERNAL_ERROR|nhandled/.test(line));
      loggedFaults.push(...lines);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code, signal) => {
      if (signal !== 'SIGTERM' && code !== 0) loggedFaults.push(`a server ended ${signal ?? `with ${code}`}`);
    });
  }
  return loggedFaults;
}

const ENVIRONMENT = {
  DATABASE_POOL: '8',
  LOG_FORMAT: 'json',
  CIRCUIT_MONITOR: 'false',
  WISDOM_MIN_PRODUCERS: '1',
  WISDOM_MIN_SAMPLES: '1',
} as const;
