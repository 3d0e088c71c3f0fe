import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { execute } from '../../harness/database.ts';
import { type Bench, counting, openBench, pause, queuesWith, until } from './bench.ts';

let bench: Bench;
afterEach(() => bench.close());

/** Requests are given up soon, so that a test sees it. */
const IMPATIENT = queuesWith({ expireInSeconds: 2, retryDelay: 0, retryBackoff: false });

describe('a worker that is killed', () => {
  test('has its request run again when that has expired', async () => {
    bench = await openBench(IMPATIENT);
    await bench.queue.queue.enqueue('evaluate-due');
    await killedWorker(bench.serviceUrl);
    expect(await state()).toEqual(['active']);
    const { sweep, runs } = counting();
    await bench.run({ 'evaluate-due': sweep }, { supervise: 1 });
    await until(async () => (await state())[0] === 'completed');
    expect(runs()).toBe(1);
  });

  test('does not keep others from running the sweep meanwhile', async () => {
    bench = await openBench();
    await bench.queue.queue.enqueue('evaluate-due');
    await killedWorker(bench.serviceUrl);
    const { sweep, runs } = counting();
    await bench.run({ 'evaluate-due': sweep });
    await bench.queue.queue.enqueue('evaluate-due');
    await until(() => runs() === 1);
    expect(await state()).toEqual(expect.arrayContaining(['active']));
  });
});

describe('lost connections', () => {
  test('while it waits: the next request runs', async () => {
    bench = await openBench();
    const { sweep, runs } = counting();
    await bench.run({ 'evaluate-due': sweep });
    for (let round = 1; round <= 3; round += 1) {
      await execute(bench.url, TERMINATE);
      await bench.queue.queue.enqueue('evaluate-due');
      await until(() => runs() >= round);
    }
  });

  test('during a run: the request runs again if its answer was lost, and the runner goes on', async () => {
    bench = await openBench(IMPATIENT);
    const { sweep, runs } = counting();
    const cut = async () => {
      await sweep();
      if (runs() === 1) await execute(bench.url, TERMINATE);
    };
    await bench.run({ 'evaluate-due': cut }, { supervise: 1 });
    await bench.queue.queue.enqueue('evaluate-due');
    await until(async () => (await state())[0] === 'completed');
    await bench.queue.queue.enqueue('evaluate-due');
    await until(async () => (await state()).every((each) => each === 'completed'));
    expect(runs()).toBeGreaterThanOrEqual(2);
  });

  test('for a while: it is told, not at every look, and the next request runs', async () => {
    bench = await openBench();
    const { sweep, runs } = counting();
    await bench.run({ 'evaluate-due': sweep });
    await execute(bench.url, `alter role ${SERVICE} nologin; ${TERMINATE}`);
    await pause(3_000);
    await execute(bench.url, `alter role ${SERVICE} login`);
    await bench.queue.queue.enqueue('evaluate-due');
    await until(() => runs() === 1);
    const told = bench.complaints.filter(({ fields }) => String(fields.error).includes('not permitted to log in'));
    expect(told).toHaveLength(1);
  });
});

describe('stopping', () => {
  test('lets a running sweep end and answers its request', async () => {
    bench = await openBench();
    const { sweep, runs } = counting();
    let ended = false;
    const slow = async () => {
      await sweep();
      await pause(1_000);
      ended = true;
    };
    const runner = await bench.run({ 'evaluate-due': slow });
    await bench.queue.queue.enqueue('evaluate-due');
    await until(() => runs() === 1);
    await runner.stop();
    expect(ended).toBe(true);
    expect(await state()).toEqual(['completed']);
  });

  test('hands a sweep that takes too long to another run', async () => {
    bench = await openBench();
    const { sweep, runs } = counting();
    const runner = await bench.run({ 'evaluate-due': () => sweep().then(() => new Promise(() => undefined)) });
    await bench.queue.queue.enqueue('evaluate-due');
    await until(() => runs() === 1);
    await runner.stop(1);
    expect(await state()).toEqual(['retry']);
  });
});

test('a sweep that hangs is logged with its queue and run again', async () => {
  bench = await openBench(IMPATIENT);
  const { sweep, runs } = counting();
  const hanging = () => sweep().then(() => (runs() === 1 ? new Promise<void>(() => undefined) : undefined));
  await bench.run({ 'evaluate-due': hanging });
  await bench.queue.queue.enqueue('evaluate-due');
  await until(async () => (await state())[0] === 'completed');
  expect(runs()).toBe(2);
  expect(bench.complaints).toMatchObject([{ fields: { queue: 'evaluate-due', requests: 1 } }]);
});

const TERMINATE = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = 'stancebook-jobs' and datname = current_database()`;

/** A process that has taken the request and is killed while it works on it. */
async function killedWorker(url: string): Promise<void> {
  const script = fileURLToPath(new URL('hanging-worker.ts', import.meta.url));
  const worker = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  await once(worker.stdout, 'data');
  worker.kill('SIGKILL');
  await once(worker, 'exit');
}

async function state(): Promise<readonly string[]> {
  const rows = await bench.sql.rows(
    `select state::text from pgboss.job where name = 'evaluate-due' order by created_on`,
    [],
  );
  return rows.map((row) => (row as { readonly state: string }).state);
}
