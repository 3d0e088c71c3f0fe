import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { execute, withDatabase } from '../../harness/database.ts';
import { counting, onBench, pause, queuesWith, states, until } from './bench.ts';

/** Requests are given up soon, so that a test sees it, and not while a busy machine answers one that ran. */
const IMPATIENT = queuesWith({ expireInSeconds: 6 });

describe('a worker that is killed', () => {
  test.concurrent(
    'has its request run again when that has expired',
    onBench(async (bench) => {
      await bench.queue.queue.enqueue('evaluate-due');
      await killedWorker(bench.serviceUrl);
      expect(await states(bench)).toEqual(['active']);
      const { sweep, runs } = counting();
      await bench.run({ 'evaluate-due': sweep }, { supervise: 1 });
      await until(async () => (await states(bench))[0] === 'completed');
      expect(runs()).toBe(1);
    }, IMPATIENT),
  );

  test.concurrent(
    'does not keep others from running the sweep meanwhile',
    onBench(async (bench) => {
      await bench.queue.queue.enqueue('evaluate-due');
      await killedWorker(bench.serviceUrl);
      const { sweep, runs } = counting();
      await bench.run({ 'evaluate-due': sweep });
      await bench.queue.queue.enqueue('evaluate-due');
      await until(() => runs() === 1);
      expect(await states(bench)).toEqual(expect.arrayContaining(['active']));
    }),
  );
});

describe('lost connections', () => {
  test.concurrent(
    'while it waits: the next request runs',
    onBench(async (bench) => {
      const { sweep, runs } = counting();
      await bench.run({ 'evaluate-due': sweep });
      for (let round = 1; round <= 3; round += 1) {
        await execute(bench.serviceUrl, TERMINATE);
        await bench.queue.queue.enqueue('evaluate-due');
        await until(() => runs() >= round);
      }
    }),
  );

  test.concurrent(
    'during a run: the request runs again if its answer was lost, and the runner goes on',
    onBench(async (bench) => {
      const { sweep, runs } = counting();
      const cut = async () => {
        await sweep();
        if (runs() === 1) await execute(bench.serviceUrl, TERMINATE);
      };
      await bench.run({ 'evaluate-due': cut }, { supervise: 1 });
      await bench.queue.queue.enqueue('evaluate-due');
      await until(async () => (await states(bench))[0] === 'completed');
      await bench.queue.queue.enqueue('evaluate-due');
      await until(async () => (await states(bench)).every((each) => each === 'completed'));
      expect(runs()).toBeGreaterThanOrEqual(2);
    }, IMPATIENT),
  );

  test.concurrent(
    'for a while: it is reported, but not at every look, and the next request runs',
    onBench(async (bench) => {
      const { sweep, runs } = counting();
      await bench.run({ 'evaluate-due': sweep });
      await shut(bench.url, true);
      await execute(outside(bench.serviceUrl), TERMINATE.replace('current_database()', `'${nameOf(bench.url)}'`));
      const reports = () =>
        bench.complaints.filter(({ fields }) => String(fields.error).includes('not currently accepting'));
      await until(() => reports().length > 0);
      await pause(2_500);
      await shut(bench.url, false);
      await bench.queue.queue.enqueue('evaluate-due');
      await until(() => runs() === 1);
      expect(reports()).toHaveLength(1);
    }),
  );
});

describe('stopping', () => {
  test.concurrent(
    'lets a running sweep end and answers its request',
    onBench(async (bench) => {
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
      expect(await states(bench)).toEqual(['completed']);
    }),
  );

  test.concurrent(
    'hands a sweep that takes too long to another run',
    onBench(async (bench) => {
      const { sweep, runs } = counting();
      const runner = await bench.run({ 'evaluate-due': () => sweep().then(() => new Promise(() => undefined)) });
      await bench.queue.queue.enqueue('evaluate-due');
      await until(() => runs() === 1);
      await runner.stop(1);
      expect(await states(bench)).toEqual(['retry']);
    }),
  );

  test.concurrent(
    'logs a sweep that ends after the stop as what it is',
    onBench(async (bench) => {
      const { sweep, runs } = counting();
      const ending = Promise.withResolvers<void>();
      const lasting = async () => {
        await sweep();
        await ending.promise;
        throw new Error('The pool has ended.');
      };
      const runner = await bench.run({ 'evaluate-due': lasting });
      await bench.queue.queue.enqueue('evaluate-due');
      await until(() => runs() === 1);
      await runner.stop(1);
      ending.resolve();
      await until(() => bench.complaints.length > 0);
      await pause(100);
      expect(await states(bench)).toEqual(['retry']);
      expect(bench.complaints).toEqual([
        { message: expect.stringContaining('longer than the stop waits'), fields: { queue: 'evaluate-due' } },
      ]);
    }),
  );
});

test.concurrent(
  'a sweep that hangs is logged with its queue and run again',
  onBench(async (bench) => {
    const { sweep, runs } = counting();
    const hanging = () => sweep().then(() => (runs() === 1 ? new Promise<void>(() => undefined) : undefined));
    await bench.run({ 'evaluate-due': hanging });
    await bench.queue.queue.enqueue('evaluate-due');
    await until(async () => (await states(bench))[0] === 'completed');
    expect(runs()).toBe(2);
    expect(bench.complaints).toMatchObject([{ fields: { queue: 'evaluate-due', requests: 1 } }]);
  }, IMPATIENT),
);

const TERMINATE = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = 'stancebook-jobs' and datname = current_database()`;

/** Whether the database turns new connections away, as one does that is restarting. */
function shut(url: string, closed: boolean): Promise<void> {
  return execute(outside(url), `alter database ${nameOf(url)} with allow_connections ${!closed}`);
}

function outside(url: string): string {
  return withDatabase(url, 'postgres');
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

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
