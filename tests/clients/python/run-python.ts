import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Debian's Python where it is installed, because that is what the client is tested on; `PYTHON` names another. */
export const PYTHON = process.env.PYTHON ?? (existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3');

const CLIENTS = join(import.meta.dirname, '../../../clients');

export interface PythonRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs Python until it ends, with the client, the integrations and the stand-ins of other packages on its path, and
 * without bytecode files, proxies and keys of the environment.
 * @param input its standard input
 */
export async function runPython(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = '',
): Promise<PythonRun> {
  const path = [join(CLIENTS, 'python'), join(CLIENTS, 'integrations'), join(import.meta.dirname, 'stubs')].join(':');
  const own = { PATH: process.env.PATH, HOME: '/nonexistent', PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: path };
  const child = spawn(PYTHON, args, { env: { ...own, ...environment } });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { status, stdout, stderr };
}
