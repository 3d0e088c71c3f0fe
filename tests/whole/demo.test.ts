import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { copyPreparedData } from '../harness/prepared-data.ts';
import { makeFolder, removeFolder, rowsOf } from './service.ts';

// A hang ends then: the first hook runs the demo twice, on a machine that may be busy with other tests.
jest.setTimeout(480_000);

const DEMO = join(import.meta.dirname, '..', '..', 'scripts', 'demo.ts');

let folder: string;
let dataDir: string;
let first: DemoEnd;
let acknowledgedAtKill: number;
let second: DemoEnd;

beforeAll(async () => {
  folder = makeFolder();
  dataDir = await copyPreparedData(join(folder, 'data'));
  const run = runDemo();
  while (acknowledged().length < 150) await sleep(5);
  process.kill(Number(readFileSync(join(dataDir, 'instance.pid'), 'utf8')), 'SIGKILL');
  first = await run;
  acknowledgedAtKill = acknowledged().length;
  second = await runDemo();
});

afterAll(() => removeFolder(folder));

test('a demo whose service is killed says how to go on', () => {
  expect(first).toMatchObject({ exit: 1, output: expect.stringMatching(/ended by SIGKILL. Run the demo again/) });
});

test('the second run continues where the first ended, and ends with every decision graded', () => {
  expect(second.exit).toBe(0);
  const [, earlier] = /(\d+) by earlier runs/.exec(second.output) ?? [];
  expect(Number(earlier)).toBe(acknowledgedAtKill);
  expect(second.output).toMatch(/each of 360 acknowledged decisions is there once, graded once/);
  expect(second.output).toMatch(/strong_correct +weak_correct +weak_incorrect +strong_incorrect/);
});

test('it shows what cohorts say, and that their pages hold each record once', () => {
  const [, counted] = /all on MSFT: (\d+) records; \d+ strong_correct/.exec(second.output) ?? [];
  const [, rows, records] = /in \d+ pages: (\d+) rows, (\d+) records/.exec(second.output) ?? [];
  expect(Number(counted)).toBeGreaterThan(20);
  expect([rows, records]).toEqual([counted, counted]);
  expect(second.output).toMatch(/not retroactive: withheld, too_few_samples/);
});

test('it publishes the example workflows once, and stores them as skills', async () => {
  const published = [...second.output.matchAll(/steps, wf:([0-9a-f]{12})\.\.\., as a skill in (\S+)/g)];
  expect(published).toHaveLength(3);
  for (const [, , file = ''] of published) expect(readFileSync(file).subarray(0, 2).toString()).toBe('PK');
});

test('it verifies the receipts of a submission and of its grade', () => {
  expect(second.output).toMatch(
    /^Receipts +the log has dec_\S+ and its grade, signed; of both receipts hold: signature, inclusion, opening, /m,
  );
});

test('its output matches the database; with --keep it prints the address of the page, and a login that works there', async () => {
  const demo = startDemo('--keep', '--pace', '0');
  let output = '';
  demo.stdout.on('data', (text: Buffer) => {
    output += text;
  });
  while (!/Password +\S+\n/.test(output) && demo.exitCode === null) await sleep(50);
  const [, url = '', email, password] =
    /Sign in +(\S+)\/#\/sign-in[^\n]*\n +Email +(\S+)\n +Password +(\S+)\n/.exec(output) ?? [];
  const logIn = await fetch(`${url}/api/v1/public/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  expect(logIn.status).toBe(200);
  expect((await fetch(url)).headers.get('content-type')).toMatch(/^text\/html/);
  const decisions = await rowsOf(dataDir, 'select record_id from app.decisions order by 1');
  const outcomes = await rowsOf(dataDir, 'select record_id from app.decision_outcomes order by 1');
  const buckets = await rowsOf(dataDir, `select result_bucket, count(*)::int from app.decisions group by 1 order by 1`);
  expect(decisions.map(({ record_id }) => record_id)).toEqual(acknowledged().toSorted());
  expect(outcomes).toEqual(decisions);
  expect(buckets).toEqual(bucketsOf(second.output));
  demo.kill('SIGINT');
  await once(demo, 'close');
});

test('left running it publishes a snapshot, keeps its port, and moves', async () => {
  const port = readFileSync(join(dataDir, 'port'), 'utf8');
  const demo = startDemo('--keep', '--pace', '0.2');
  const list = async () => {
    const reply = await fetch(`http://127.0.0.1:${port}/data/`).catch(() => null);
    return reply?.ok ? reply.text() : '';
  };
  let month: string | undefined;
  while (month === undefined && demo.exitCode === null) {
    await sleep(200);
    [month] = /\d{4}-\d\d/.exec(await list()) ?? [];
  }
  const file = `http://127.0.0.1:${port}/data/${month}/decisions-with-retroactive.jsonl`;
  const rows = (await (await fetch(file)).text()).trim().split('\n');
  expect(rows.length).toBeGreaterThan(100);
  const known = new Set(acknowledged());
  const graded = () =>
    rowsOf(dataDir, `select record_id from app.decisions where lifecycle_state = 'evaluated'`).then((found) =>
      found.filter(({ record_id }) => !known.has(String(record_id))),
    );
  while ((await graded()).length < 3 && demo.exitCode === null) await sleep(200);
  expect(demo.exitCode).toBeNull();
  demo.kill('SIGINT');
  await once(demo, 'close');
});

test('only its user can read the keys of its accounts', () => {
  for (const file of ['api-key', 'account.json']) {
    expect(statSync(join(dataDir, 'agents', 'trend', file)).mode & 0o777).toBe(0o600);
  }
});

interface DemoEnd {
  readonly exit: number | null;
  readonly output: string;
}

function startDemo(...options: readonly string[]) {
  const args = ['--disable-warning=ExperimentalWarning', DEMO, '--data', dataDir, ...options];
  return spawn(process.execPath, args, {
    // The demo must not use the configuration of another service of the same user.
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      ROLE: 'worker',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function runDemo(): Promise<DemoEnd> {
  const demo = startDemo();
  let output = '';
  for (const stream of [demo.stdout, demo.stderr]) {
    stream.on('data', (text: Buffer) => {
      output += text;
    });
  }
  const [exit] = (await once(demo, 'close')) as [number | null];
  return { exit, output };
}

/** The record ids of the demo's journal. */
function acknowledged(): string[] {
  const file = join(dataDir, 'journal.jsonl');
  return existsSync(file) ? [...readFileSync(file, 'utf8').matchAll(/dec_\d{8}_[0-9a-f]{8}/g)].map(([id]) => id) : [];
}

/** The sums of the columns of its table, in the form in which the database answers. */
function bucketsOf(output: string) {
  const rows = [...output.matchAll(/^\w+ +60 +(\d+) +(\d+) +(\d+) +(\d+) {2}/gm)];
  const names = ['strong_correct', 'weak_correct', 'weak_incorrect', 'strong_incorrect'];
  return names
    .map((result_bucket, n) => ({ result_bucket, count: rows.reduce((sum, row) => sum + Number(row[n + 1]), 0) }))
    .toSorted((a, b) => (a.result_bucket < b.result_bucket ? -1 : 1));
}
