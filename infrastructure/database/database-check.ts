import pg from 'pg';
import { type SchemaDifference, schemaDifference } from '../../adapters/postgres/migrations/migrate.ts';
import type { Migration } from '../../adapters/postgres/migrations/migration-files.ts';
import { StartRefused } from '../start-refused.ts';

export interface DatabaseCheck {
  /** The URL of the service's role. */
  readonly url: string;
  /** Whether the service did not start this server; then its settings must not lose acknowledged writes. */
  readonly external: boolean;
  /** Whether it is behind a pooler in transaction mode: connections lose settings there, so the role must have them. */
  readonly pooled?: boolean;
  readonly migrations?: readonly Migration[];
}

/**
 * Refuses a database on which the service cannot fulfil its promises, with all faults in one message: an old
 * PostgreSQL, another encoding, settings that lose acknowledged writes or are missing behind a pooler, a schema older
 * or newer than the code.
 */
export async function requireUsableDatabase({
  url,
  external,
  pooled = false,
  migrations,
}: DatabaseCheck): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // A broken connection fails the next query on it; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const server = await serverFaults(client, external, pooled);
    const faults = [...server, ...schemaFaults(await schemaDifference(client, migrations))];
    if (faults.length > 0)
      throw new StartRefused(`The database cannot be used:\n${faults.map((f) => `- ${f}`).join('\n')}`);
  } finally {
    await client.end();
  }
}

const OLDEST = 15;
/** The settings of each connection that the service makes itself (adapters/postgres/kit/data-source.ts). */
const ROLE_SETTINGS = {
  statement_timeout: '15s',
  idle_in_transaction_session_timeout: '30s',
  default_transaction_isolation: 'read committed',
  TimeZone: 'UTC',
} as const;
const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

async function serverFaults(client: pg.Client, external: boolean, pooled: boolean): Promise<readonly string[]> {
  const names = [...DURABLE, ...Object.keys(ROLE_SETTINGS)];
  const { rows } = await client.query<Record<string, string>>(
    `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding,
      ${names.map((name) => `current_setting('${name}') as "${name}"`).join(', ')}`,
  );
  const settings = rows[0] ?? {};
  const major = Math.floor(Number(settings.version) / 10_000);
  return [
    ...(major < OLDEST ? [`It is PostgreSQL ${major}: ${OLDEST} is the oldest that works.`] : []),
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

function schemaFaults({ missing, unknown }: SchemaDifference): readonly string[] {
  return [
    ...(missing.length > 0
      ? [`Its schema is older than this version of the service: ${missing.join(', ')} is missing. Run the migrations.`]
      : []),
    ...(unknown.length > 0
      ? [`Its schema is newer than this version of the service, which does not know ${unknown.join(', ')}. Update it.`]
      : []),
  ];
}
