import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { EmbeddedPostgres } from '../../../infrastructure/embedded-postgres.ts';
import { SERVICE, SERVICE_READY, type ServerProcess, startServer } from '../bench/server-process.ts';
import type { CampaignLimits } from './history.ts';

export interface NodePlan {
  readonly nodes: number;
  readonly workers: number;
  readonly folder: string;
  readonly limits: CampaignLimits;
  /** What only the last node is told: a planted bug. */
  readonly planted: Readonly<Record<string, string>>;
}

/** Starts nodes, each one address behind which several processes answer, with nothing in common but database and secrets. */
export async function startNodes(
  database: EmbeddedPostgres,
  { nodes, workers, folder, limits, planted }: NodePlan,
  adopt: (child: ChildProcess) => void,
): Promise<readonly ServerProcess[]> {
  const secrets = { SESSION_SECRET: randomBytes(32).toString('hex'), PASSWORD_PEPPER: randomBytes(32).toString('hex') };
  const environment = {
    DATABASE_URL: database.serviceUrl,
    MIGRATION_DATABASE_URL: database.url,
    ...secrets,
    ROLE: 'api',
    PORT: '0',
    WORKERS: String(workers),
    DATABASE_POOL: '5',
    LOG_LEVEL: 'warn',
    TRUST_PROXY: '1',
    MARKET_DATA_NETWORK: 'false',
    ...variablesOf(limits),
  };
  return Promise.all(
    Array.from({ length: nodes }, (_, n) => {
      const own = { DATA_DIR: join(folder, `node-${n}`), ...(n === nodes - 1 ? planted : {}) };
      return startServer(SERVICE, { ...environment, ...own }, SERVICE_READY, adopt);
    }),
  );
}

function variablesOf(limits: CampaignLimits): Record<string, string> {
  return {
    LIMIT_RATE_PER_SECOND: String(limits.ratePerSecond),
    LIMIT_RATE_PER_MINUTE: String(limits.ratePerMinute),
    LIMIT_ADDRESS_PER_MINUTE: String(limits.addressPerMinute),
    LIMIT_QUERY_PER_DAY: String(limits.queryPerDay),
    LIMIT_READ_PER_DAY: String(limits.readPerDay),
    LIMIT_CHECK_PER_DECISION: String(limits.checkPerDecision),
    LIMIT_SUBMITS_PER_HOUR: '1000000',
  };
}
