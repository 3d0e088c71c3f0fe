import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { limitVariables, serviceEnvironment, UNREACHED_LIMITS } from '../stage/environment.ts';
import { evidenceLogEnvironment, type LogKeyFile } from '../stage/evidence-log.ts';
import { startService, stopServer } from '../stage/server-process.ts';
import { OWNER, SERVICE, type ThrowawayServer } from './throwaway-server.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The configuration that the lost and the restored database are served with, as on two machines. */
export interface Settings {
  readonly folder: string;
  readonly bars: string;
  readonly secret: string;
  /** Without it no evidence log is kept. */
  readonly log?: LogSettings;
  /** Variables beyond these, which win. */
  readonly more?: Readonly<Record<string, string>>;
}

export interface LogSettings {
  readonly key: LogKeyFile;
  /** The folder of what the machine noted of the log. */
  readonly machine: string;
}

export interface ServiceOnServer {
  readonly url: string;
  /** All that it has printed. */
  output(): string;
  stop(): Promise<void>;
}

export async function startServiceOn(server: ThrowawayServer, settings: Settings): Promise<ServiceOnServer> {
  let output = '';
  const keep = (text: Buffer) => {
    output += text;
  };
  const { url, child } = await startService(environment(server, settings), ({ stdout, stderr }) => {
    for (const stream of [stdout, stderr]) stream?.on('data', keep);
  });
  return { url, output: () => output, stop: () => stopServer(child) };
}

/** How an admin command ended, and what it printed. */
export interface CommandResult {
  readonly code: number | null;
  readonly output: string;
}

/** Runs `npm run admin -- ...` on the server. */
export function runAdmin(server: ThrowawayServer, settings: Settings, ...args: readonly string[]): CommandResult {
  const env = { PATH: process.env.PATH, ...environment(server, settings) };
  const command = ['--disable-warning=ExperimentalWarning', join(ROOT, 'infrastructure/cli.ts'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8', cwd: ROOT });
  return { code: status, output: `${stdout}${stderr}`.trim() };
}

function environment(server: ThrowawayServer, { folder, bars, secret, log, more }: Settings): Record<string, string> {
  return {
    ...serviceEnvironment({ url: server.url(OWNER), serviceUrl: server.url(SERVICE) }),
    SESSION_SECRET: secret,
    PASSWORD_PEPPER: secret,
    DATA_DIR: join(folder, 'service'),
    MARKET_DATA_BARS_DIR: bars,
    ...limitVariables(UNREACHED_LIMITS),
    ...(log ? evidenceLogEnvironment(log.key, log.machine) : {}),
    ...more,
  };
}
