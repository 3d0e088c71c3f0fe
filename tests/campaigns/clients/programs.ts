import { spawn } from 'node:child_process';
import { compiledModules } from '../../../scripts/child-process.ts';

export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** All of its environment but PATH and Node's folder of compiled modules. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly folder?: string;
  /** Called with all that it has written to standard output, whenever that grows. */
  readonly onOutput?: (stdout: string) => void;
}

/** Runs a program to its end. */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { environment, input = '', folder = import.meta.dirname, onOutput } = options;
  return new Promise((resolve, reject) => {
    const quick = { NODE_COMPILE_CACHE: compiledModules(), PYTHONDONTWRITEBYTECODE: '1' };
    const env = { PATH: process.env.PATH, ...quick, ...environment };
    const child = spawn(program, args, { cwd: folder, env, stdio: 'pipe' });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
        if (name === 'stdout') onOutput?.(output.stdout);
      });
    }
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, ...output }));
  });
}
