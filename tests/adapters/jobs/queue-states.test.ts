import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { jobStatus } from '../../../application/operators/job-status.ts';
import { JOBS } from '../../../domain/jobs.ts';
import { HOUR } from '../../../domain/time.ts';
import { type Bench, onBench } from './bench.ts';

const of = async (bench: Bench, job = 'evaluate-due') =>
  (await bench.queue.states.states()).find((state) => state.job === job);

test.concurrent(
  'requests that are due wait since the first of them; later ones do not count, and other jobs are idle',
  onBench(async (bench) => {
    const { queue, states } = bench.queue;
    expect((await states.states()).map(({ job }) => job)).toEqual(JOBS);
    const before = Date.now();
    const first = new Date(before - HOUR);
    await queue.enqueue('evaluate-due', first);
    await queue.enqueue('evaluate-due');
    await queue.enqueue('evaluate-due', new Date(before + HOUR));
    expect(await of(bench)).toEqual({
      job: 'evaluate-due',
      waiting: 2,
      waiting_since: first,
      active: 0,
      active_since: null,
      silent: 0,
    });
    expect(await of(bench, 'keep-log')).toMatchObject({ waiting: 0, waiting_since: null });
  }),
);

test.concurrent(
  'a run whose process was killed is active, and silent once its heartbeat is overdue: the job is stuck',
  onBench(async (bench) => {
    await bench.queue.queue.enqueue('evaluate-due');
    await killedWorker(bench.serviceUrl);
    const taken = await of(bench);
    expect(taken).toMatchObject({ waiting: 0, active: 1, active_since: expect.any(Date), silent: 0 });
    await onDatabase(bench.url, "update pgboss.job set heartbeat_on = now() - interval '121 seconds'");
    const silent = await of(bench);
    expect(silent).toMatchObject({ active: 1, silent: 1 });
    const states = [taken, silent].map((state) => {
      const jobs = jobStatus(state ? [state] : [], [], [], new Date());
      return jobs.find(({ job }) => job === 'evaluate-due')?.state;
    });
    expect(states).toEqual(['running', 'stuck']);
  }),
);

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

async function onDatabase(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}
