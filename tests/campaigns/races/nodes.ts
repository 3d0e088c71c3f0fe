import { join } from 'node:path';
import type { DatabaseUrls } from '../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { limitVariables, serviceEnvironment, UNREACHED_LIMITS } from '../stage/environment.ts';
import { type Adopt, type ServerProcess, startService } from '../stage/server-process.ts';
import type { CampaignLimits } from './history.ts';

export interface NodePlan {
  readonly nodes: number;
  readonly workers: number;
  readonly folder: string;
  readonly limits: CampaignLimits;
  /** Variables of the last node alone: a planted bug. */
  readonly planted: Readonly<Record<string, string>>;
}

/** Starts nodes. Each is one address with several processes; they share only the database and the secrets. */
export async function startNodes(
  database: DatabaseUrls,
  { nodes, workers, folder, limits, planted }: NodePlan,
  adopt: Adopt,
): Promise<readonly ServerProcess[]> {
  const { submitsPerHour, credentialedPerMinute } = UNREACHED_LIMITS;
  const environment = {
    ...serviceEnvironment(database),
    ROLE: 'api',
    WORKERS: String(workers),
    DATABASE_POOL: '5',
    TRUST_PROXY: '1',
    ...limitVariables({ ...limits, submitsPerHour, credentialedPerMinute }),
  };
  return Promise.all(
    Array.from({ length: nodes }, (_, n) => {
      const own = { DATA_DIR: join(folder, `node-${n}`), ...(n === nodes - 1 ? planted : {}) };
      return startService({ ...environment, ...own }, adopt);
    }),
  );
}
