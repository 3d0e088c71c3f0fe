import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PYTHON } from '../../harness/python.ts';

const CLIENTS = join(import.meta.dirname, '../../../clients');

export interface PythonRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs Python until it ends, with the client, the integrations and the stand-ins of other packages on its path, and
 * without proxies and keys of the environment.
 * @param input its standard input
 */
export async function runPython(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = '',
): Promise<PythonRun> {
  const path = [join(CLIENTS, 'python'), join(CLIENTS, 'integrations'), join(import.meta.dirname, 'stubs')].join(':');
  const { PATH, PYTHONPYCACHEPREFIX } = process.env;
  const own = { PATH, HOME: '/nonexistent', PYTHONPYCACHEPREFIX, PYTHONPATH: path };
  const child = spawn(PYTHON, args, { env: { ...own, ...environment } });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { status, stdout, stderr };
}
