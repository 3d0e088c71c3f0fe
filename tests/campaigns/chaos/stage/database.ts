import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { rolePasswords, SUPERUSER, urlOf } from '../../../../infrastructure/embedded-postgres/roles.ts';
import { type DatabaseProxy, openDatabaseProxy } from './database-proxy.ts';

/** A durable PostgreSQL that may be killed and started again, behind a proxy whose address stays. */
export interface ChaosDatabase {
  readonly proxy: DatabaseProxy;
  /** URLs through the proxy, for the service. */
  readonly serviceUrl: string;
  readonly ownerUrl: string;
  /** The URL without the proxy, valid while this server runs. */
  directUrl(): string;
  /** The process id of the postmaster; null while none runs. */
  pid(): number | null;
  /** Starts it again if it has ended, and waits until it accepts statements. */
  revive(): Promise<void>;
  /** Runs one statement as the superuser without the proxy. Returns its rows. */
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
}

const REVIVAL_TIME = 60_000;

/** @param environment further variables of the server's environment */
export async function startChaosDatabase(
  dataDir: string,
  port: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<ChaosDatabase> {
  const proxy = await openDatabaseProxy(port);
  let server: EmbeddedPostgres | null = null;
  let stopping = false;
  const rows = async <Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: superuserUrl(), connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(sql, [...values])).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const directPort = () => Number(new URL(running().url).port);
  const superuserUrl = () => urlOf(SUPERUSER, rolePasswords(dataDir).superuser, directPort());
  const running = () => {
    if (!server) throw new Error('The database is not running.');
    return server;
  };
  const start = async () => {
    const started = await startEmbeddedPostgres({ dataDir, log: () => undefined, environment });
    server = started;
    void started.exited.then(async () => {
      if (server !== started) return;
      server = null;
      if (!stopping) await proxy.refuse();
    });
    await proxy.leadTo(directPort());
  };
  await start();
  const through = (url: string) => Object.assign(new URL(url), { port: String(port) }).href;
  return {
    proxy,
    serviceUrl: through(running().serviceUrl),
    ownerUrl: through(running().url),
    directUrl: () => running().url,
    pid: () => server?.pid ?? null,
    async revive() {
      const deadline = Date.now() + REVIVAL_TIME;
      for (;;) {
        try {
          if (!server) await start();
          await rows('select 1');
          return;
        } catch (error) {
          if (Date.now() > deadline) throw error;
          await sleep(50);
        }
      }
    },
    rows,
    async stop() {
      stopping = true;
      await proxy.close();
      await server?.stop();
    },
  };
}
