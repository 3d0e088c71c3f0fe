import { expect, test } from '@jest/globals';
import type { Sweeps } from '../../../adapters/jobs/sweep.ts';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { JOBS } from '../../../domain/jobs.ts';
import { recordFaults } from '../../../infrastructure/background/key-uses.ts';
import { type JobNotes, jobNotes, reportProcess } from '../../../infrastructure/background/process-reports.ts';
import { aProcess } from '../../builders/processes.ts';

const NOON = new Date('2026-03-02T12:00:00.000Z');
const resting = Object.fromEntries(JOBS.map((job) => [job, async () => undefined])) as Sweeps;
const started = { job: 'keep-log', last_started_at: NOON, last_succeeded_at: null } as const;
const failure = { ...started, last_failed_at: NOON, failures: 1 };

async function afterOne(notes: JobNotes, sweep: () => Promise<void>) {
  await notes
    .notedSweeps({ ...resting, 'keep-log': sweep })
    ['keep-log']()
    .catch(() => undefined);
  return notes.take();
}

test('runs are noted with their end, and taken once', async () => {
  const notes = jobNotes(() => NOON);
  const done = { ...started, last_succeeded_at: NOON, last_failed_at: null, last_error: null, failures: 0 };
  expect(await afterOne(notes, async () => undefined)).toEqual([done]);
  expect(notes.take()).toEqual([]);
});

test.each([
  ['its code', Object.assign(new Error('quotes a caller'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  ['its name', new TypeError('quotes a caller'), 'TypeError'],
  [
    'those of its parts',
    new AggregateError([new TypeError('a'), new RangeError('b'), new TypeError('c')]),
    'TypeError, RangeError',
  ],
])('a failed run is noted with the error by %s, without its message', async (_, error, last_error) => {
  const sweep = () => Promise.reject(error);
  expect(
    await afterOne(
      jobNotes(() => NOON),
      sweep,
    ),
  ).toEqual([{ ...failure, last_error }]);
});

test('a run that has not ended is reported as running, with its begin', async () => {
  const notes = jobNotes(() => NOON);
  const end = Promise.withResolvers<void>();
  const run = notes.notedSweeps({ ...resting, 'keep-log': () => end.promise })['keep-log']();
  expect(notes.running()).toEqual([{ job: 'keep-log', since: '2026-03-02T12:00:00.000Z' }]);
  end.resolve();
  await run;
  expect(notes.running()).toEqual([]);
});

const { started_at: _, running: __, ...described } = aProcess();
const silent = { warn: () => undefined };
const none = { take: () => [] };

test('a process reports itself at once; its end removes the report and writes its last runs', async () => {
  const storage = openMemory({ now: () => NOON });
  const notes = jobNotes(() => NOON);
  const stop = await reportProcess(storage, () => described, notes, none, silent);
  let all = await storage.processes.all();
  while (all.length === 0) all = await storage.processes.all();
  expect(all).toEqual([{ ...described, started_at: NOON, running: [], reported_at: NOON }]);
  await notes.notedSweeps(resting)['observe-pegs']();
  await stop();
  expect(await storage.processes.all()).toEqual([]);
  expect(await storage.processes.runs()).toMatchObject([{ job: 'observe-pegs', last_succeeded_at: NOON }]);
});

test('a database that is down stops nothing, and loses no run', async () => {
  const storage = openMemory({ now: () => NOON });
  const notes = jobNotes(() => NOON);
  const down = () => Promise.reject(new Error('the database is down'));
  const warned: string[] = [];
  const warn = (message: string) => void warned.push(message);
  await notes.notedSweeps(resting)['observe-pegs']();
  const faults = recordFaults({ error: () => undefined });
  faults.note('dec_20260302_00000001', ['path']);
  const processes = { ...storage.processes, report: down, end: down, noteFaulty: down };
  const stop = await reportProcess({ ...storage, processes }, () => described, notes, faults, { warn });
  await stop();
  expect(warned).toHaveLength(4);
  expect(notes.take()).toMatchObject([{ job: 'observe-pegs' }]);
});

test('what a process found to be faulty is written with its reports, once the database answers', async () => {
  const storage = openMemory({ now: () => NOON });
  const faults = recordFaults({ error: () => undefined });
  faults.note('dec_20260302_00000001', ['path']);
  let isDown = true;
  const noteFaulty = (...sent: Parameters<typeof storage.processes.noteFaulty>) => {
    if (!isDown) return storage.processes.noteFaulty(...sent);
    isDown = false;
    return Promise.reject(new Error('the database is down'));
  };
  const processes = { ...storage.processes, noteFaulty };
  const stop = await reportProcess(
    { ...storage, processes },
    () => described,
    jobNotes(() => NOON),
    faults,
    silent,
  );
  faults.note('dec_20260302_00000001', ['bars']);
  await stop();
  const newest = [{ record_id: 'dec_20260302_00000001', parts: ['bars', 'path'] }];
  expect(await storage.processes.faulty(5)).toEqual({ total: 1, newest });
});
