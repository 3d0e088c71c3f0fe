import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Caller } from '../../stage/callers.ts';
import { LISTENING, startServer } from '../../stage/server-process.ts';
import { getRequest } from '../requests.ts';
import type { Stage } from '../stage.ts';
import { install, versionIn } from './install.ts';
import { fillTable, LISTED, type RivalRecord, rivalDatabase, SAMPLE } from './records.ts';
import type { Rival } from './rival.ts';

const TABLE = 'decisions';
const PATH = `/items/${TABLE}`;

/**
 * Directus on PostgreSQL. Requests carry the static token of an administrator, whose permissions it does not check. It
 * stores neither activity nor revisions of the records; telemetry is off; everything else is the default.
 */
export async function openDirectus(stage: Stage, records: readonly RivalRecord[]): Promise<Rival> {
  const { name, url, token, start } = await directusOn(stage);
  const server = await start();
  await makeCollection(server.url, token);
  const rows = records.map(({ fields, submission_time }, n) => ({ id: n + 1, created_at: submission_time, ...fields }));
  await fillTable(url, { table: TABLE, created: 'created_at', rows, counter: `${TABLE}_id_seq` });
  const credential = `Authorization: Bearer ${token}\r\n`;
  const listOf = ({ agent_id }: Caller) => {
    const query = { 'filter[agent_id][_eq]': agent_id, sort: '-created_at', limit: '20', fields: LISTED.join() };
    return getRequest(`${PATH}?${new URLSearchParams(query)}`, credential);
  };
  return {
    name,
    server,
    credentials: [credential],
    createPath: PATH,
    created: 200,
    gets: rows.map(({ id }) => getRequest(`${PATH}/${id}`, credential)),
    lists: stage.population.agents.map(listOf),
  };
}

/** Directus on a new database with its tables and administrator, not started. */
export async function directusOn({ database, adopt }: Pick<Stage, 'database' | 'adopt'>) {
  const folder = install('directus');
  const url = await rivalDatabase({ database }, 'directus');
  const token = randomBytes(20).toString('hex');
  const environment = environmentOf(url, token);
  bootstrap(folder, environment);
  const start = () => startServer(join(folder, 'server.mjs'), { environment, folder }, adopt, LISTENING);
  return { name: `Directus ${versionIn(folder, 'directus')}`, url, token, start };
}

function environmentOf(url: string, token: string): Readonly<Record<string, string>> {
  return {
    NODE_ENV: 'production',
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: url,
    SECRET: randomBytes(32).toString('hex'),
    ADMIN_EMAIL: 'bench@example.org',
    ADMIN_PASSWORD: randomBytes(12).toString('hex'),
    ADMIN_TOKEN: token,
    LOG_LEVEL: 'warn',
    TELEMETRY: 'false',
  };
}

/** Creates its tables and its administrator. */
function bootstrap(folder: string, environment: Readonly<Record<string, string>>): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bootstrap.mjs', 'bootstrap'], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Directus bootstrap failed:\n${(stdout + stderr).slice(-2_000)}`);
}

async function makeCollection(url: string, token: string): Promise<void> {
  const ownFields = Object.entries(SAMPLE).map(([field, value]) => ({
    field,
    type: typeOf(value),
    meta: {},
    schema: {},
  }));
  const id = {
    field: 'id',
    type: 'integer',
    meta: { hidden: true },
    schema: { is_primary_key: true, has_auto_increment: true },
  };
  const created = { field: 'created_at', type: 'timestamp', meta: { special: ['date-created'] }, schema: {} };
  const response = await fetch(`${url}/collections`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      collection: TABLE,
      schema: {},
      meta: { accountability: null },
      fields: [id, created, ...ownFields],
    }),
  });
  if (!response.ok) throw new Error(`Directus did not create the collection: ${await response.text()}`);
}

function typeOf(value: unknown): string {
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'float' : 'json';
}
