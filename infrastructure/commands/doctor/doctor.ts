import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { servedBy } from '../../background/source-reports.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { findEmbeddedPostgres } from '../../embedded-postgres/embedded-postgres.ts';
import { LISTEN_ADVICE, listenFault } from '../../process/listening.ts';
import { type OfflineCommand, UsageError } from '../command.ts';
import { type DoctorCheck, failed, ok } from './doctor-check.ts';
import { findingsAt } from './doctor-connection.ts';
import { databaseFindings } from './doctor-database.ts';
import { logFinding, logKeyFindings } from './doctor-log.ts';
import { mailFindings } from './doctor-mail.ts';
import { migrationFindings, replicaFindings } from './doctor-other-databases.ts';

/** Checks what the service depends on. It changes nothing, and works without a database and with a wrong configuration. */
export const doctorCommand: OfflineCommand = {
  usage: '',
  summary:
    'check configuration, secrets, disk, databases, sources, mail and port, and say what to do; exit code 1 for a fault',
  json: '{ findings: [{ check, state: ok or failed, found, advice: null for ok }] }',
  opens: 'nothing',
  read(args) {
    if (args.length > 0) throw new UsageError('This command takes no arguments.');
    return async ({ env, print, report }) => {
      const findings = await findingsOf(env);
      for (const { check, state, found, advice } of findings) {
        print(`${state.padEnd(6)}  ${check}: ${found.replaceAll('\n', '\n          ')}`);
        if (advice !== null) print(`        What to do: ${advice}`);
      }
      report({ findings });
      return findings.every(({ state }) => state === 'ok') ? 0 : 1;
    };
  },
};

async function findingsOf(env: NodeJS.ProcessEnv): Promise<readonly DoctorCheck[]> {
  const dataDir = env.DATA_DIR || './data';
  const embedded = !env.DATABASE_URL;
  // Reading the configuration would make the secrets of an embedded database that are missing.
  if (embedded && !existsSync(join(dataDir, 'secrets'))) {
    const advice = 'Start the service once, or set DATA_DIR to the folder that it uses.';
    return [failed('secrets', `there is no data of the service in ${dataDir}`, advice)];
  }
  const secrets = embedded ? SECRETS.filter((name) => !existsSync(join(dataDir, 'secrets', name))) : [];
  if (secrets.length > 0) {
    const advice =
      'Restore them from a backup of DATA_DIR: with new ones no password works and the database is closed.';
    return [failed('secrets', `${join(dataDir, 'secrets')} lacks ${secrets.join(', ')}`, advice)];
  }
  // Reading the configuration of a worker would make this key.
  const lacksLogKey = embedded && !env.LOG_KEY_FILE && !existsSync(join(dataDir, 'secrets/log-key'));
  let config: Config;
  try {
    config = readConfig(lacksLogKey ? { ...env, ROLE: 'api' } : env);
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return [failed('configuration', found, 'Correct each variable (docs/configuration.md).')];
  }
  return [
    ok('configuration', 'all variables can be used'),
    ok('secrets', embedded ? `all are in ${join(dataDir, 'secrets')}` : 'SESSION_SECRET and PASSWORD_PEPPER are set'),
    await diskFinding(config.dataDir),
    ...(await databaseOf(config, env.ROLE !== 'api')),
    lacksLogKey ? ok('evidence log', 'a start makes its key') : logFinding(config),
    sourcesFinding(config),
    ...(await mailFindings(config)),
    await portFinding(config),
  ];
}

const SECRETS = ['postgres-superuser', 'postgres-owner', 'postgres-service', 'session-secret', 'password-pepper'];

/** Bytes. PostgreSQL stops when its disk is full. */
const LEAST_FREE = 1_000_000_000;

async function diskFinding(dataDir: string): Promise<DoctorCheck> {
  if (!existsSync(dataDir)) return ok('disk', `${dataDir} does not exist yet`);
  const { bavail, bsize } = await statfs(dataDir);
  const text = `${((bavail * bsize) / 1e9).toFixed(1)} GB free in ${dataDir}`;
  if (bavail * bsize >= LEAST_FREE) return ok('disk', text);
  return failed('disk', text, 'Free at least 1 GB, or move DATA_DIR to a larger disk while the service is stopped.');
}

async function databaseOf(config: Config, writesLog: boolean): Promise<readonly DoctorCheck[]> {
  const { url, migrationUrl, readUrl, pooled } = config.database;
  const running = findEmbeddedPostgres(config.dataDir);
  if (url === null && !running) {
    return [
      failed('database', `no service runs on ${config.dataDir}, so its database is stopped`, 'Start the service.'),
    ];
  }
  const place = url === null ? { url: running?.serviceUrl ?? '', name: 'embedded' as const } : { url };
  const findings = await databaseFindings({ ...place, external: url !== null, pooled });
  const lacks = (name: string) => findings.some(({ check, state }) => check === name && state === 'failed');
  // Where the service itself cannot connect, nothing can be compared with its database.
  if (lacks('database')) return findings;
  return [
    ...findings,
    ...(writesLog && !lacks('schema')
      ? await findingsAt('log key', place.url, place.name ?? 'DATABASE_URL', (client) => logKeyFindings(client, config))
      : []),
    ...(url === null || migrationUrl === null || migrationUrl === url
      ? []
      : await migrationFindings(migrationUrl, url)),
    ...(url === null || readUrl === null ? [] : await replicaFindings(readUrl, url)),
  ];
}

function sourcesFinding({ marketData }: Config): DoctorCheck {
  const names = [...servedBy(marketData)].map(([name, serves]) => `${name} (${serves})`);
  if (names.length > 0) return ok('sources', names.join('; '));
  return ok('sources', `bar files in ${marketData.barsDir} only: the service calls no source on the network`);
}

/** A port that is taken is fine: the service itself may use it. The check is whether it may be used at all. */
async function portFinding({ server: { host, port } }: Config): Promise<DoctorCheck> {
  const where = port === 0 ? `any free port of ${host}` : `${host}:${port}`;
  const code = await listenFault(host, port);
  if (code === null) return ok('port', `${where} can be used`);
  if (code === 'EADDRINUSE') return ok('port', `${where} is in use by the running service or by another program`);
  return failed('port', `this user cannot listen on ${where}: ${code}`, LISTEN_ADVICE);
}
