import { spawnSync } from 'node:child_process';

/** Runs a program to its end, and returns what it printed. @throws Error when it fails */
export function runProgram(program: string, args: readonly string[], cwd = '.'): string {
  const { status, error, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) {
    const last = `${stdout}${stderr}`.trim().split('\n').slice(-15).join('\n');
    throw new Error(`${program} ${args[0]} failed: ${error?.message ?? last}`);
  }
  return stdout;
}
