import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Express } from 'express';
import { migrateJobs } from '../../adapters/jobs/migrate-jobs.ts';
import { migrate } from '../../adapters/postgres/migrations/migrate.ts';
import { openPostgres, type PostgresStorage } from '../../adapters/postgres/storage.ts';
import { runCommand } from '../../infrastructure/commands/run-command.ts';
import { type ComposedPorts, composePorts } from '../../infrastructure/compose/compose-ports.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { createLogger } from '../../infrastructure/logging/logger.ts';
import { NO_JOBS } from '../contracts/decisions/adapters.ts';
import { execute, freshDatabase, roleOf, type TestDatabase } from '../harness/database.ts';
import { appOver, OUT_OF_THE_WAY } from '../harness/service.ts';

/** Databases of releases and their replies, created by tests/campaigns/restore-drill/make-release-fixture.ts. */
const FIXTURES = join(import.meta.dirname, '../fixtures/releases');
const AFTER_RESTORE = join(import.meta.dirname, '../../adapters/postgres/after-restore.sql');

/** Releases of which there is a database. */
export const releases = readdirSync(FIXTURES).flatMap((file) => /^(.*)\.sql\.gz$/.exec(file)?.[1] ?? []);

export interface Fixture {
  readonly population: {
    readonly agents: readonly {
      readonly email: string;
      readonly api_key: string;
      readonly records: readonly string[];
    }[];
  };
  /** `CALLER PATH` and `STATUS BODY`. */
  readonly answers: readonly (readonly [string, string])[];
}

/** Of a release whose database has rows in every table; see `Filled` of the campaign. */
export interface FilledFixture extends Fixture {
  readonly secret: string;
  readonly logKey: string;
  readonly policy: string;
  readonly owner: {
    readonly email: string;
    readonly password: string;
    readonly api_key: string;
    readonly totp: string;
  };
  readonly webhook: { readonly webhook_id: string; readonly secret: string };
  readonly plan: { readonly plan_id: string; readonly stated_at: string };
  readonly receipts: readonly { readonly record_id: string; readonly proof: string }[];
  readonly erased: { readonly email: string; readonly api_key: string; readonly records: readonly string[] };
}

const unpacked = (file: string) => gunzipSync(readFileSync(join(FIXTURES, file))).toString();

/** The statements that a release's database is made by. */
export const dumpOf = (release: string): string => unpacked(`${release}.sql.gz`);

/** `F`: the caller knows which release it names. */
export const fixtureOf = <F extends Fixture>(release: string) => JSON.parse(unpacked(`${release}.json.gz`)) as F;

/** The database of a release as this release left it, and the service on it. */
export interface Upgraded {
  readonly database: TestDatabase;
  readonly storage: PostgresStorage;
  readonly ports: ComposedPorts;
  readonly app: Express;
  /** Runs commands of operators, which must all end with 0. */
  check(...commands: readonly (readonly string[])[]): Promise<void>;
  close(): Promise<void>;
}

/** @param loaded called between the loading of the dump and the migrations */
export async function openUpgraded(
  release: string,
  { loaded = async () => undefined }: { readonly loaded?: (url: string) => Promise<void> } = {},
): Promise<Upgraded> {
  const database = await freshDatabase({ empty: true });
  await execute(database.url, dumpOf(release));
  await loaded(database.url);
  const serviceRole = roleOf(database.serviceUrl);
  await migrate({ url: database.url, serviceRole });
  await migrateJobs({ ownerUrl: database.url, serviceRole });
  // It is in another cluster now.
  await execute(database.url, readFileSync(AFTER_RESTORE, 'utf8'));
  const dataDir = mkdtempSync(join(tmpdir(), 'stancebook-upgrade-'));
  const storage = await openPostgres({ url: database.serviceUrl, poolSize: 3, openJobs: async () => NO_JOBS });
  const own = environmentOf(release, dataDir);
  const config = readConfig({ DATA_DIR: dataDir, MARKET_DATA_NETWORK: 'false', ...OUT_OF_THE_WAY, ...own });
  const log = createLogger({ level: 'silent', format: 'json' });
  const ports = await composePorts(storage, config, log);
  const env = { DATABASE_URL: database.serviceUrl, DATA_DIR: dataDir, ...own };
  return {
    ...{ database, storage, ports, app: appOver(ports, config, log) },
    async check(...commands) {
      for (const command of commands) {
        const lines: string[] = [];
        const say = (line: string) => void lines.push(line);
        const code = await runCommand(command, env, { print: say, complain: say });
        if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${lines.join('\n')}`);
      }
    },
    async close() {
      await storage.close();
      await database.drop();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** What the operator of that release had set, without the witness, which has ended. */
function environmentOf(release: string, dataDir: string): Record<string, string> {
  const { secret, logKey, policy } = fixtureOf<Fixture & Partial<FilledFixture>>(release);
  const secrets = secret ?? 'a secret of the tests, long enough for them';
  const environment = { SESSION_SECRET: secrets, PASSWORD_PEPPER: secrets };
  if (logKey === undefined || policy === undefined) return environment;
  const file = join(dataDir, 'log-key.pem');
  writeFileSync(file, logKey, { mode: 0o600 });
  const [, host = ''] = /^log ([^/]+)\//.exec(policy) ?? [];
  return {
    ...environment,
    PUBLIC_URL: `http://${host}`,
    ALLOWED_HOSTS: '127.0.0.1',
    LOG_KEY_FILE: file,
    LOG_LAST_SEEN: join(dataDir, 'last-seen.json'),
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
}
