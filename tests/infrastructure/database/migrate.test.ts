import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { startDatabase } from '../../../infrastructure/database/database.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { createLogger } from '../../../infrastructure/logging/logger.ts';
import { adminEnvironment, runAdmin } from '../../harness/admin-command.ts';
import { execute } from '../../harness/database.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';

let folder: string;
/** Durable, as a start demands. */
let database: EmbeddedPostgres;
beforeAll(async () => {
  folder = makeThrowawayFolder('migrate');
  database = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: () => undefined });
});
afterAll(async () => {
  await database.stop();
  removeThrowawayFolder(folder);
});

const own = () => join(folder, 'own');

/** A node that has only the role of the service. */
const startNode = () =>
  startDatabase(
    readConfig(adminEnvironment(database.serviceUrl, own())),
    createLogger({ level: 'silent', format: 'json' }),
  );

const migrate = () => runAdmin(database.serviceUrl, own(), ['migrate'], { MIGRATION_DATABASE_URL: database.url });

test('a node whose role does not own the schema starts on one that `migrate` brought up to date, and changes nothing', async () => {
  expect(await migrate()).toEqual({
    code: 0,
    output: expect.stringMatching(
      /^These migrations ran: .*\nThe functions of the database are those of this release now\.$/,
    ),
  });
  expect((await migrate()).output).toBe(
    'No migration was missing.\nThe functions of the database are those of this release, as before.',
  );
  await (await startNode()).stop();
});

test('such a node refuses functions of an earlier release until `migrate` replaced them', async () => {
  await execute(database.url, `update app.applied_functions set edition = edition - 1, hash = 'earlier'`);
  await expect(startNode()).rejects.toThrow('- Its functions are older than this version of the service.');
  expect((await migrate()).output).toContain('those of this release now');
  await (await startNode()).stop();
});

test('a database that is older than 0.5.0 is refused by `migrate`, by a node and by doctor, with what to do', async () => {
  const since = "right(name, 4) >= '0089'";
  await execute(
    database.url,
    `create table public.held as select * from public.migrations where ${since};
    delete from public.migrations where ${since}`,
  );
  const refusal = 'start Stancebook 0.5.0 once on it, then this release';
  expect(await migrate()).toEqual({ code: 1, output: expect.stringContaining(refusal) });
  await expect(startNode()).rejects.toThrow(refusal);
  const asOwner = adminEnvironment(database.url, own());
  const started = startDatabase(readConfig(asOwner), createLogger({ level: 'silent', format: 'json' }));
  await expect(started).rejects.toMatchObject({ name: 'StartRefused', message: expect.stringContaining(refusal) });
  expect((await runAdmin(database.serviceUrl, own(), ['doctor'])).output).toContain(refusal);
  await execute(database.url, 'insert into public.migrations select * from public.held; drop table public.held');
  await (await startNode()).stop();
});

test('such a node refuses a schema that lacks a migration', async () => {
  await execute(database.url, 'delete from public.migrations where id = (select max(id) from public.migrations)');
  await expect(startNode()).rejects.toThrow('Its schema is older than this version of the service');
});

test('the embedded database needs no `migrate`', async () => {
  const { code, output } = await runAdmin('', own(), ['migrate']);
  expect([code, output]).toEqual([1, expect.stringContaining('the service itself migrates its embedded database')]);
});
