import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findEmbeddedPostgres } from '../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { serves, until } from '../harness/embedded-instance.ts';
import { copyPreparedData } from '../harness/prepared-data.ts';
import { call, closed, newCaller, submit, VECTOR } from './calls.ts';
import { makeFolder, type RunningService, removeFolder, startService, stopService } from './service.ts';

// The machine may be busy with other tests.

let folder: string;
let service: RunningService;

beforeAll(async () => {
  folder = makeFolder();
  service = await startService(await copyPreparedData(join(folder, 'data')), { env: { WORKERS: '2' } });
});

afterAll(async () => {
  await stopService(service);
  removeFolder(folder);
});

test('two API processes serve one service, and decisions are evaluated', async () => {
  expect(apiProcesses()).toHaveLength(2);
  const { api_key } = await newCaller(service, 'owner');
  const { body } = await submit(service, api_key, VECTOR);
  const { body: state } = await closed(service, api_key, body.record_id);
  expect(state.outcome.result_bucket).toBe('strong_correct');
});

test('a scrape of any process returns the metrics of all, each labelled with the name of its process', async () => {
  await Promise.all(
    Array.from({ length: 40 }, () => fetch(`${service.url}/healthz`, { headers: { connection: 'close' } })),
  );
  const texts = [await scrapeOfAll(), await scrapeOfAll(), await scrapeOfAll()];
  for (const text of texts) {
    expect(text).toMatch(/^stancebook_job_runs_total\{queue="[\w-]+",result="done",process="main"\} [1-9]/m);
    expect(text.match(/^stancebook_evaluations_due 0$/gm)).toHaveLength(1);
    expect(text.match(/^# TYPE stancebook_http_requests_total counter$/gm)).toHaveLength(1);
  }
  const answered = (text: string) =>
    [
      ...text.matchAll(
        /^stancebook_http_requests_total\{method="GET",route="\/healthz",status="200",process="api-[12]"\} (\d+)/gm,
      ),
    ]
      .map(([, count]) => Number(count))
      .reduce((sum, count) => sum + count, 0);
  expect(texts.map(answered)).toEqual(texts.map(() => 40));
});

test('an API process that is killed is replaced', async () => {
  const [victim = 0, other] = apiProcesses();
  process.kill(victim, 'SIGKILL');
  while (apiProcesses().length < 2 || apiProcesses().includes(victim)) await sleep(50);
  expect(apiProcesses()).toContain(other);
  while (!(await isReady())) await sleep(50);
  const replies = await Promise.all(Array.from({ length: 20 }, () => call(service, '/readyz')));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  const processes = [...new Set((await scrapeOfAll()).match(/process="[\w-]+"/g))].sort();
  expect(processes).toEqual(['process="api-1"', 'process="api-2"', 'process="main"']);
});

test('SIGTERM to the first process ends them all', async () => {
  const all = apiProcesses();
  expect(await stopService(service)).toBe(0);
  expect(all.filter(serves)).toEqual([]);
  expect(findEmbeddedPostgres(service.dataDir)).toBeNull();
});

test('when the first process is killed, no API process survives', async () => {
  service = await startService(service.dataDir, { env: { WORKERS: '2' } });
  const all = apiProcesses();
  expect(all).toHaveLength(2);
  service.child.kill('SIGKILL');
  await until(() => !all.some(serves));
});

/** A scrape leaves out a process that does not answer for two seconds, as on a busy machine: then there is another one. */
async function scrapeOfAll(): Promise<string> {
  for (;;) {
    const text = await (await fetch(`${service.url}/metrics`, { headers: { connection: 'close' } })).text();
    if (text.match(/^process_cpu_seconds_total\{process="[\w-]+"\}/gm)?.length === 3) return text;
    await sleep(50);
  }
}

async function isReady(): Promise<boolean> {
  return call(service, '/readyz').then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** The children of the first process that run the service's own code. */
function apiProcesses(): number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(service.child.pid), '-f', 'main\\.ts'], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).map(Number);
}
