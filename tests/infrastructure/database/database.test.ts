import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from '../../../infrastructure/commands/run-command.ts';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { giveUpLater } from '../../../infrastructure/database/connect-database.ts';
import { startDatabase } from '../../../infrastructure/database/database.ts';
import { freePort } from '../../../infrastructure/embedded-postgres/supervisor.ts';
import { createLogger } from '../../../infrastructure/logging/logger.ts';
import { StartRefused } from '../../../infrastructure/start-refused.ts';
import { adminEnvironment } from '../../harness/admin-command.ts';
import { freshDatabase, type TestDatabase, withDatabase } from '../../harness/database.ts';
import { openOldPostgres } from '../../harness/old-postgres.ts';

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-database-'));
  database = await freshDatabase();
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true });
});

async function refusal(env: NodeJS.ProcessEnv): Promise<string> {
  const config = readConfig({ ...adminEnvironment(database.serviceUrl, folder), ...env });
  const error = await startDatabase(config, createLogger({ level: 'silent', format: 'json' })).catch((e: unknown) => e);
  if (!(error instanceof StartRefused)) throw new Error(`Not refused: ${error}`);
  return error.message;
}

const changed = (url: string, change: (url: URL) => void) => {
  const copy = new URL(url);
  change(copy);
  return copy.href;
};
const at = (url: string) => new URL(url).host;

describe('a database that cannot be used is refused in words without a password', () => {
  test('no server', async () => {
    const port = await freePort();
    const place = `127.0.0.1:${port}`;
    expect(await refusal({ DATABASE_URL: `postgres://stancebook:a-password@${place}/stancebook` })).toBe(
      `No PostgreSQL accepts connections at ${place} (ECONNREFUSED). Start the database, or correct DATABASE_URL.`,
    );
  });

  test('a server that accepts connections and never answers', async () => {
    const silent = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const place = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    try {
      expect(await refusal({ DATABASE_URL: `postgres://stancebook:a-password@${place}/stancebook` })).toBe(
        `The server at ${place} did not answer within 10 s. Correct DATABASE_URL.`,
      );
    } finally {
      silent.close();
    }
  }, 60_000);

  test('a host that is not known', async () => {
    expect(await refusal({ DATABASE_URL: 'postgres://stancebook:a-password@no.such.host.invalid/stancebook' })).toMatch(
      /^The address of the host no\.such\.host\.invalid cannot be found \(E[A-Z_]+\)\. Correct DATABASE_URL\.$/,
    );
  });

  test('a wrong password, or none', async () => {
    const wrong = (variable: string, url: string, password: string) =>
      refusal({ [variable]: changed(url, (copy) => (copy.password = password)) });
    const { username } = new URL(database.serviceUrl);
    expect(await wrong('DATABASE_URL', database.serviceUrl, 'a-password')).toBe(
      `The server at ${at(database.url)} refused the password of the role ${username}. Correct DATABASE_URL.`,
    );
    expect(await wrong('DATABASE_URL', database.serviceUrl, '')).toBe(
      `The server at ${at(database.url)} requires a password, and the URL contains none. Correct DATABASE_URL.`,
    );
  });

  test('a database that does not exist', async () => {
    const url = withDatabase(database.serviceUrl, 'no_such_database');
    expect(await refusal({ DATABASE_URL: url })).toBe(
      `The server at ${at(url)} has no database no_such_database. Create it (docs/running.md, On your own PostgreSQL), or correct DATABASE_URL.`,
    );
  });

  test('a server that is too old, before a migration is sent to it', async () => {
    const server = await openOldPostgres({ version: '140012', encoding: 'UTF8', standby: 'false' });
    const message = await refusal({ DATABASE_URL: server.url, MIGRATION_DATABASE_URL: database.url });
    expect(message).toBe('The database cannot be used:\n- It is PostgreSQL 14: 15 is the oldest that works.');
    expect(server.queries).toEqual([expect.stringContaining('server_version_num')]);
    server.close();
  });
});

test('MIGRATION_DATABASE_URL is named where that one is wrong', async () => {
  const durable = await openOldPostgres({ version: '150000', encoding: 'UTF8', standby: 'false' });
  const url = changed(database.url, (copy) => (copy.password = 'a-password'));
  expect(await refusal({ DATABASE_URL: durable.url, MIGRATION_DATABASE_URL: url })).toBe(
    `The server at ${at(url)} refused the password of the role ${new URL(url).username}. Correct MIGRATION_DATABASE_URL.`,
  );
  durable.close();
});

test('a command says the same', async () => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const url = withDatabase(database.serviceUrl, 'no_such_database');
  expect(await runCommand(['status'], adminEnvironment(url, folder), { print, complain: print })).toBe(1);
  expect(lines).toEqual([expect.stringMatching(/has no database no_such_database\. Create it .*, or correct /)]);
});

test('a process that was held up for longer than the patience still reads what the server answered', async () => {
  const socket = new Socket();
  const second = 20;
  const ended = new Promise((resolve) => socket.once('error', resolve));
  const stop = giveUpLater(socket, second);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30 * second);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(socket.destroyed).toBe(false);
  expect(await ended).toMatchObject({ message: 'timeout' });
  stop();
});
