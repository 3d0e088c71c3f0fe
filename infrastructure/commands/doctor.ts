import { accessSync, constants, existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type pg from 'pg';
import { smtpMailSender } from '../../adapters/outgoing/smtp-mail-sender.ts';
import { logKeyOf } from '../../application/log/read-log.ts';
import type { MailFailure } from '../../domain/mail/mail.ts';
import { servedBy } from '../background/process-reports.ts';
import { composeLogWriter } from '../compose/log-writer.ts';
import { type Config, readConfig } from '../config/config.ts';
import type { EvidenceLogConfig } from '../config/evidence-log.ts';
import { findEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import { errorCode } from '../error-code.ts';
import { evidenceLogLine, LISTEN_ADVICE, listenFault } from '../process/welcome.ts';
import { offline } from './command.ts';
import {
  type DoctorCheck,
  databaseFindings,
  failed,
  findingsAt,
  migrationFindings,
  ok,
  replicaFindings,
} from './doctor-database.ts';

/** Checks what the service depends on. It changes nothing, and works without a database and with a wrong configuration. */
export const DOCTOR_COMMANDS = [
  offline({
    name: 'doctor',
    summary:
      'check configuration, secrets, disk, databases, sources, mail and port, and say what to do; exit code 1 for a fault',
    json: '{ findings: [{ check, state: ok or failed, found, advice: null for ok }] }',
    async run(_, { env }) {
      const findings = await findingsOf(env);
      const text = findings.flatMap(({ check, state, found, advice }) => [
        `${state.padEnd(6)}  ${check}: ${found.replaceAll('\n', '\n          ')}`,
        ...(advice === null ? [] : [`        What to do: ${advice}`]),
      ]);
      return { text, report: { findings }, failed: findings.some(({ state }) => state === 'failed') };
    },
  }),
];

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

/** Whether this process can keep the evidence log, without its database. */
function logFinding({ evidenceLog, server, dataDir }: Config): DoctorCheck {
  const fault = evidenceLog && noteFault(evidenceLog, dataDir);
  if (!fault)
    return ok('evidence log', `${evidenceLogLine({ evidenceLog, server })}; status shows whether it is signed`);
  const advice = 'Set LOG_LAST_SEEN to a file that this user may write, outside of DATA_DIR and of every backup.';
  return failed('evidence log', fault, advice);
}

function noteFault({ lastSeen }: EvidenceLogConfig, dataDir: string): string | null {
  if (!relative(dataDir, lastSeen).startsWith('..')) {
    return `LOG_LAST_SEEN, ${lastSeen}, is in DATA_DIR: a copy of that folder has it too, so a restored log is not noticed`;
  }
  try {
    accessSync(existing(lastSeen), constants.W_OK);
    return null;
  } catch (error) {
    return `LOG_LAST_SEEN, ${lastSeen}, cannot be written: ${errorCode(error)}; no tree is signed without it`;
  }
}

/** The path, or the folder above it in which it would be made. */
function existing(path: string): string {
  if (existsSync(path)) return path;
  const above = dirname(path);
  return existsSync(above) ? `${above}/.` : existing(above);
}

/** Whether a process that may write the log has the key of the newest one. */
async function logKeyFindings(client: pg.Client, config: Config): Promise<readonly DoctorCheck[]> {
  const { rows } = await client.query<{ origin: string; keys: readonly string[] }>(
    `select origin, array(select key_id from app.log_keys k where k.log = l.log and k.key_id <> l.key_id order by since)
       || key_id as keys from app.logs l order by log desc limit 1`,
  );
  const [log] = rows;
  if (!log) return [];
  const writer = composeLogWriter(config);
  const own = writer ? logKeyOf(writer.logKey, log.origin).id : 'none';
  const previous = writer?.previousKey && logKeyOf(writer.previousKey, log.origin).id;
  if (log.keys.some((key) => key === own || key === previous))
    return [ok('log key', `the key ${own} is that of ${log.origin}`)];
  const advice =
    'Use the key file of the worker that signed it, name it as LOG_PREVIOUS_KEY_FILE, or end this log by log-new.';
  return [
    failed('log key', `${log.origin} is signed by the key ${log.keys.join(' and ')}; this process has ${own}`, advice),
  ];
}

/** Whether the mail server accepts us; sends no mail. None where mail is not set up. */
async function mailFindings({ mail }: Pick<Config, 'mail'>): Promise<readonly DoctorCheck[]> {
  if (mail === null) return [];
  const { host } = new URL(mail.url);
  const fault = await smtpMailSender(mail).check();
  if (fault === null) return [ok('mail', `${host} takes mails from ${mail.from.address}`)];
  return [failed('mail', `${host} does not take mails: ${fault}`, MAIL_ADVICE[fault] ?? 'Try again later.')];
}

const MAIL_ADVICE: Readonly<Partial<Record<MailFailure, string>>> = {
  login_failed: 'Correct user and password of SMTP_URL; percent-encode signs such as @ and /.',
  tls_failed: 'Name the host of SMTP_URL as its certificate does. A server that is not on this machine needs TLS.',
  connection_failed: 'Correct host and port of SMTP_URL, or let this machine connect to them.',
  timed_out: 'Correct host and port of SMTP_URL, or let this machine connect to them.',
};
