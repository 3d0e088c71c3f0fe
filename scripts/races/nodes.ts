import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { EmbeddedPostgres } from '../../infrastructure/embedded-postgres.ts';
import type { CampaignLimits } from './history.ts';

/** A node of the service: one address, behind which several processes answer. */
export interface Node {
  readonly child: ChildProcess;
  readonly url: string;
}

export interface NodePlan {
  readonly nodes: number;
  readonly workers: number;
  readonly folder: string;
  readonly limits: CampaignLimits;
  /** What only the last node is told: a planted bug. */
  readonly planted: Readonly<Record<string, string>>;
}

const ROOT = join(import.meta.dirname, '..', '..');

/** Starts nodes that have nothing in common but the database and their secrets. */
export async function startNodes(
  database: EmbeddedPostgres,
  { nodes, workers, folder, limits, planted }: NodePlan,
  adopt: (child: ChildProcess) => void,
): Promise<readonly Node[]> {
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
    Array.from({ length: nodes }, (_, n) =>
      start({ ...environment, DATA_DIR: join(folder, `node-${n}`), ...(n === nodes - 1 ? planted : {}) }, adopt),
    ),
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

function start(env: Readonly<Record<string, string>>, adopt: (child: ChildProcess) => void): Promise<Node> {
  const child = fork(join(ROOT, 'infrastructure/main.ts'), {
    cwd: ROOT,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  adopt(child);
  return new Promise((resolve, reject) => {
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text: Buffer) => {
        said = (said + text).slice(-10_000);
        const [, url] = /ready at (http\S+)/.exec(said) ?? [];
        if (url !== undefined) resolve({ child, url });
      });
    }
    child.once('exit', () => reject(new Error(`A node ended:\n${said}`)));
  });
}
