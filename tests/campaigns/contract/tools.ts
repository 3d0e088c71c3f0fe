import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the programs that check the document. They are no dependency of the service. */
export const TOOLS = join(import.meta.dirname, 'tools');

/**
 * Installs the programs from their lock file when they are missing or older. No package runs a script while it is
 * installed.
 * @throws Error when npm fails
 */
export function installTools(): void {
  const list = join(TOOLS, 'node_modules', '.package-lock.json');
  if (existsSync(list) && statSync(list).mtimeMs >= statSync(join(TOOLS, 'package-lock.json')).mtimeMs) return;
  console.error('Installing the programs that check the document (once)...');
  const npm = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: TOOLS,
    stdio: ['ignore', 2, 2],
  });
  if (npm.status !== 0) throw new Error('npm ci failed. Check the messages above and the network.');
}

/** The environment of the programs, without what they would send to their makers. */
export function toolEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', SCARF_ANALYTICS: 'false' };
  return { PATH, HOME, NO_COLOR: '1', ...quiet };
}

/** How a program ended, and what it wrote. */
export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of the tools by its name, on this Node.js. */
export function runTool(name: string, args: readonly string[]): Promise<Run> {
  return runNode([join(TOOLS, 'node_modules', '.bin', name), ...args], TOOLS);
}

/** Runs a program on this Node.js. */
export function runNode(args: readonly string[], cwd: string, variables: NodeJS.ProcessEnv = {}): Promise<Run> {
  const env = { ...toolEnvironment(), ...variables };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (text: Buffer) => {
      output.stdout += text;
    });
    child.stderr.on('data', (text: Buffer) => {
      output.stderr += text;
    });
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, ...output }));
  });
}
