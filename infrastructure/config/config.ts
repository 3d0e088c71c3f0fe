import { resolve } from 'node:path';
import type { SmtpSettings } from '../../adapters/outgoing/smtp-mail-sender.ts';
import type { SecretValues } from '../../application/sealed-secret.ts';
import type { CohortRules } from '../../domain/cohorts/suppression.ts';
import type { Limits } from '../../domain/limits.ts';
import { DAY, MINUTE, type Millis } from '../../domain/time.ts';
import type { ForwardingSettings } from '../logging/logger.ts';
import type { TraceSettings } from '../tracing/tracing.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { type EvidenceLogConfig, evidenceLogOf, logPolicyOf } from './evidence-log.ts';
import { type MarketDataConfig, marketDataOf } from './market-data.ts';
import { unusable, withSecretFiles } from './secret-files.ts';
import { storedSecrets, type UnstoredSecret } from './stored-secrets.ts';

export type LogLevel = Environment['LOG_LEVEL'];

/** How this process runs, read once at start (settled.md section 13). */
export interface Config {
  readonly server: {
    readonly host: string;
    readonly port: number;
    readonly role: 'all' | 'api' | 'worker';
    readonly workers: number;
    /** Origin without a closing slash; null: http at the host and port on which the service listens. */
    readonly publicUrl: string | null;
    /** Host names in addition to that of `publicUrl`. */
    readonly allowedHosts: readonly string[];
    readonly trustProxy: false | number | readonly string[];
    /** Networks that the admin area is served to; null: all. */
    readonly adminNetworks: readonly string[] | null;
    /** Whether admins need a second factor in the admin area. */
    readonly adminFactorRequired: boolean;
    /** Whether owners need one for all that they do by session or bearer token. */
    readonly ownerFactorRequired: boolean;
    readonly corsOrigins: readonly string[];
    /** Whether the Model Context Protocol is served. */
    readonly mcp: boolean;
    /** URIs for reports of vulnerabilities, the preferred one first. */
    readonly securityContacts: readonly string[];
    readonly metricsToken: string | null;
    readonly metricsPort: number | null;
    readonly logTilesPerMinute: number;
    readonly logOpeningsPerMinute: number;
    /** Whether others than owners and witnesses see the evidence log. */
    readonly publicLog: boolean;
  };
  /** The settings of traces; null: no traces are sent. */
  readonly tracing: TraceSettings | null;
  readonly log: {
    readonly level: LogLevel;
    readonly format: 'json' | 'pretty';
    /** null: log lines go to standard output alone. */
    readonly forwarding: ForwardingSettings | null;
  };
  /** Absolute. */
  readonly dataDir: string;
  readonly database: {
    /** null: the embedded server of the data folder. */
    readonly url: string | null;
    readonly migrationUrl: string | null;
    /** A replica for public reads; null: none. */
    readonly readUrl: string | null;
    /** Whether `url` is that of a pooler in transaction mode. */
    readonly pooled: boolean;
    /** Connections of each process. */
    readonly pool: number;
    /** Bytes of replies that are stored; 0: none is. */
    readonly storedReplies: number;
    /** Bytes, on the disk of the embedded database. */
    readonly keptFree: number;
  };
  /** Where operators make backups over HTTP, absolute; null: they cannot. */
  readonly backupDir: string | null;
  /** Whether the status of the service reminds of backups. */
  readonly backupReminder: boolean;
  /** Of security events, from the last one that a row counts. */
  readonly securityEventsKept: Millis;
  readonly secrets: SecretsConfig;
  /** Of passwords from breaches; null: new passwords are not compared with any. */
  readonly breachFile: string | null;
  /** How long after a login its owner may make and raise keys, in milliseconds. */
  readonly reauthenticateAfter: Millis;
  /** null: sign-in by an identity provider answers OAUTH_NOT_CONFIGURED. */
  readonly identity: IdentityConfig | null;
  readonly marketData: MarketDataConfig;
  readonly webhooks: {
    /** Whether webhooks may use http, and reach loopback and private networks. */
    readonly allowPrivate: boolean;
    /** Origin of an HTTP proxy; null: none. */
    readonly proxy: string | null;
  };
  /** null: no mail is sent. */
  readonly mail: SmtpSettings | null;
  /** null: this process does not write the evidence log. */
  readonly evidenceLog: EvidenceLogConfig | null;
  /** The text of a policy; null: readers get one without witnesses. */
  readonly logPolicy: string | null;
  readonly wisdom: CohortRules;
  readonly publicCohorts: boolean;
  /** null: no public snapshots are made or served. */
  readonly dataSnapshots: { readonly licence: string } | null;
  readonly circuit: { readonly autoTrip: boolean; readonly trippedSubmits: 'isolate' | 'refuse' };
  /** Known versions, the current one last. */
  readonly legal: { readonly terms: readonly string[]; readonly privacy: readonly string[] };
  readonly limits: Limits;
}

export interface SecretsConfig {
  readonly session: string;
  /** The newest first, as those of the pepper. */
  readonly formerSessions: readonly string[];
  readonly pepper: string;
  readonly formerPeppers: readonly string[];
  /** Made for this start, because their files are missing next to a database, and not stored yet. */
  readonly unstored: readonly UnstoredSecret[];
}

/** SESSION_SECRET, the newest value first. */
export function sessionValues({ session, formerSessions }: SecretsConfig): Exclude<SecretValues, string> {
  return [session, ...formerSessions];
}

export interface IdentityConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience: string;
  /** That access tokens must contain; null: none. */
  readonly scope: string | null;
  /** How long after its issue an access token is accepted, in milliseconds. */
  readonly longestToken: Millis;
  /** Values of `acr` that mean more than a password. */
  readonly factorAcr: readonly string[];
  /** Whether only `auth_time` says when the owner of an access token logged in. */
  readonly requireAuthTime: boolean;
}

/**
 * The configuration, frozen. Throws one error with all faults. Without DATABASE_URL missing secrets are made on the
 * first call and stored in the data folder.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const { values, faults } = readEnvironment(withSecretFiles(env));
  const all = [...faults, ...contradictions(values, faults)];
  if (all.length > 0) throw unusable(all);
  return frozen(configOf(values));
}

function contradictions(values: Environment, faults: readonly string[]): readonly string[] {
  const missing = (name: keyof Environment) =>
    values[name] === undefined && !faults.some((f) => f.startsWith(`${name}:`));
  const found: string[] = [];
  for (const name of ['SESSION_SECRET', 'PASSWORD_PEPPER'] as const) {
    if (!missing('DATABASE_URL') && missing(name))
      found.push(`${name}: missing, though DATABASE_URL is set; send the same secret to every node`);
  }
  if (missing('DATABASE_URL') && !missing('MIGRATION_DATABASE_URL'))
    found.push('MIGRATION_DATABASE_URL: set without DATABASE_URL; send both, or neither');
  if (missing('DATABASE_URL') && !missing('DATABASE_READ_URL'))
    found.push('DATABASE_READ_URL: set without DATABASE_URL; send both, or neither');
  if (missing('PUBLIC_URL') && !missing('ALLOWED_HOSTS'))
    found.push('ALLOWED_HOSTS: set without PUBLIC_URL; send both, or neither');
  if (values.DATABASE_POOLER === 'transaction' && missing('MIGRATION_DATABASE_URL'))
    found.push('MIGRATION_DATABASE_URL: missing, though DATABASE_POOLER is `transaction`; send one past the pooler');
  if (values.OWNER_FACTOR === 'required' && values.ADMIN_FACTOR === 'optional')
    found.push(
      'ADMIN_FACTOR: `optional`, though OWNER_FACTOR is `required`; admins are owners, so leave ADMIN_FACTOR out',
    );
  if (60 % (values.LOG_INTERVAL_SECONDS ?? 60) !== 0)
    found.push('LOG_INTERVAL_SECONDS: not a divisor of 60; send one, such as 60, 20 or 5');
  if (IDENTITY.some((name) => !missing(name))) {
    for (const name of IDENTITY.filter(missing))
      found.push(`${name}: missing, though other IDP_ variables are set; send all four, or none`);
  }
  if (missing('SMTP_URL') !== missing('MAIL_FROM'))
    found.push(
      `${missing('SMTP_URL') ? 'SMTP_URL' : 'MAIL_FROM'}: missing; send both SMTP_URL and MAIL_FROM, or neither`,
    );
  if (missing('PUBLIC_URL') && !missing('SMTP_URL'))
    found.push('PUBLIC_URL: missing, though SMTP_URL is set; the links of mails begin with it');
  if (values.WISDOM_OWNER_PROOF === 'verified' && missing('IDP_ISSUER') && missing('SMTP_URL'))
    found.push(
      'WISDOM_OWNER_PROOF: `verified`, though neither IDP_ISSUER nor SMTP_URL is set; no owner could be verified',
    );
  if (values.DATA_SNAPSHOTS === 'monthly' && missing('DATA_SNAPSHOTS_LICENCE'))
    found.push('DATA_SNAPSHOTS_LICENCE: missing, though DATA_SNAPSHOTS is `monthly`; nobody could use the snapshots');
  for (const [source, names] of Object.entries(STOCK_KEYS)) {
    if (!values.MARKET_DATA_STOCKS?.some((each) => each === source)) continue;
    for (const name of names.filter(missing)) found.push(`${name}: missing, though MARKET_DATA_STOCKS names ${source}`);
  }
  return found;
}

const IDENTITY = ['IDP_ISSUER', 'IDP_CLIENT_ID', 'IDP_CLIENT_SECRET', 'IDP_AUDIENCE'] as const;

const STOCK_KEYS = {
  alpaca: ['MARKET_DATA_ALPACA_KEY', 'MARKET_DATA_ALPACA_SECRET'],
  massive: ['MARKET_DATA_MASSIVE_KEY'],
  eodhd: ['MARKET_DATA_EODHD_KEY'],
} as const;

function configOf(env: Environment): Config {
  const dataDir = resolve(env.DATA_DIR);
  const stored = storedSecrets(dataDir);
  return {
    server: {
      host: env.HOST,
      port: env.PORT,
      role: env.ROLE,
      workers: env.WORKERS,
      publicUrl: env.PUBLIC_URL ?? null,
      allowedHosts: env.ALLOWED_HOSTS ?? [],
      trustProxy: env.TRUST_PROXY,
      adminNetworks: env.ADMIN_NETWORKS ?? null,
      adminFactorRequired: (env.ADMIN_FACTOR ?? adminFactorBy(env)) === 'required',
      ownerFactorRequired: env.OWNER_FACTOR === 'required',
      corsOrigins: env.CORS_ORIGINS ?? [],
      mcp: env.MCP === 'on',
      securityContacts: env.SECURITY_CONTACT ?? [],
      metricsToken: env.METRICS_TOKEN ?? null,
      metricsPort: env.METRICS_PORT ?? null,
      logTilesPerMinute: env.LOG_TILES_PER_MINUTE,
      logOpeningsPerMinute: env.LOG_OPENINGS_PER_MINUTE,
      publicLog: env.LOG_PUBLIC === 'on',
    },
    tracing: tracingOf(env),
    log: {
      level: env.LOG_LEVEL,
      format: env.LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json'),
      forwarding: forwardingOf(env),
    },
    dataDir,
    database: {
      url: env.DATABASE_URL ?? null,
      migrationUrl: env.MIGRATION_DATABASE_URL ?? env.DATABASE_URL ?? null,
      readUrl: env.DATABASE_READ_URL ?? null,
      pooled: env.DATABASE_POOLER === 'transaction',
      pool: env.DATABASE_POOL,
      storedReplies: env.STORED_REPLIES_MB * 2 ** 20,
      keptFree: env.DISK_FREE_MB * 2 ** 20,
    },
    backupDir: env.BACKUP_DIR === undefined ? null : resolve(env.BACKUP_DIR),
    backupReminder: env.BACKUP_REMINDER ?? env.DATABASE_URL === undefined,
    securityEventsKept: env.SECURITY_EVENTS_KEPT_DAYS * DAY,
    secrets: {
      session: env.SESSION_SECRET ?? stored.secret('session-secret'),
      formerSessions: env.SESSION_SECRET_FORMER ?? stored.former('session-secret', env.SESSION_SECRET),
      pepper: env.PASSWORD_PEPPER ?? stored.secret('password-pepper'),
      formerPeppers: env.PASSWORD_PEPPER_FORMER ?? stored.former('password-pepper', env.PASSWORD_PEPPER),
      unstored: stored.unstored,
    },
    breachFile: env.PASSWORD_BREACH_FILE ?? null,
    reauthenticateAfter: env.REAUTH_MINUTES * MINUTE,
    identity: identityOf(env),
    marketData: marketDataOf(env, dataDir),
    webhooks: { allowPrivate: env.WEBHOOK_ALLOW_PRIVATE, proxy: env.WEBHOOK_PROXY ?? null },
    mail: env.SMTP_URL && env.MAIL_FROM ? { url: env.SMTP_URL, from: env.MAIL_FROM } : null,
    evidenceLog: evidenceLogOf(env, stored),
    logPolicy: logPolicyOf(env),
    wisdom: {
      minProducers: env.WISDOM_MIN_PRODUCERS,
      minSamples: env.WISDOM_MIN_SAMPLES,
      ownerProof: env.WISDOM_OWNER_PROOF,
    },
    publicCohorts: env.PUBLIC_COHORTS === 'on',
    dataSnapshots: dataSnapshotsOf(env),
    circuit: { autoTrip: env.CIRCUIT_AUTO_TRIP, trippedSubmits: env.CIRCUIT_TRIPPED_SUBMITS },
    legal: { terms: env.LEGAL_TERMS, privacy: env.LEGAL_PRIVACY },
    limits: limitsOf(env),
  };
}

function dataSnapshotsOf({ DATA_SNAPSHOTS, DATA_SNAPSHOTS_LICENCE: licence }: Environment) {
  return DATA_SNAPSHOTS === 'monthly' && licence !== undefined ? { licence } : null;
}

/** Where browsers reach the service by https, others may reach it too. */
function adminFactorBy({ OWNER_FACTOR, PUBLIC_URL }: Environment): 'required' | 'optional' {
  return OWNER_FACTOR === 'required' || PUBLIC_URL?.startsWith('https:') ? 'required' : 'optional';
}

function identityOf(env: Environment): IdentityConfig | null {
  const { IDP_ISSUER: issuer, IDP_CLIENT_ID: clientId, IDP_CLIENT_SECRET: clientSecret, IDP_AUDIENCE: audience } = env;
  const rules = {
    scope: env.IDP_SCOPE ?? null,
    longestToken: env.IDP_TOKEN_MINUTES * MINUTE,
    factorAcr: env.IDP_ADMIN_ACR ?? [],
    requireAuthTime: env.IDP_REQUIRE_AUTH_TIME,
  };
  return issuer && clientId && clientSecret && audience ? { issuer, clientId, clientSecret, audience, ...rules } : null;
}

function tracingOf(env: Environment): TraceSettings | null {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return null;
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio, OTEL_EXPORTER_OTLP_HEADERS: headers } = env;
  return { sampler, ratio, headers };
}

function forwardingOf(env: Environment): ForwardingSettings | null {
  if (env.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT === undefined) return null;
  const headers = [env.OTEL_EXPORTER_OTLP_HEADERS, env.OTEL_EXPORTER_OTLP_LOGS_HEADERS].filter(Boolean).join();
  return { url: env.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT, headers };
}

function limitsOf(env: Environment): Limits {
  return {
    ratePerSecond: env.LIMIT_RATE_PER_SECOND,
    ratePerMinute: env.LIMIT_RATE_PER_MINUTE,
    queryPerDay: env.LIMIT_QUERY_PER_DAY,
    readPerDay: env.LIMIT_READ_PER_DAY,
    checkPerDecision: env.LIMIT_CHECK_PER_DECISION,
    submitsPerHour: env.LIMIT_SUBMITS_PER_HOUR,
    retroactivePerDay: env.LIMIT_RETROACTIVE_PER_DAY,
    cooldownSeconds: env.LIMIT_COOLDOWN_SECONDS,
    addressPerMinute: env.LIMIT_ADDRESS_PER_MINUTE,
    signupsPerMinute: env.LIMIT_SIGNUPS_PER_MINUTE,
    publicCohortsPerMinute: env.LIMIT_PUBLIC_COHORTS_PER_MINUTE,
    credentialedPerMinute: env.LIMIT_CREDENTIALED_PER_MINUTE,
    accountsPerAddress: env.LIMIT_ACCOUNTS_PER_ADDRESS,
    accountsPerDay: env.LIMIT_ACCOUNTS_PER_DAY,
    submitMeanBytes: env.LIMIT_SUBMIT_MEAN_BYTES,
    agentHoursPerNetwork: env.LIMIT_AGENT_HOURS_PER_NETWORK,
    publicationsPerDay: env.LIMIT_PUBLICATIONS_PER_DAY,
    publishedBytesPerDay: env.LIMIT_PUBLISHED_BYTES_PER_DAY,
    acceptancesPerDay: env.LIMIT_ACCEPTANCES_PER_DAY,
    notesPerDay: env.LIMIT_NOTES_PER_DAY,
    accountChangesPerDay: env.LIMIT_ACCOUNT_CHANGES_PER_DAY,
    keptOwnersPerNetwork: env.LIMIT_KEPT_OWNERS_PER_NETWORK,
    backtestRowsPerDay: env.LIMIT_BACKTEST_ROWS_PER_DAY,
    backtestRows: env.LIMIT_BACKTEST_ROWS,
  };
}

function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) frozen(part);
  return Object.freeze(value);
}
