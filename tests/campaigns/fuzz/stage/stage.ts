import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../../../adapters/postgres/migrations/migrate.ts';
import { freePort } from '../../../../infrastructure/embedded-postgres/free-port.ts';
import { SERVICE_ROLE } from '../../../../infrastructure/embedded-postgres/roles.ts';
import { limitVariables, serviceEnvironment, UNREACHED_LIMITS } from '../../stage/environment.ts';
import { writePrices } from '../../stage/prices.ts';
import { type ServerProcess, startService } from '../../stage/server-process.ts';
import type { ThrowawayDatabase } from '../../stage/throwaway-database.ts';
import { type Document, readDocument } from '../document.ts';
import { type Line, openLine } from '../send.ts';
import { ADMIN_SUBJECT, accountCaller, type Caller, callersOf } from './callers.ts';
import { addPerson, type Person } from './people.ts';
import { openProvider } from './provider.ts';
import { EMAIL, PASSWORD, type Things, thingsOf } from './things.ts';

/** The service in two processes on one database: one with limits out of the way, one with those of the contract. */
export interface Stage {
  readonly document: Document;
  readonly callers: readonly Caller[];
  readonly things: Things;
  readonly wide: ServerProcess;
  readonly narrow: ServerProcess;
  readonly lines: { readonly wide: Line; readonly narrow: Line };
  /** Lines of the logs that tell of a fault of ours. */
  readonly complaints: readonly string[];
}

export async function openStage(throwaway: ThrowawayDatabase, closers: (() => Promise<void> | void)[]): Promise<Stage> {
  const { database, folder, adopt } = throwaway;
  await migrate({ url: database.url, serviceRole: SERVICE_ROLE });
  const provider = await openProvider();
  closers.push(() => provider.close());
  const owner = new pg.Client({ connectionString: database.url });
  // It ends with its server when the campaign is interrupted.
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
  };
  const start = async (name: string, own: Readonly<Record<string, string>>) => {
    const port = await freePort();
    const place = { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}`, DATA_DIR: join(folder, name) };
    return startService({ ...shared, ...place, ...own }, adopt);
  };
  const wide = await start('wide', { ROLE: 'all', ...limitVariables(UNREACHED_LIMITS) });
  const narrow = await start('narrow', { ROLE: 'api', TRUST_PROXY: '1' });
  const complaints = complaintsOf([wide, narrow]);
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
  const document = readDocument(await (await fetch(`${wide.url}/openapi.json`)).text());
  const things = await thingsOf(lines.wide.send, document, callers, people);
  const account = await logIn(wide.url);
  return { document, callers: [...callers, account], things, wide, narrow, lines, complaints };
}

/** The session of an account that has a password. */
async function logIn(url: string): Promise<Caller> {
  const reply = await fetch(`${url}/api/v1/public/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
  });
  const cookie = reply.headers.get('set-cookie')?.replace(/;.*/, '') ?? '';
  return accountCaller(cookie);
}

/** The first token of a person makes the owner. */
async function makeAdmin(client: pg.Client, callers: readonly Caller[], url: string): Promise<void> {
  const headers = callers.find(({ name }) => name === 'admin bearer')?.headers() ?? {};
  await fetch(`${url}/api/v1/owner/dashboard`, { headers });
  const made = `update app.owners set role = 'admin', tier = 'pro'
    where owner_id = (select owner_id from app.identities where subject = $1)`;
  const { rowCount } = await client.query(made, [ADMIN_SUBJECT]);
  if (rowCount !== 1) throw new Error('The token of the admin made no owner.');
}

/** What a well-behaved service never logs: `warn` is for what clients do. */
function complaintsOf(servers: readonly ServerProcess[]): readonly string[] {
  const complaints: string[] = [];
  for (const { child } of servers) {
    const read = (text: Buffer) => {
      const lines = String(text)
        .split('\n')
        .filter((line) => /"level":"error"|INTERNAL_ERROR|nhandled/.test(line));
      complaints.push(...lines);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code, signal) => {
      if (signal !== 'SIGTERM' && code !== 0) complaints.push(`a server ended ${signal ?? `with ${code}`}`);
    });
  }
  return complaints;
}

const ENVIRONMENT = {
  DATABASE_POOL: '8',
  LOG_FORMAT: 'json',
  CIRCUIT_MONITOR: 'false',
  WISDOM_MIN_PRODUCERS: '1',
  WISDOM_MIN_SAMPLES: '1',
} as const;
