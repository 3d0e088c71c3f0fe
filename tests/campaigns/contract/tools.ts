import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the programs that look at the document; they are no dependency of the service. */
export const TOOLS = join(import.meta.dirname, 'tools');

/** Installs what their lock file names, where that is missing or older. @throws Error when npm does not succeed */
export function installTools(): void {
  const list = join(TOOLS, 'node_modules', '.package-lock.json');
  if (existsSync(list) && statSync(list).mtimeMs >= statSync(join(TOOLS, 'package-lock.json')).mtimeMs) return;
  console.error('Installing what the document is looked at with (once)...');
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: TOOLS,
    stdio: ['ignore', 2, 2],
  });
  if (npm.status !== 0) throw new Error('npm ci did not succeed: check the messages above and the network.');
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

export function runNode(args: readonly string[], cwd: string): Promise<Run> {
  const { PATH, HOME } = process.env;
  // Redocly's tells its makers of each run unless told otherwise.
  const env = { PATH, HOME, NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (text: Buffer) => {
      said.stdout += text;
    });
    child.stderr.on('data', (text: Buffer) => {
      said.stderr += text;
    });
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, ...said }));
  });
}
