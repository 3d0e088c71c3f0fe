import { describe, expect, test } from '@jest/globals';
import { startJobRunner } from '../../../adapters/jobs/runner.ts';
import { JOBS, type Job } from '../../../domain/jobs.ts';
import { SECOND } from '../../../domain/time.ts';
import { freshDatabase } from '../../harness/database.ts';
import { counting, onBench, pause, queuesWith, states, until } from './bench.ts';

/** Long enough for every queue to be looked at twice. */
const TWO_LOOKS = 1_300;
/** So seldom does a runner look that whatever happens within a test happened without it. */
const SELDOM = { poll: 3600 };

describe('a runner with work before its sweeps', () => {
  test.concurrent(
    'begins none of them until that has ended',
    onBench(async (bench) => {
      const { sweep, runs } = counting();
      const gate = Promise.withResolvers<void>();
      const starting = bench.run({ 'evaluate-due': sweep }, {}, () => gate.promise);
      await bench.queue.queue.enqueue('evaluate-due');
      await pause(TWO_LOOKS);
      expect(runs()).toBe(0);
      gate.resolve();
      await starting;
      await until(() => runs() === 1);
    }),
  );

  test.concurrent(
    'does not start, and runs none of them, where that fails',
    onBench(async (bench) => {
      const { sweep, runs } = counting();
      await bench.queue.queue.enqueue('evaluate-due');
      const starting = bench.run({ 'evaluate-due': sweep }, {}, () =>
        Promise.reject(new Error('no lease could be ended')),
      );
      await expect(starting).rejects.toThrow('no lease could be ended');
      await pause(TWO_LOOKS);
      expect(runs()).toBe(0);
    }),
  );
});

describe('a request', () => {
  test.concurrent(
    'runs its sweep once, and only its own',
    onBench(async (bench) => {
      const [wanted, other] = [counting(), counting()];
      await bench.run({ 'evaluate-due': wanted.sweep, 'prune-expired': other.sweep });
      await bench.transaction('commit', (sql) => bench.queue.inTransaction(sql).enqueue('evaluate-due'));
      await until(() => wanted.runs() > 0);
      await pause(TWO_LOOKS);
      expect([wanted.runs(), other.runs()]).toEqual([1, 0]);
    }),
  );

  test.concurrent(
    'of a transaction that rolled back never runs',
    onBench(async (bench) => {
      const [lost, committed] = [counting(), counting()];
      await bench.run({ 'verify-instruments': lost.sweep, 'evaluate-due': committed.sweep });
      await bench.transaction('rollback', (sql) => bench.queue.inTransaction(sql).enqueue('verify-instruments'));
      await bench.queue.queue.enqueue('evaluate-due');
      await until(() => committed.runs() === 1);
      await pause(TWO_LOOKS);
      expect(lost.runs()).toBe(0);
    }),
  );

  test.concurrent(
    'shares its run with all others that are due',
    onBench(async (bench) => {
      for (let i = 0; i < 50; i += 1) await bench.queue.queue.enqueue('evaluate-due');
      const { sweep, runs } = counting();
      await bench.run({ 'evaluate-due': sweep });
      await until(async () => (await states(bench)).every((state) => state === 'completed'));
      expect(runs()).toBe(1);
    }),
  );

  test.concurrent(
    'that comes during a run leads to another one afterwards',
    onBench(async (bench) => {
      const { sweep, runs } = counting();
      const first = Promise.withResolvers<void>();
      await bench.run({
        'evaluate-due': async () => {
          await sweep();
          if (runs() === 1) await first.promise;
        },
      });
      await bench.queue.queue.enqueue('evaluate-due');
      await until(() => runs() === 1);
      await bench.queue.queue.enqueue('evaluate-due');
      await pause(TWO_LOOKS);
      expect(runs()).toBe(1);
      first.resolve();
      await until(() => runs() === 2);
    }),
  );

  test.concurrent(
    'of a transaction that ends after an equal one was answered has a run of its own',
    onBench(async (bench) => {
      const { sweep, runs } = counting();
      await bench.queue.queue.enqueue('evaluate-due');
      await bench.transaction('commit', async (sql) => {
        await bench.queue.inTransaction(sql).enqueue('evaluate-due');
        await bench.run({ 'evaluate-due': sweep });
        await until(() => runs() === 1);
      });
      await until(() => runs() === 2);
    }),
  );

  test.concurrent(
    'for later does not swallow one for now, and does not run now',
    onBench(async (bench) => {
      const { sweep, runs } = counting();
      await bench.queue.queue.enqueue('evaluate-due', new Date(Date.now() + 3600 * SECOND));
      await bench.queue.queue.enqueue('evaluate-due');
      await bench.run({ 'evaluate-due': sweep });
      await until(async () => (await states(bench))[0] === 'completed');
      await pause(TWO_LOOKS);
      expect(runs()).toBe(1);
      expect(await states(bench)).toEqual(['completed', 'created']);
    }),
  );

  test.concurrent(
    'for later runs then, and not before',
    onBench(async (bench) => {
      const ran = Promise.withResolvers<number>();
      await bench.run({ 'evaluate-due': async () => ran.resolve(Date.now()) });
      const at = Date.now() + 2 * SECOND;
      await bench.queue.queue.enqueue('evaluate-due', new Date(at));
      expect(await ran.promise).toBeGreaterThanOrEqual(at);
    }),
  );

  test.concurrent(
    'runs in one of two runners',
    onBench(async (bench) => {
      const { sweep, runs } = counting();
      await bench.run({ 'evaluate-due': sweep });
      await bench.run({ 'evaluate-due': sweep });
      for (let requests = 1; requests <= 8; requests += 1) {
        await bench.queue.queue.enqueue('evaluate-due');
        await until(async () => (await states(bench)).every((state) => state === 'completed'));
        expect(runs()).toBe(requests);
      }
    }),
  );
});

describe('what a sweep answers', () => {
  test.concurrent(
    'a moment to come: it runs again then, and not before',
    onBench(async (bench) => {
      const ran: number[] = [];
      await bench.run({
        'evaluate-due': async () =>
          ran.push(Date.now()) === 1 ? { next: new Date(Number(ran[0]) + 2 * SECOND) } : undefined,
      });
      await bench.queue.queue.enqueue('evaluate-due');
      await until(() => ran.length === 2);
      expect(ran[1]).toBeGreaterThanOrEqual(Number(ran[0]) + 2 * SECOND);
    }),
  );

  test.concurrent(
    'a moment gone by: it runs again without waiting for the next look',
    onBench(async (bench) => {
      const { sweep, runs } = counting();
      const full = async () => {
        await sweep();
        return runs() < 10 ? { next: new Date(Date.now() - SECOND) } : undefined;
      };
      await bench.queue.queue.enqueue('evaluate-due');
      await bench.run({ 'evaluate-due': full }, SELDOM);
      await until(() => runs() === 10);
    }),
  );

  test.concurrent(
    'a moment beyond the next minutes: left to the schedule',
    onBench(async (bench) => {
      const { sweep, runs } = counting();
      const far = async () => {
        await sweep();
        return { next: new Date(Date.now() + 3600 * SECOND) };
      };
      await bench.queue.queue.enqueue('evaluate-due');
      await bench.run({ 'evaluate-due': far });
      await until(async () => runs() === 1 && (await states(bench)).includes('completed'));
      expect(await states(bench)).toEqual(['completed']);
    }),
  );

  test.concurrent(
    'an error: it is logged with its queue, and one request tries again for all',
    onBench(async (bench) => {
      const { sweep, runs } = counting();
      const failing = async () => {
        await sweep();
        if (runs() === 1) throw new Error('no bars today');
      };
      for (let i = 0; i < 5; i += 1) await bench.queue.queue.enqueue('evaluate-due');
      await bench.run({ 'evaluate-due': failing });
      await until(async () => runs() === 2 && (await states(bench)).every((state) => state === 'completed'));
      expect(bench.complaints).toMatchObject([
        { fields: { queue: 'evaluate-due', requests: 5, error: new Error('no bars today') } },
      ]);
    }),
  );
});

test.concurrent(
  'every sweep is scheduled, so that a lost wake-up is made good',
  onBench(
    async (bench) => {
      const ran = new Set<Job>();
      const noted = (job: Job) => async () => void ran.add(job);
      await bench.run(Object.fromEntries(JOBS.map((job) => [job, noted(job)])));
      await until(() => JOBS.every((job) => ran.has(job)));
    },
    queuesWith({}, '* * * * *'),
  ),
);

test.concurrent('refuses a database that has not been migrated', async () => {
  const empty = await freshDatabase({ empty: true });
  const idle = async () => undefined;
  const sweeps = {
    'verify-instruments': idle,
    'evaluate-due': idle,
    'grade-backtests': idle,
    'fold-cohorts': idle,
    'build-atlas': idle,
    'observe-pegs': idle,
    'keep-log': idle,
    'prune-expired': idle,
    'refresh-symbols': idle,
    'learn-names': idle,
    'deliver-webhooks': idle,
    'send-mails': idle,
    'erase-owners': idle,
    'reset-factors': idle,
    'publish-dataset': idle,
  };
  const log = { warn: () => undefined, error: () => undefined };
  await expect(startJobRunner({ url: empty.serviceUrl, sweeps, log })).rejects.toThrow('not installed');
  await empty.drop();
});
