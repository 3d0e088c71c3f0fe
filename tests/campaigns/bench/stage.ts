import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { migrate } from '../../../adapters/postgres/migrations/migrate.ts';
import { SERVICE_ROLE } from '../../../infrastructure/embedded-postgres/roles.ts';
import { type CallNumbers, callNumbers } from './calls.ts';
import { type Population, populate, SUBMITS_PER_HOUR } from './population.ts';
import { layOutLog } from './server-log.ts';
import { SERVICE, SERVICE_READY, type ServerProcess, startServer } from './server-process.ts';
import { openThrowawayDatabase, type ThrowawayDatabase } from './throwaway-database.ts';

/** What is measured and what it is measured against, running: all of it goes with `close`. */
export interface Stage extends ThrowawayDatabase {
  readonly population: Population;
  readonly calls: CallNumbers;
  readonly service: ServerProcess;
  readonly plain: ServerProcess;
}

/** A durable database in a folder of its own, the service on it as processes of their own, and the plain server. */
export async function openStage(workers: number): Promise<Stage> {
  const throwaway = await openThrowawayDatabase();
  const { database, adopt } = throwaway;
  try {
    await migrate({ url: database.url, serviceRole: SERVICE_ROLE });
    const population = await populate(database);
    await layOutLog(throwaway);
    const service = await startService(throwaway, workers);
    const plain = await startPlainServer(database.serviceUrl, adopt);
    return { ...throwaway, population, calls: callNumbers(), service, plain };
  } catch (error) {
    await throwaway.close();
    throw error;
  }
}

/** The defaults of the service but for the limits, which one key would meet at once. */
function startService({ database, folder, adopt }: ThrowawayDatabase, workers: number): Promise<ServerProcess> {
  const environment = {
    DATABASE_URL: database.serviceUrl,
    MIGRATION_DATABASE_URL: database.url,
    DATA_DIR: join(folder, 'service'),
    SESSION_SECRET: randomBytes(32).toString('hex'),
    PASSWORD_PEPPER: randomBytes(32).toString('hex'),
    PORT: '0',
    WORKERS: String(workers),
    LOG_LEVEL: 'warn',
    MARKET_DATA_NETWORK: 'false',
    LIMIT_RATE_PER_SECOND: '1000000000',
    LIMIT_RATE_PER_MINUTE: '1000000000',
    LIMIT_READ_PER_DAY: '1000000000',
    LIMIT_QUERY_PER_DAY: '1000000000',
    LIMIT_CHECK_PER_DECISION: '1000000000',
    LIMIT_ADDRESS_PER_MINUTE: '1000000000',
    LIMIT_SUBMITS_PER_HOUR: String(SUBMITS_PER_HOUR),
  };
  return startServer(SERVICE, environment, SERVICE_READY, adopt);
}

function startPlainServer(url: string, adopt: (child: ChildProcess) => void): Promise<ServerProcess> {
  return startServer(
    'tests/campaigns/bench/plain-server.ts',
    { DATABASE_URL: url },
    /listening at (http:\S+:(\d+))/,
    adopt,
  );
}
