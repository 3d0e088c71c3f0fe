import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../../infrastructure/embedded-postgres/supervisor.ts';

export const OWNER = 'stancebook_owner';
export const SERVICE = 'stancebook';
const DATABASE = 'stancebook';

/** The user that PostgreSQL runs as when we are root. */
const NOBODY = { uid: 65_534, gid: 65_534 };
const account = process.geteuid?.() === 0 ? NOBODY : undefined;

/** Runs a program of PostgreSQL to its end, as the user of the servers; returns its output and its warnings. @throws Error with both */
export type Run = (program: string, ...args: readonly string[]) => string;

export function programRunner(bin: string, folder: string): Run {
  return (program, ...args) => {
    const { status, error, stdout, stderr } = spawnSync(join(bin, program), [...args], {
      ...account,
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (error) throw error;
    if (status !== 0) throw new Error(`${program} ended with ${status}:\n${stdout}${stderr}`);
    return stdout + stderr;
  };
}

/** A folder that the servers can write to. */
export function serverFolder(...path: readonly string[]): string {
  const folder = join(...path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (account) chownSync(folder, account.uid, account.gid);
  return folder;
}

/** A server on a free port of this machine, which trusts every connection. */
export interface ThrowawayServer {
  readonly data: string;
  /** The arguments that lead pg_dump and the like to it. */
  readonly address: readonly string[];
  url(role: string, database?: string): string;
  query(role: string, sql: string): Promise<readonly Record<string, unknown>[]>;
  stop(): void;
}

/** Makes an empty cluster, with the two roles and the database of docs/running.md. */
export async function makeServer(run: Run, data: string, settings: readonly string[] = []): Promise<ThrowawayServer> {
  run(
    'initdb',
    '--pgdata',
    data,
    '--auth=trust',
    '--username=postgres',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  );
  const server = await startServer(run, data, settings);
  const admin = new pg.Client({ connectionString: server.url('postgres', 'postgres') });
  await admin.connect();
  for (const sql of ROLES) await admin.query(sql);
  await admin.end();
  return server;
}

const ROLES = [
  `create role ${OWNER} login`,
  `create role ${SERVICE} login`,
  `create database ${DATABASE} owner ${OWNER}`,
];

/** Starts a server on the cluster in `data` and waits until it accepts connections, after recovery if it needs that. */
export async function startServer(run: Run, data: string, settings: readonly string[] = []): Promise<ThrowawayServer> {
  const port = await freePort();
  const all = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${port}`,
    'shared_buffers=64MB',
    ...settings,
  ];
  const options = all.map((setting) => `-c "${setting}"`).join(' ');
  run('pg_ctl', 'start', '--wait', '--pgdata', data, '--log', `${data}.log`, '--options', options);
  const url = (role: string, database = DATABASE) => `postgresql://${role}@127.0.0.1:${port}/${database}`;
  return {
    data,
    address: ['--host=127.0.0.1', `--port=${port}`],
    url,
    async query(role, sql) {
      const client = new pg.Client({ connectionString: url(role) });
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    },
    stop: () => void run('pg_ctl', 'stop', '--pgdata', data, '--mode=fast'),
  };
}
