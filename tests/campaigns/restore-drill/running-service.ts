import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { LIMITS_OUT_OF_THE_WAY } from '../../../scripts/limits-out-of-the-way.ts';
import { SERVICE as PROGRAM, SERVICE_READY, startServer } from '../bench/server-process.ts';
import { OWNER, SERVICE, type ThrowawayServer } from './throwaway-server.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** As on two machines with one configuration: what a restored database is served with is what the lost one was. */
export interface Settings {
  readonly folder: string;
  readonly bars: string;
  readonly secret: string;
}

export interface ServiceOnServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startServiceOn(server: ThrowawayServer, settings: Settings): Promise<ServiceOnServer> {
  const { url, child } = await startServer(PROGRAM, environment(server, settings), SERVICE_READY, () => undefined);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export interface Answer {
  readonly code: number | null;
  readonly told: string;
}

/** Runs `npm run admin -- ...` on the server. */
export function admin(server: ThrowawayServer, settings: Settings, ...args: readonly string[]): Answer {
  const env = { PATH: process.env.PATH, ...environment(server, settings) };
  const command = ['--disable-warning=ExperimentalWarning', join(ROOT, 'infrastructure/cli.ts'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8', cwd: ROOT });
  return { code: status, told: `${stdout}${stderr}`.trim() };
}

function environment(server: ThrowawayServer, { folder, bars, secret }: Settings): Record<string, string> {
  return {
    DATABASE_URL: server.url(SERVICE),
    MIGRATION_DATABASE_URL: server.url(OWNER),
    SESSION_SECRET: secret,
    PASSWORD_PEPPER: secret,
    DATA_DIR: join(folder, 'service'),
    MARKET_DATA_BARS_DIR: bars,
    MARKET_DATA_NETWORK: 'false',
    PORT: '0',
    LOG_LEVEL: 'warn',
    ...LIMITS_OUT_OF_THE_WAY,
  };
}
