import { join } from 'node:path';
import { migrate } from '../../../adapters/postgres/migrations/migrate.ts';
import type { DatabaseUrls } from '../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { SERVICE_ROLE } from '../../../infrastructure/embedded-postgres/roles.ts';
import { limitVariables, serviceEnvironment } from '../stage/environment.ts';
import { type Adopt, LISTENING, type ServerProcess, startServer, startService } from '../stage/server-process.ts';
import { openThrowawayDatabase, type ThrowawayDatabase } from '../stage/throwaway-database.ts';
import { type CallNumbers, callNumbers } from './calls.ts';
import { type Population, populate, SUBMITS_PER_HOUR } from './population.ts';
import { layOutLog } from './server-log.ts';

/** The running service that is measured, and the plain server that it is compared with. `close` removes both. */
export interface Stage extends ThrowawayDatabase {
  readonly population: Population;
  readonly calls: CallNumbers;
  readonly service: ServerProcess;
  readonly plain: ServerProcess;
}

/** Opens a durable database, and starts the service and the plain server on it. */
export async function openStage(workers: number): Promise<Stage> {
  const throwaway = await openThrowawayDatabase();
  const { database, adopt } = throwaway;
  try {
    await migrate({ url: database.url, serviceRole: SERVICE_ROLE });
    const population = await populate(database);
    await layOutLog(throwaway);
    const service = await measuredService(throwaway, { WORKERS: String(workers) });
    const plain = await plainServer(database.serviceUrl, adopt);
    return { ...throwaway, population, calls: callNumbers(), service, plain };
  } catch (error) {
    await throwaway.close();
    throw error;
  }
}

/**
 * Starts the service with its defaults except for the limits, which one key would reach at once.
 * @param database one of the cluster; by default its first
 */
export function measuredService(
  { folder, adopt, ...cluster }: Pick<ThrowawayDatabase, 'database' | 'folder' | 'adopt'>,
  variables: Readonly<Record<string, string>>,
  database: DatabaseUrls = cluster.database,
): Promise<ServerProcess> {
  const limits = limitVariables({
    ratePerSecond: MANY,
    ratePerMinute: MANY,
    readPerDay: MANY,
    queryPerDay: MANY,
    checkPerDecision: MANY,
    addressPerMinute: MANY,
    signupsPerMinute: MANY,
    credentialedPerMinute: MANY,
    submitsPerHour: SUBMITS_PER_HOUR,
    backtestRowsPerDay: MANY,
    backtestRows: MANY,
  });
  const own = { DATA_DIR: join(folder, 'service'), ...variables };
  return startService({ ...serviceEnvironment(database), ...own, ...limits }, adopt);
}

const MANY = 1_000_000_000;
const PLAIN_SERVER = join(import.meta.dirname, 'plain-server.ts');

function plainServer(url: string, adopt: Adopt): Promise<ServerProcess> {
  return startServer(PLAIN_SERVER, { environment: { NODE_ENV: 'production', DATABASE_URL: url } }, adopt, LISTENING);
}
