import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateJobs } from '../../adapters/jobs/migrate-jobs.ts';
import { migrate } from '../../adapters/postgres/migrations/migrate.ts';
import { startEmbeddedPostgres } from '../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { isAlive } from '../../infrastructure/embedded-postgres/postmaster.ts';
import { execute, roleOf, type TestServer, withDatabase } from './database.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from './throwaway-folder.ts';

/**
 * The server of TEST_DATABASE_URL (a role that may create databases and roles), else one of our own. `folder` is for other
 * files of the run; it is removed when the server stops.
 */
export async function startTestServer(): Promise<{
  readonly server: TestServer;
  readonly folder: string;
  stop(): Promise<void>;
}> {
  const external = process.env.TEST_DATABASE_URL;
  const { urls, folder, stop } = external ? await guestOf(external) : await ownServer();
  const template = `template_${randomBytes(6).toString('hex')}`;
  await execute(urls.url, `create database ${template} template template0 encoding 'UTF8'`);
  // Tests without a database still run when a migration is broken.
  const fault = await migrateAll(withDatabase(urls.url, template), roleOf(urls.serviceUrl)).then(
    () => null,
    (error: unknown) => String(error),
  );
  return {
    server: { ...urls, template, fault },
    folder,
    async stop() {
      if (external) await execute(urls.url, `drop database ${template} with (force)`);
      await stop();
    },
  };
}

/** The schema of the service and that of its job queue. */
export async function migrateAll(url: string, serviceRole: string): Promise<void> {
  await migrate({ url, serviceRole });
  await migrateJobs({ ownerUrl: url, serviceRole });
}

/** In memory where there is room, which copies a database ten times as fast as a busy disk. */
async function ownServer() {
  try {
    if (hasRoom(MEMORY)) return await serverIn(MEMORY);
  } catch {
    // The mount may forbid running copied binaries.
  }
  return serverIn(tmpdir());
}

const MEMORY = '/dev/shm';
const ROOM = 2 * 1024 ** 3;
const PREFIX = 'stancebook-tests-';

async function serverIn(place: string) {
  removeRemains(place);
  const folder = join(place, `${PREFIX}${process.pid}`);
  mkdirSync(folder, { recursive: true });
  // Root runs PostgreSQL as another user, who needs access.
  chmodSync(folder, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined, durable: false });
  return {
    urls: { url: postgres.url, serviceUrl: postgres.serviceUrl },
    folder,
    async stop() {
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function hasRoom(place: string): boolean {
  if (!existsSync(place)) return false;
  const { bavail, bsize } = statfsSync(place);
  return bavail * bsize > ROOM;
}

/** Removes the folders of runs that were killed. */
function removeRemains(place: string): void {
  for (const name of readdirSync(place)) {
    const pid = Number(name.slice(PREFIX.length));
    if (name.startsWith(PREFIX) && !isAlive(pid)) rmSync(join(place, name), { recursive: true, force: true });
  }
}

async function guestOf(url: string) {
  const role = 'stancebook_test_service';
  const password = randomBytes(16).toString('hex');
  await execute(url, `do $$ begin create role ${role} login; exception when duplicate_object then null; end $$`);
  await execute(url, `alter role ${role} password '${password}'`);
  const service = new URL(url);
  service.username = role;
  service.password = password;
  const folder = makeThrowawayFolder('tests');
  return { urls: { url, serviceUrl: service.href }, folder, stop: async () => removeThrowawayFolder(folder) };
}
