import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from '../../../clients/typescript/verify/command-line.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { runCli } from '../../clients/command-line/run-cli.ts';
import { runPython } from '../../clients/python/run-python.ts';
import { anAgentAt, strangerAt } from '../../harness/callers.ts';
import { logAll } from '../../harness/logged.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';

const PYTHON_CLIENT = join(import.meta.dirname, '../../../clients/python/stancebook.py');
const AT = new Date('2017-06-05T12:00:00.000Z');

const folder = makeThrowawayFolder('inputs');
const at = (name: string) => join(folder, name);

/** Runs the verifier on files of the folder. */
async function verify(...args: readonly string[]) {
  let output = '';
  const status = await runCommand(args, {
    readFile: (file) => readFileSync(file),
    fileExists: () => false,
    writeFile: () => undefined,
    makeFolder: () => undefined,
    stampCrypto: null,
    write: (text) => {
      output += text;
    },
    fetch: async () => ({ status: 404, retryAfter: null, date: null, body: new Uint8Array() }),
    sleep: async () => undefined,
  });
  return { status, output };
}

describe.each(STORAGES)('the inputs of a decision, on %s', (storage) => {
  let service: TestService;
  let inputs: { readonly kind: string; readonly name: string; readonly sha256: string }[];
  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
    writeFileSync(at('prompt.md'), 'You are careful.\n');
    writeFileSync(at('bars.csv'), 'time,close\n2017-06-05,2500\n');
    writeFileSync(at('later.csv'), 'time,close\n2017-06-05,2501\n');
    const [prompt, data] = await Promise.all([
      runCli(['digest', at('prompt.md'), '--kind', 'prompt']),
      runCli(['digest', at('bars.csv')]),
    ]);
    inputs = [...JSON.parse(prompt.stdout), ...JSON.parse(data.stdout)];
    const agent = await anAgentAt(service);
    const { record_id } = (await agent.submit(aSubmission(AT, { inputs } as never))).body;
    const none = (await agent.submit(aSubmission(AT, { direction: 'bearish' }))).body.record_id;
    await logAll(service);
    const receipt = async (id: string, query: string) =>
      (await agent.get(`/api/v1/agent/decisions/${id}/receipt${query}`)).text;
    writeFileSync(at('full'), await receipt(record_id, '?opening=full'));
    writeFileSync(at('short'), await receipt(record_id, ''));
    writeFileSync(at('none'), await receipt(none, '?opening=full'));
    writeFileSync(at('policy'), (await strangerAt(service).get('/log/policy')).text);
  });
  afterAll(async () => {
    removeThrowawayFolder(folder);
    await service.close();
  });

  test('digest writes them: kind, name and SHA-256, the same by both clients', async () => {
    expect(inputs).toEqual([
      { kind: 'prompt', name: 'prompt.md', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { kind: 'data', name: 'bars.csv', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    const python = await runPython([PYTHON_CLIENT, 'digest', at('prompt.md'), '--kind', 'prompt']);
    expect(JSON.parse(python.stdout)).toEqual(inputs.slice(0, 1));
    const wrong = await runCli(['digest', at('prompt.md'), '--kind', 'file']);
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('--kind can be prompt, data, tool')]);
    expect((await runCli(['digest', at('absent')])).status).toBe(1);
  });

  const POLICY = ['--policy', at('policy')];
  test('verify --input holds for each file that the statement names', async () => {
    const args = ['--input', at('prompt.md'), '--input', at('bars.csv')];
    const { status, output } = await verify(at('full'), ...args, ...POLICY);
    expect([status, output]).toEqual([
      0,
      expect.stringMatching(/holds {7}input {13}.*prompt\.md is prompt prompt\.md\n/),
    ]);
    expect(output).toMatch(/holds {7}input {13}.*bars\.csv is data bars\.csv\n/);
    const python = await runPython([PYTHON_CLIENT, 'verify', at('full'), ...args]);
    expect([python.status, python.stderr]).toEqual([0, '']);
    expect(python.stdout.match(/^holds {7}input/gm)).toHaveLength(2);
  });

  test.each([
    [
      'a file that it does not name',
      'full',
      'later.csv',
      'is none of the inputs of the statement: prompt prompt.md, data bars.csv',
    ],
    ['a decision without inputs', 'none', 'bars.csv', 'is none of the inputs of the statement: it names none'],
    ['a receipt that does not show the statement', 'short', 'bars.csv', 'get it again with --opening full'],
  ])('verify --input fails for %s', async (_, receipt, file, words) => {
    const { status, output } = await verify(at(receipt), '--input', at(file), ...POLICY);
    expect([status, /FAILS {7}input.*/.exec(output)?.[0]]).toEqual([1, expect.stringContaining(words)]);
    const python = await runPython([PYTHON_CLIENT, 'verify', at(receipt), '--input', at(file)]);
    expect(python.status).toBe(1);
  });

  test('another statement than the committed one shows no inputs', async () => {
    const [, extra = ''] = /^extra (.*)$/m.exec(readFileSync(at('full'), 'utf8')) ?? [];
    const changed = Buffer.from(extra, 'base64').toString().replace('prompt.md', 'prompt.MD');
    const text = readFileSync(at('full'), 'utf8').replace(extra, Buffer.from(changed).toString('base64'));
    writeFileSync(at('changed'), text);
    const { status, output } = await verify(at('changed'), '--input', at('prompt.md'), ...POLICY);
    expect([status, output]).toEqual([
      1,
      expect.stringMatching(/FAILS {7}input {13}required and not checked: see statement/),
    ]);
    const python = await runPython([PYTHON_CLIENT, 'verify', at('changed'), '--input', at('prompt.md')]);
    expect([python.status, python.stderr]).toEqual([1, expect.stringContaining('commits to another statement')]);
  });

  test('--input is for receipts alone', async () => {
    const audit = await verify('--audit', '--log', 'https://stancebook.example/log/1', '--input', at('prompt.md'));
    expect([audit.status, audit.output]).toEqual([2, expect.stringContaining('--input is for receipts')]);
    expect((await verify('--record', at('full'), '--input', at('prompt.md'))).status).toBe(2);
    expect((await verify(at('full'), '--require', 'input')).output).toContain('--require input needs --input FILE.');
  });
});
