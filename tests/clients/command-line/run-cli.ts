import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const CLI = join(import.meta.dirname, '../../../clients/typescript/cli.ts');

export interface CliRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** All of its environment but PATH. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Called with what it has printed, whenever that grows. */
  readonly onOutput?: (stdout: string, child: ChildProcess) => void;
}

/** Runs `stancebook` to its end, in a home without a login. */
export function runCli(args: readonly string[], { env, input, onOutput }: CliOptions = {}): Promise<CliRun> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CLI, ...args], {
    env: { PATH, NODE_COMPILE_CACHE, HOME: '/nonexistent', ...env },
    stdio: 'pipe',
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
    onOutput?.(output.stdout, child);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  child.stdin.on('error', () => undefined);
  if (input !== undefined) child.stdin.end(input);
  else if (!onOutput) child.stdin.end();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, ...output }));
  });
}
