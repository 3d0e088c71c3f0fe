import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { compiledModules } from '../../../scripts/child-process.ts';

/** How a program ended, and what it wrote. */
export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Programs of others that a campaign runs. They are no dependency of the service. */
export interface Tools {
  /**
   * Installs the programs from their lock file when they are missing or older. No package runs a script while it is
   * installed.
   * @throws Error when npm fails
   */
  install(): void;
  /** Runs a program by its name, on this Node.js. */
  run(name: string, args: readonly string[]): Promise<Run>;
}

/**
 * The programs of a folder with a package.json and a lock file.
 * @param what they are, for the line that says that they are installed
 */
export function toolsOf(folder: string, what: string): Tools {
  return {
    install() {
      const list = join(folder, 'node_modules', '.package-lock.json');
      if (existsSync(list) && statSync(list).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs) return;
      console.error(`Installing ${what} (once)...`);
      const npm = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
        cwd: folder,
        stdio: ['ignore', 2, 2],
      });
      if (npm.status !== 0) throw new Error('npm ci failed. Check the messages above and the network.');
    },
    run: (name, args) => runNode([join(folder, 'node_modules', '.bin', name), ...args], folder),
  };
}

/** The environment of the programs, without what they would send to their makers. */
export function toolEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', SCARF_ANALYTICS: 'false' };
  return { PATH, HOME, NO_COLOR: '1', NODE_COMPILE_CACHE: compiledModules(), ...quiet };
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
