import { join } from 'node:path';
import { expect } from '@jest/globals';
import { readClientCases } from '../client-cases.ts';
import { type Exchange, startScriptedServer } from '../scripted-server.ts';
import { runPython } from './run-python.ts';

const PROGRAM = join(import.meta.dirname, '../../../clients/python/stancebook.py');
const { api_key } = readClientCases();

/** Runs a command on a server that gives the replies of the script; `environment` follows from its address. */
export async function runOn(
  exchanges: readonly Exchange[],
  args: readonly string[],
  input = '',
  environment = (url: string): Readonly<Record<string, string>> => ({
    STANCEBOOK_URL: url,
    STANCEBOOK_API_KEY: api_key,
  }),
) {
  const server = await startScriptedServer(exchanges);
  try {
    const run = await runPython([PROGRAM, ...args], environment(server.url), input);
    expect(server.faults()).toEqual([]);
    expect(run.stdout + run.stderr).not.toContain(api_key);
    return run;
  } finally {
    await server.close();
  }
}

export function read(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Exchange {
  return { request: { method: 'GET', path, headers }, reply: { status: 200, body } };
}
