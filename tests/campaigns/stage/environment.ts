import { randomBytes } from 'node:crypto';
import type { Limits } from '../../../domain/limits.ts';
import type { DatabaseUrls } from '../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { compiledModules } from '../../../scripts/child-process.ts';

/** The environment of a service on any free port: its database, secrets of its own, no network for prices. */
export function serviceEnvironment({ url, serviceUrl }: DatabaseUrls): Record<string, string> {
  return {
    NODE_COMPILE_CACHE: compiledModules(),
    DATABASE_URL: serviceUrl,
    MIGRATION_DATABASE_URL: url,
    SESSION_SECRET: randomBytes(32).toString('hex'),
    PASSWORD_PEPPER: randomBytes(32).toString('hex'),
    PORT: '0',
    LOG_LEVEL: 'warn',
    MARKET_DATA_NETWORK: 'false',
    // A campaign uses the sessions that it begins with for all its time.
    REAUTH_MINUTES: '1440',
  };
}

/** The limits as variables of the service: `{ ratePerSecond: 5 }` is `LIMIT_RATE_PER_SECOND=5`. */
export function limitVariables(limits: Partial<Limits>): Record<string, string> {
  const variableOf = (name: string) => `LIMIT_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
  return Object.fromEntries(Object.entries(limits).map(([name, value]) => [variableOf(name), String(value)]));
}

const MANY = 1_000_000;

/** Limits that no campaign reaches, for those that are about something else. */
export const UNREACHED_LIMITS: Limits = {
  ratePerSecond: MANY,
  ratePerMinute: MANY,
  queryPerDay: MANY,
  readPerDay: MANY,
  checkPerDecision: MANY,
  submitsPerHour: MANY,
  retroactivePerDay: MANY,
  cooldownSeconds: 0,
  addressPerMinute: MANY,
  signupsPerMinute: MANY,
  publicCohortsPerMinute: MANY,
  credentialedPerMinute: MANY,
  accountsPerAddress: MANY,
  accountsPerDay: MANY,
  submitMeanBytes: 64 * 1024,
  agentHoursPerNetwork: MANY,
  publicationsPerDay: MANY,
  publishedBytesPerDay: 1_000 * MANY,
  acceptancesPerDay: MANY,
  accountChangesPerDay: MANY,
  notesPerDay: MANY,
  keptOwnersPerNetwork: MANY,
  backtestRowsPerDay: MANY,
  backtestRows: MANY,
};
