import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Debian's Python where it is installed, because that is what the client is tested on. */
export const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';

export interface PythonRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs Python until it ends, without bytecode files and without the environment of the tests.
 * @param input its standard input
 */
export function runPython(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = '',
): PythonRun {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', PYTHONDONTWRITEBYTECODE: '1', ...environment };
  const { status, stdout, stderr } = spawnSync(PYTHON, args, { encoding: 'utf8', env, input });
  return { status, stdout, stderr };
}
