import { DISK, IDENTITY, SECURITY_EVENTS, SESSION } from '../../../domain/limits.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { SAMPLERS } from '../../tracing/tracing.ts';
import * as shape from '../shapes.ts';
import { may, of } from '../variable.ts';

const HEADERS: shape.Shape<string> = {
  ...shape.text('`name=value,name=value`', /^[\w-]+=[\x21-\x2b\x2d-\x7e]+(,[\w-]+=[\x21-\x2b\x2d-\x7e]+)*$/),
  secret: true,
};

/** The processes, their addresses, logs, metrics and traces. */
export const SERVICE = {
  PORT: of(shape.integer(0, 65_535), '3000', 'TCP port; 0 takes any free one.'),
  HOST: of(shape.text('a host name or an address', /^[\w.:-]+$/), '127.0.0.1', 'Address to listen on.'),
  ROLE: of(shape.oneOf('all', 'api', 'worker'), 'all', 'Answers requests, runs jobs, or both.'),
  WORKERS: of(shape.integer(1, 64), '1', 'Processes that answer requests.'),
  PUBLIC_URL: may(
    shape.origin,
    'The public origin of the service, to whose host passkeys are bound.',
    'http://HOST:PORT',
  ),
  ALLOWED_HOSTS: may(
    shape.hosts,
    'Further host names that requests may be sent to, with PUBLIC_URL; without it every host is served.',
    'that of PUBLIC_URL alone',
  ),
  TRUST_PROXY: of(shape.proxies, 'false', "Proxies whose X-Forwarded-For contains the caller's address."),
  ADMIN_NETWORKS: may(
    shape.networks,
    "Networks that the admin area is served to, by the caller's address as TRUST_PROXY finds it.",
    'all',
  ),
  ADMIN_FACTOR: may(
    shape.oneOf('required', 'optional'),
    'Whether the admin area needs a second factor of its admins, or one of the identity provider.',
    '`required` with an https PUBLIC_URL, else `optional`',
  ),
  OWNER_FACTOR: of(
    shape.oneOf('optional', 'required'),
    'optional',
    'Whether owners need a second factor, or one of the identity provider, for all that they do by session or bearer token.',
  ),
  CORS_ORIGINS: may(shape.origins, 'Origins of web pages that may call the service from a browser.', 'none'),
  MCP: of(shape.oneOf('on', 'off'), 'on', 'Whether clients of the Model Context Protocol are served at /mcp.'),
  SECURITY_CONTACT: may(
    shape.contacts,
    'Whom to tell about a vulnerability; served as /.well-known/security.txt.',
    'security.txt is not served',
  ),
  REAUTH_MINUTES: of(
    shape.integer(1, DAY / MINUTE),
    String(SESSION.reauthenticateAfter / MINUTE),
    'Minutes after a login in which its owner may make, rotate and raise API keys, change second factors, and export the account.',
  ),
  LEGAL_TERMS: of(shape.versions, '1.0', 'Versions of the terms that can be accepted, the current one last.'),
  LEGAL_PRIVACY: of(
    shape.versions,
    '1.0',
    'Versions of the privacy notice that can be accepted, the current one last.',
  ),
  METRICS_TOKEN: may(shape.secret, 'Bearer token for /metrics from other machines.', 'loopback callers only'),
  METRICS_PORT: may(
    shape.integer(0, 65_535),
    'A further TCP port, on HOST, for /metrics, /healthz and /readyz alone; the only port of a process without requests.',
    'no further port',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: may(
    shape.address,
    'Base address of an OpenTelemetry collector that takes OTLP over HTTP; traces go to /v1/traces there.',
    'no traces',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: may(
    HEADERS,
    'Headers of every request to the collector, also of those with log lines.',
    'none',
  ),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: may(
    shape.receiver,
    'Address that log lines are sent to as well, by OTLP over HTTP in JSON.',
    'log lines go to standard output alone',
  ),
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: may(
    HEADERS,
    'Headers of the requests with log lines; they take precedence over OTEL_EXPORTER_OTLP_HEADERS.',
    'as OTEL_EXPORTER_OTLP_HEADERS',
  ),
  OTEL_TRACES_SAMPLER: of(
    shape.oneOf(...SAMPLERS),
    'parentbased_always_on',
    'Which traces are recorded; `parentbased_`: the caller decides about its own traces.',
  ),
  OTEL_TRACES_SAMPLER_ARG: of(shape.share, '1', 'Share of the traces, for the samplers by `traceidratio`.'),
  LOG_LEVEL: of(
    shape.oneOf('silent', 'error', 'warn', 'info', 'http', 'debug'),
    'info',
    'Lowest level that is logged; `http` adds a line per request.',
  ),
  LOG_FORMAT: may(shape.oneOf('json', 'pretty'), 'Form of the log lines.', '`pretty` on a terminal, else `json`'),
} as const;

/** The databases, the data folder, and the secrets that stored data depend on. */
export const STORAGE = {
  DATA_DIR: of(
    shape.text('the path of a folder', /^[^\0]+$/),
    './data',
    'Folder of the embedded database, its secrets and the bars.',
  ),
  DATABASE_URL: may(
    shape.postgresUrl,
    'PostgreSQL 15 or later, as the role of the service.',
    'an embedded PostgreSQL in DATA_DIR',
  ),
  MIGRATION_DATABASE_URL: may(shape.postgresUrl, 'The same database as the role that owns the schema.', 'DATABASE_URL'),
  DATABASE_POOLER: of(
    shape.oneOf('none', 'transaction'),
    'none',
    'Kind of pooler in front of the database of DATABASE_URL; `transaction`: one in transaction mode, such as PgBouncer.',
  ),
  DATABASE_READ_URL: may(
    shape.postgresUrl,
    'A streaming replica for reads that are the same for every caller, as the role of the service, without a pooler.',
    'the database answers all reads itself',
  ),
  DATABASE_POOL: of(shape.integer(1, 100), '10', 'Connections of each process to the database.'),
  DISK_FREE_MB: of(
    shape.integer(64, 1_000_000),
    String(DISK.keptFree / 2 ** 20),
    'MiB that are kept free for PostgreSQL on the disk of the embedded database: with less, nothing new is stored, and ' +
      '/readyz is 503.',
  ),
  STORED_REPLIES_MB: of(
    shape.integer(0, 1_000_000),
    '1024',
    'MiB of the database for replies about evaluated decisions, the longest unread of which are removed; 0 stores none. ' +
      'Each process holds up to 64 MiB of them in memory. ' +
      'The same on every node: each worker removes what exceeds its own.',
  ),
  BACKUP_DIR: may(
    shape.text('the path of a folder', /^[^\0]+$/),
    'Folder for backups that admins make over HTTP.',
    'none',
  ),
  BACKUP_REMINDER: may(
    shape.boolean,
    'Whether `admin status` names it as a problem that no backup was made for 8 days, or none a day after the first decision. ' +
      '`false` where something else makes them.',
    '`true` with the embedded database, else `false`',
  ),
  SECURITY_EVENTS_KEPT_DAYS: of(
    shape.integer(SECURITY_EVENTS.leastKept / DAY, 3_650),
    '180',
    'How long security events are kept. The same on every node: each worker removes what is older by its own.',
  ),
  SESSION_SECRET: may(
    shape.secret,
    'Encrypts page cursors, stored replies, queued mails, and secrets of webhooks and of authenticator apps, and keys the hashes of networks in security events.',
    'made once and stored in DATA_DIR; required with DATABASE_URL',
  ),
  SESSION_SECRET_FORMER: may(
    shape.secrets,
    'Former values of SESSION_SECRET, the newest first: they open what they sealed; new things are sealed by SESSION_SECRET.',
    'none; with the embedded database what `renew-secret` keeps',
  ),
  PASSWORD_PEPPER: may(
    shape.secret,
    'Part of every password hash: without it no password account can log in.',
    'made once and stored in DATA_DIR; required with DATABASE_URL',
  ),
  PASSWORD_PEPPER_FORMER: may(
    shape.secrets,
    'Former values of PASSWORD_PEPPER, the newest first: a login replaces the hash that one of them made.',
    'none; with the embedded database what `renew-secret` keeps',
  ),
  PASSWORD_BREACH_FILE: may(
    shape.text('the path of a file', /^[^\0]+$/),
    'List of passwords from breaches that new passwords must not be in: SHA-1 of Have I Been Pwned, one sorted file.',
    'none; common passwords are refused all the same',
  ),
} as const;

export const IDENTITY_PROVIDER = {
  IDP_ISSUER: may(shape.issuer, 'Issuer; its endpoints are discovered.', 'sign-in by provider answers 503'),
  IDP_CLIENT_ID: may(
    shape.text('1 to 255 visible characters', /^[\x21-\x7e]{1,255}$/),
    'The client id of the service at the provider.',
    'as IDP_ISSUER',
  ),
  IDP_CLIENT_SECRET: may(
    { ...shape.text('1 to 1,024 visible characters', /^[\x21-\x7e]{1,1024}$/), secret: true },
    'The client secret of the service at the provider.',
    'as IDP_ISSUER',
  ),
  IDP_AUDIENCE: may(
    shape.text('1 to 255 visible characters', /^[\x21-\x7e]{1,255}$/),
    'Audience that access tokens must name.',
    'as IDP_ISSUER',
  ),
  IDP_SCOPE: may(
    shape.text('one scope, as `stancebook`', /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/),
    'Scope that access tokens must contain, in `scope` or `scp`.',
    'any scope, or none',
  ),
  IDP_ADMIN_ACR: may(
    shape.acrValues,
    'Values of `acr` by which the provider reports a second factor, for the admin area; an `amr` of RFC 8176 does too.',
    '`amr` alone',
  ),
  IDP_REQUIRE_AUTH_TIME: of(
    shape.boolean,
    'false',
    'Whether only `auth_time` of an access token says when its owner logged in; otherwise `iat` does where it is absent.',
  ),
  IDP_TOKEN_MINUTES: of(
    shape.integer(1, (7 * DAY) / MINUTE),
    String(IDENTITY.longestToken / MINUTE),
    'Minutes after its issue in which an access token is accepted, however long the provider lets it last.',
  ),
} as const;

export const WEBHOOKS = {
  WEBHOOK_ALLOW_PRIVATE: of(
    shape.boolean,
    'false',
    'Whether webhooks may also use http, and reach loopback, private networks and their names: for trials, and where ' +
      'all owners are your own. Link-local addresses, and with them the metadata of clouds, are never reached.',
  ),
  WEBHOOK_PROXY: may(
    shape.httpProxy,
    'An HTTP proxy through which all webhooks are sent (CONNECT); it resolves their names, and has to refuse private ' +
      'addresses itself.',
    'webhooks are sent directly',
  ),
} as const;

export const MAILS = {
  SMTP_URL: may(
    shape.smtpUrl,
    'The server that takes our mails. `smtp:` begins with STARTTLS, which may be missing only on a loopback host; `smtps:` ' +
      'is TLS from the beginning. Needs MAIL_FROM and PUBLIC_URL.',
    'no mail is sent',
  ),
  MAIL_FROM: may(shape.mailbox, 'The sender of our mails.', 'as SMTP_URL'),
} as const;
