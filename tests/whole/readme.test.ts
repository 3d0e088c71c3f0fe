import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newCaller, submit, VECTOR } from './calls.ts';
import { makeFolder, type RunningService, removeFolder, startService, stopService } from './service.ts';

// The machine may be busy with other tests.

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

let folder: string;
let service: RunningService;
beforeAll(async () => {
  folder = makeFolder();
  service = await startService(join(folder, 'data'), { env: { LOG_INTERVAL_SECONDS: '1' } });
});
afterAll(async () => {
  await stopService(service);
  removeFolder(folder);
});

test('the commands of the README get a receipt, verify it, and name what fails after a change of one character', async () => {
  const { api_key } = await newCaller(service, 'owner');
  const { body } = await submit(service, api_key, VECTOR, 'first');
  const receipt = () => fetch(`${service.url}${body.receipt.url}`, { headers: { 'x-api-key': api_key } });
  while ((await receipt()).status === 404) {
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const [verified, changed] = commandsOf('Get a receipt and verify it').map((commands) =>
    run(commands, { API_KEY: api_key, ID: body.record_id }),
  );
  expect(verified).toEqual({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(
      /^ {2}holds {7}signature [\s\S]*^ {2}holds {7}inclusion [\s\S]*^ {2}holds {7}opening /m,
    ),
  });
  expect(changed).toMatchObject({ status: 1, stdout: expect.stringMatching(/^ {2}FAILS {7}opening /m) });
});

test('the commands of the README submit a decision in Python, wait for its grade, and list it over MCP', async () => {
  const { api_key } = await newCaller(service, 'reader');
  const [python, mcp] = commandsOf('Connect your agent').map((commands) => run(commands, { API_KEY: api_key }));
  const graded = expect.stringMatching(/^dec_\d{8}_[0-9a-f]{8} strong_correct\n$/);
  expect(python).toEqual({ status: 0, stderr: '', stdout: graded });
  const [record_id] = python?.stdout.split(' ') ?? [];
  const { result } = JSON.parse(mcp?.stdout.split('data: ')[1] ?? '');
  expect(result.structuredContent.items).toMatchObject([{ record_id, result_bucket: 'strong_correct' }]);
});

/** The shell blocks below a heading. */
function commandsOf(heading: string): readonly string[] {
  const [, section = ''] = README.split(`### ${heading}\n`);
  const [own = ''] = section.split(/^#+ /m);
  return [...own.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands = '']) => commands);
}

function run(commands: string, environment: Readonly<Record<string, string>>) {
  const script = commands.replaceAll('http://127.0.0.1:3000', service.url);
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', script], {
    cwd: folder,
    env: { ...environment, PATH: path },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}
