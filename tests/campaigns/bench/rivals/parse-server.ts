import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Caller } from '../../stage/callers.ts';
import { LISTENING, startServer } from '../../stage/server-process.ts';
import { getRequest } from '../requests.ts';
import type { Stage } from '../stage.ts';
import { install, versionIn } from './install.ts';
import { fillTable, LISTED, type RivalRecord, rivalDatabase, SAMPLE } from './records.ts';
import type { Rival } from './rival.ts';

const CLASS = 'Decision';
const PATH = `/parse/classes/${CLASS}`;

/** Parse Server on its PostgreSQL adapter. It requires its REST key; its log is off; everything else is the default. */
export async function openParseServer(stage: Stage, records: readonly RivalRecord[]): Promise<Rival> {
  const { name, url, masterKey, restKey, start } = await parseServerOn(stage);
  const server = await start();
  await makeClass(server.url, masterKey);
  const rows = records.map(({ fields, submission_time }, n) => {
    return { objectId: idOf(n), createdAt: submission_time, updatedAt: submission_time, ...fields };
  });
  await fillTable(url, { table: `"${CLASS}"`, created: '"createdAt"', rows });
  const credential = `X-Parse-Application-Id: bench\r\nX-Parse-REST-API-Key: ${restKey}\r\n`;
  const listOf = ({ agent_id }: Caller) => {
    const query = { where: JSON.stringify({ agent_id }), order: '-createdAt', limit: '20', keys: LISTED.join() };
    return getRequest(`${PATH}?${new URLSearchParams(query)}`, credential);
  };
  return {
    name,
    server,
    credentials: [credential],
    createPath: PATH,
    created: 201,
    gets: rows.map(({ objectId }) => getRequest(`${PATH}/${objectId}`, credential)),
    lists: stage.population.agents.map(listOf),
  };
}

/** Parse Server on a new database, not started. */
export async function parseServerOn({ database, adopt }: Pick<Stage, 'database' | 'adopt'>) {
  const folder = install('parse-server');
  const url = await rivalDatabase({ database }, 'parse');
  const [masterKey = '', restKey = ''] = [1, 2].map(() => randomBytes(20).toString('hex'));
  const environment = { NODE_ENV: 'production', DATABASE_URL: url, MASTER_KEY: masterKey, REST_API_KEY: restKey };
  const start = () => startServer(join(folder, 'server.mjs'), { environment, folder }, adopt, LISTENING);
  return { name: `Parse Server ${versionIn(folder, 'parse-server')}`, url, masterKey, restKey, start };
}

async function makeClass(url: string, masterKey: string): Promise<void> {
  const fields = Object.fromEntries(Object.entries(SAMPLE).map(([name, value]) => [name, { type: typeOf(value) }]));
  const response = await fetch(`${url}/parse/schemas/${CLASS}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-parse-application-id': 'bench', 'x-parse-master-key': masterKey },
    body: JSON.stringify({ className: CLASS, fields }),
  });
  if (!response.ok) throw new Error(`Parse Server did not create the class: ${await response.text()}`);
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'Array';
  return typeof value === 'string' ? 'String' : typeof value === 'number' ? 'Number' : 'Object';
}

/** An id in Parse Server's form: ten letters and digits. */
function idOf(n: number): string {
  return `r${String(n).padStart(9, '0')}`;
}
