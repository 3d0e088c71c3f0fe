// Writes what is generated from the schema: `node scripts/write-schema.ts`, after a change of a function or a new migration.
// It adds new migrations to migrations.lock, counts a new edition in edition.txt, and writes schema.sql from a fresh database.
import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { FUNCTIONS } from '../adapters/postgres/functions/apply-functions.ts';
import { migrate } from '../adapters/postgres/migrations/migrate.ts';
import { startEmbeddedPostgres } from '../infrastructure/embedded-postgres/embedded-postgres.ts';
import { OWNER_ROLE, SERVICE_ROLE } from '../infrastructure/embedded-postgres/roles.ts';
import { describeSchema, SCHEMA_HEAD } from './schema/describe-schema.ts';

const POSTGRES = join(import.meta.dirname, '../adapters/postgres');

lockNewMigrations(join(POSTGRES, 'migrations'));
noteEdition(join(POSTGRES, 'functions/edition.txt'));
await writeSchema(join(POSTGRES, 'schema.sql'));

/** A line that is there is never changed: a test holds the files to it. */
function lockNewMigrations(folder: string): void {
  const lock = join(folder, 'migrations.lock');
  const locked = readFileSync(lock, 'utf8');
  for (const file of readdirSync(folder).toSorted()) {
    if (!file.endsWith('.sql') || locked.includes(`  ${file}\n`)) continue;
    const sum = createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
    appendFileSync(lock, `${sum}  ${file}\n`);
  }
}

function noteEdition(file: string): void {
  const [, hash = ''] = readFileSync(file, 'utf8').trim().split(' ');
  if (hash !== FUNCTIONS.hash) writeFileSync(file, `${FUNCTIONS.edition + 1} ${FUNCTIONS.hash}\n`);
}

async function writeSchema(file: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'stancebook-schema-'));
  // Root runs PostgreSQL as another user, who can pass through it.
  chmodSync(folder, 0o711);
  const server = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined, durable: false });
  const client = new pg.Client(server.url);
  try {
    await migrate({ url: server.url, serviceRole: SERVICE_ROLE });
    await client.connect();
    const roles = { ownerRole: OWNER_ROLE, serviceRole: SERVICE_ROLE };
    writeFileSync(file, SCHEMA_HEAD + (await describeSchema(client, { ...roles, bodies: false })));
  } finally {
    await client.end();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
