import { DISK, SECURITY_EVENTS } from '../../../domain/limits.ts';
import { DAY } from '../../../domain/time.ts';
import * as shape from '../shapes.ts';
import { may, of } from '../variable.ts';

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
  BACKUP_REMINDER: may(
    shape.boolean,
    'Whether `admin status` names it as a problem that the command line has made no backup for 8 days, or none a day after the ' +
      'first decision. `false` where something else makes them.',
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
