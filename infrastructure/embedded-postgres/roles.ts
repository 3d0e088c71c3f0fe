import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasDatabase, secretFile, storedSecret } from '../config/stored-secrets.ts';
import { StartRefused } from '../start-refused.ts';

export const DATABASE = 'stancebook';
/** Owns the database and its schema, runs the migrations. */
export const OWNER_ROLE = 'stancebook_owner';
/** The role of the service: it has only the rights that the migrations grant. */
export const SERVICE_ROLE = 'stancebook';
export const SUPERUSER = 'postgres';

export interface Passwords {
  readonly superuser: string;
  readonly owner: string;
  readonly service: string;
}

/** @throws StartRefused where the cluster is there, and a password of it is missing */
export function rolePasswords(dataDir: string): Passwords {
  const missing = hasDatabase(dataDir)
    ? Object.keys(ROLES).filter((name) => !existsSync(secretFile(dataDir, name)))
    : [];
  if (missing.length > 0) throw new StartRefused(lost(dataDir, missing));
  return {
    superuser: storedSecret(dataDir, 'postgres-superuser'),
    owner: storedSecret(dataDir, 'postgres-owner'),
    service: storedSecret(dataDir, 'postgres-service'),
  };
}

/** The role of each password, by the name of its file. */
export const ROLES = {
  'postgres-superuser': SUPERUSER,
  'postgres-owner': OWNER_ROLE,
  'postgres-service': SERVICE_ROLE,
} as const;

function lost(dataDir: string, missing: readonly string[]): string {
  const cluster = join(dataDir, 'postgres', 'data', 'PG_VERSION');
  const made = `${statSync(cluster).mtime.toISOString().slice(0, 16)}Z`;
  return (
    `${missing.map((name) => secretFile(dataDir, name)).join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing, and ` +
    `the database of ${made} has roles with these passwords. Copy what is missing from a backup of that folder, or stop ` +
    `the service and give the roles new passwords: npm run admin -- renew-secret ${missing.join(', then ')}.`
  );
}

/**
 * One statement a line, as PostgreSQL's single-user mode reads them. The passwords are base64url, so need no quoting.
 */
export function bootstrapSql({ owner, service }: Passwords): string {
  return [
    `create role ${OWNER_ROLE} login createdb password '${owner}'`,
    `create role ${SERVICE_ROLE} login password '${service}'`,
    `create database ${DATABASE} owner ${OWNER_ROLE}`,
    `revoke all on database ${DATABASE} from public`,
    `grant connect on database ${DATABASE} to ${SERVICE_ROLE}`,
    '',
  ].join('\n');
}

export function urlOf(role: string, password: string, port: number): string {
  // A file that was exchanged for another may have any characters.
  return `postgresql://${role}:${encodeURIComponent(password)}@127.0.0.1:${port}/${DATABASE}`;
}
