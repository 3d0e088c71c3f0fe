import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import pg from 'pg';

export interface TestDatabase {
  /** The connection string of the owner of the schema. */
  readonly url: string;
  /** The connection string of the service, with only the rights that the migrations grant. */
  readonly serviceUrl: string;
  drop(): Promise<void>;
}

/**
 * A database of its own with the schema of the code and the job queue, or with none (`empty`); drop it when the test file
 * is done. Copying files takes half the CPU time of copying through the log of the server, which has few dirty pages.
 */
export async function freshDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const server = testServer();
  if (server.fault !== null && !empty) throw new Error(`The migrations do not run: ${server.fault}`);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await command(
    server.url,
    `create database ${name} template ${empty ? 'template0' : server.template} encoding 'UTF8' strategy file_copy`,
  );
  return {
    url: withDatabase(server.url, name),
    serviceUrl: withDatabase(server.serviceUrl, name),
    // By force only as far as this role may: else the server waits for the service's connections, which are closing.
    drop: () =>
      command(server.url, `drop database ${name} with (force)`).catch(() =>
        command(server.url, `drop database ${name}`),
      ),
  };
}

let commands: Promise<Commands> | undefined;

interface Commands {
  readonly client: pg.Client;
  readonly socket: Socket;
  running: number;
}

/** On a connection that stays open for the next suite: two of its own took a third of the CPU time of a database. */
async function command(url: string, sql: string): Promise<void> {
  commands ??= connected(url);
  const on = await commands;
  on.running += 1;
  on.socket.ref();
  try {
    await on.client.query(sql);
  } finally {
    on.running -= 1;
    // The process may end while it is open.
    if (on.running === 0) on.socket.unref();
  }
}

async function connected(url: string): Promise<Commands> {
  const forget = () => {
    commands = undefined;
  };
  const socket = new Socket();
  const client = new pg.Client({ connectionString: url, stream: () => socket });
  client.on('error', forget).on('end', forget);
  await client.connect().catch((error: unknown) => {
    forget();
    throw error;
  });
  return { client, socket, running: 0 };
}

/** The server that all test files of a run share, as they find it in the environment. */
export interface TestServer {
  /** May create databases. */
  readonly url: string;
  readonly serviceUrl: string;
  /** A database with the schema of the code, to be copied. */
  readonly template: string;
  /** The error because of which the template lacks the schema. */
  readonly fault: string | null;
}

export const TEST_SERVER_VARIABLE = 'STANCEBOOK_TEST_SERVER';

function testServer(): TestServer {
  const described = process.env[TEST_SERVER_VARIABLE];
  if (described === undefined)
    throw new Error('There is no test server: run the tests with the jest configuration of the project.');
  return JSON.parse(described) as TestServer;
}

export async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** The role that a connection string logs in as. */
export function roleOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
