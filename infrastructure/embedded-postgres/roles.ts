import { storedSecret } from '../config/stored-secrets.ts';

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

export function rolePasswords(dataDir: string): Passwords {
  return {
    superuser: storedSecret(dataDir, 'postgres-superuser'),
    owner: storedSecret(dataDir, 'postgres-owner'),
    service: storedSecret(dataDir, 'postgres-service'),
  };
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
  return `postgresql://${role}:${password}@127.0.0.1:${port}/${DATABASE}`;
}
