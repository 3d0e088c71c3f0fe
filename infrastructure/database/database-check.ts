import type pg from 'pg';
import { FUNCTIONS, hasOlderFunctions } from '../../adapters/postgres/functions/apply-functions.ts';
import { type SchemaDifference, schemaDifference } from '../../adapters/postgres/migrations/migrate.ts';
import type { Migration } from '../../adapters/postgres/migrations/migration-files.ts';
import { StartRefused } from '../start-refused.ts';
import { connectDatabase, type DatabaseName } from './connect-database.ts';

export interface DatabaseCheck {
  /** The URL of the service's role. */
  readonly url: string;
  /** Where the URL is from, for messages; default DATABASE_URL. */
  readonly name?: DatabaseName;
  /** Whether the service did not start this server; then its settings must not lose acknowledged writes. */
  readonly external: boolean;
  /** Whether it is behind a pooler in transaction mode: connections lose settings there, so the role must have them. */
  readonly pooled?: boolean;
  readonly migrations?: readonly Migration[];
}

/**
 * Refuses a database on which the service cannot fulfil its promises, with all faults in one message: an old
 * PostgreSQL, a standby, another encoding, settings that lose acknowledged writes or are missing behind a pooler, a
 * schema older or newer than the code.
 * @throws StartRefused
 */
export async function requireUsableDatabase(check: DatabaseCheck): Promise<void> {
  await connectedFor(check, (client) => requireUsable(client, check));
}

/** The same on a connection. @throws StartRefused */
export async function requireUsable(client: pg.Client, check: Omit<DatabaseCheck, 'url'>): Promise<void> {
  refuse([...(await serverFaults(client, check)), ...(await schemaFaults(client, check.migrations))]);
}

/** The same without the schema: before the migrations, which an unfit server would fail in words of its own. */
export async function requireUsableServer(check: DatabaseCheck): Promise<void> {
  await connectedFor(check, async (client) => refuse(await serverFaults(client, check)));
}

/**
 * Refuses a role that does not own the schema, before a change that only its owner may make. A database without the schema
 * passes.
 * @throws StartRefused
 */
export async function requireSchemaOwner(client: pg.Client, name: DatabaseName): Promise<void> {
  const { role, owner } = await schemaOwner(client);
  if (owner === null || owner.isOwn) return;
  throw new StartRefused(
    `${name} connects as the role ${role}, which does not own the schema: it may not change the role, the tier or the ` +
      `account of an owner, so nothing was changed. Set MIGRATION_DATABASE_URL to a URL of the role ${owner.name}.`,
  );
}

export interface SchemaOwner {
  /** The role of the connection. */
  readonly role: string;
  /** Null where there is no schema yet; `isOwn`: whether the connection has the rights of the owner. */
  readonly owner: { readonly name: string; readonly isOwn: boolean } | null;
}

export async function schemaOwner(client: pg.Client): Promise<SchemaOwner> {
  const { rows } = await client.query<{ role: string; name: string | null; own: boolean }>(
    `select current_user as role, n.nspowner::regrole::text as name, pg_has_role(n.nspowner, 'usage') as own
    from (select) one left join pg_namespace n on n.nspname = 'app'`,
  );
  const [{ role, name, own } = { role: '', name: null, own: false }] = rows;
  return { role, owner: name === null ? null : { name, isOwn: own } };
}

async function connectedFor(
  { url, name = 'DATABASE_URL' }: DatabaseCheck,
  check: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = await connectDatabase(url, name);
  try {
    await check(client);
  } finally {
    await client.end();
  }
}

function refuse(faults: readonly string[]): void {
  if (faults.length === 0) return;
  throw new StartRefused(`The database cannot be used:\n${faults.map((f) => `- ${f}`).join('\n')}`);
}

const OLDEST = 15;
/** The settings of each connection that the service makes itself (adapters/postgres/kit/data-source.ts). */
const ROLE_SETTINGS = {
  statement_timeout: '15s',
  idle_in_transaction_session_timeout: '30s',
  default_transaction_isolation: 'read committed',
  TimeZone: 'UTC',
  jit: 'off',
} as const;
const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

async function serverFaults(
  client: pg.Client,
  { external, pooled = false }: Omit<DatabaseCheck, 'url'>,
): Promise<readonly string[]> {
  const names = [...DURABLE, ...Object.keys(ROLE_SETTINGS)];
  const { rows } = await client.query<Record<string, string>>(
    `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding,
      pg_is_in_recovery()::text as standby, ${names.map((name) => `current_setting('${name}') as "${name}"`).join(', ')}`,
  );
  const settings = rows[0] ?? {};
  const major = Math.floor(Number(settings.version) / 10_000);
  return [
    ...(major < OLDEST ? [`It is PostgreSQL ${major}: ${OLDEST} is the oldest that works.`] : []),
    ...(settings.standby === 'true' ? ['It is a standby, which accepts no writes: name the primary.'] : []),
    ...(settings.encoding === 'UTF8' ? [] : [`Its encoding is ${settings.encoding}: create it with encoding UTF8.`]),
    ...(external ? DURABLE.filter((name) => settings[name] === 'off').map(lossy) : []),
    ...(pooled
      ? Object.entries(ROLE_SETTINGS)
          .filter(([name, value]) => settings[name] !== value)
          .map(unset)
      : []),
  ];
}

function lossy(name: string): string {
  return `${name} is off, so a crash would lose what was acknowledged: turn it on.`;
}

function unset([name, value]: readonly [string, string]): string {
  return `${name} cannot be set through a pooler: alter role ... set ${name} = '${value}', then reconnect the pooler.`;
}

async function schemaFaults(client: pg.Client, migrations: DatabaseCheck['migrations']): Promise<readonly string[]> {
  const faults = migrationFaults(await schemaDifference(client, migrations));
  // Other migrations than those of the release make no functions.
  if (faults.length > 0 || migrations !== undefined) return faults;
  return (await hasOlderFunctions(client, FUNCTIONS)) ? [OLDER_FUNCTIONS] : [];
}

const OLDER_FUNCTIONS =
  'Its functions are older than this version of the service. Start this version as the owner of the schema, or run ' +
  'its command `migrate`, which replaces them.';

function migrationFaults({ missing, unknown, isNew, refusal }: SchemaDifference): readonly string[] {
  if (refusal !== null) return [refusal];
  if (isNew) return ['It has no tables of this service yet: start the service, which makes them.'];
  return [
    ...(missing.length > 0
      ? [
          `Its schema is older than this version of the service: ${missing.join(', ')} is missing. ` +
            'Start this version of the service, or run its command `migrate`, as the owner of the schema.',
        ]
      : []),
    ...(unknown.length > 0
      ? [`Its schema is newer than this version of the service, which does not know ${unknown.join(', ')}. Update it.`]
      : []),
  ];
}
