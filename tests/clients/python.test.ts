import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, test } from '@jest/globals';
import { PYTHON } from '../harness/python.ts';
import { readClientCases } from './client-cases.ts';
import { runPython } from './python/run-python.ts';
import { startScriptedServer } from './scripted-server.ts';

const CLIENTS = join(import.meta.dirname, '../../clients');

const { api_key, now, random, cases } = readClientCases();

describe('the Python client does what each case says', () => {
  const child = spawn(PYTHON, [join(import.meta.dirname, 'python/run_cases.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  afterAll(async () => {
    child.stdin.end();
    await new Promise((resolve) => child.once('exit', resolve));
  });

  test.each(cases.map((each) => [each.name, each] as const))('%s', async (_, each) => {
    const server = await startScriptedServer(each.exchanges ?? []);
    try {
      const options = { url: server.url, api_key, ...each.options };
      child.stdin.write(`${JSON.stringify({ now, random, options, call: each.call })}\n`);
      const { result, error, waits, shown } = JSON.parse((await lines.next()).value ?? '');
      expect(server.faults()).toEqual([]);
      if (each.error) expect(error).toMatchObject(each.error);
      else expect({ result, error }).toEqual({ result: each.result, error: undefined });
      expect(waits).toEqual(each.waits ?? []);
      for (const secret of each.never_shown ?? []) expect(shown.join('\n')).not.toContain(secret);
    } finally {
      await server.close();
    }
  });
});

const FILES = readdirSync(CLIENTS, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.py'));

test.each(FILES)('%s is Python 3.9 by its syntax', async (file) => {
  const script = 'import ast, sys; ast.parse(open(sys.argv[1], encoding="utf-8").read(), feature_version=(3, 9))';
  expect(await runPython(['-c', script, join(CLIENTS, file)])).toEqual({ status: 0, stdout: '', stderr: '' });
});

test('a syntax that is newer than 3.9 is found', async () => {
  const script = 'import ast; ast.parse("match 1:\\n    case 1:\\n        pass\\n", feature_version=(3, 9))';
  expect(await runPython(['-c', script])).toMatchObject({ status: 1, stderr: expect.stringContaining('SyntaxError') });
});

test('the client runs where nothing but the standard library can be imported', async () => {
  const alone = ['-I', '-S'];
  const { status, stdout } = await runPython([...alone, join(CLIENTS, 'python/stancebook.py'), '--help']);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^usage: stancebook.py /)]);
  const other = await runPython([...alone, join(CLIENTS, 'integrations/lean_stancebook.py')]);
  expect(other.stderr).toContain("No module named 'stancebook'");
});
