import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { RECORD_FAULTS } from '../../domain/limits.ts';
import { type JobRuns, joinedRuns, type ProcessStore } from '../../domain/service-processes.ts';
import { DAY, SECOND } from '../../domain/time.ts';
import { aProcess, someRuns } from '../builders/processes.ts';
import { type Contract, type Opened, race } from './adapters.ts';

const NOW = new Date('2026-03-02T14:00:00.000Z');
const after = (seconds: number) => new Date(NOW.getTime() + seconds * SECOND);

export const processStoreContract: Contract = {
  name: 'processes and runs of jobs',
  promises(open) {
    let opened: Opened;
    let processes: ProcessStore;
    beforeAll(async () => {
      opened = await open();
      processes = opened.storage.processes;
    });
    afterAll(() => opened.close());

    test('a report is returned as it was written, and a new one replaces it', async () => {
      const running = [{ job: 'keep-log', since: '2026-03-02T13:59:00.000Z' }] as const;
      const first = aProcess({ running, signing: 'guarded', disk: { state: 'low', free_bytes: 400_000_000_000 } });
      await processes.report(first, [], NOW);
      expect(await processes.all()).toEqual([{ ...first, reported_at: NOW }]);
      const second = aProcess({ connections: null, signing: 'stopped', disk: { state: 'ok', free_bytes: null } });
      await processes.report(second, [], after(15));
      expect(await processes.all()).toEqual([{ ...second, reported_at: after(15) }]);
    });

    test('the youngest process comes first, and one that ends in order leaves', async () => {
      await processes.report(aProcess({ process: 'b:2', started_at: after(1) }), [], after(20));
      await processes.report(aProcess({ process: 'a:0' }), [], after(20));
      expect((await processes.all()).map(({ process }) => process)).toEqual(['b:2', 'a:0', 'a:1']);
      await processes.end('a:0', []);
      await processes.end('never:1', []);
      expect((await processes.all()).map(({ process }) => process)).toEqual(['b:2', 'a:1']);
    });

    test('a report removes those that are a day old', async () => {
      await processes.report(aProcess({ process: 'c:3' }), [], new Date(after(15).getTime() + DAY));
      expect((await processes.all()).map(({ process }) => process)).toEqual(['b:2', 'a:1', 'c:3']);
      await processes.report(aProcess({ process: 'c:3' }), [], new Date(after(15).getTime() + DAY + 1));
      expect((await processes.all()).map(({ process }) => process)).toEqual(['b:2', 'c:3']);
    });

    test('a minute has the parts of all processes, those of 20 at once too', async () => {
      const durations = [...new Array(12).fill(0), 3];
      const part = { durations, disk_free: 400_000_000_000, due: 1, log_size: 5_000_000_000, log_waits: 2 };
      await processes.addMinute(NOW, part);
      expect(await processes.minutes(NOW)).toEqual([{ ...part, at: NOW, processes: 1 }]);
      await processes.addMinute(NOW, { ...part, disk_free: null, due: 2, log_size: null });
      const [joined] = await processes.minutes(NOW);
      expect(joined).toMatchObject({ processes: 2, disk_free: part.disk_free, due: 2, log_size: null });
      await race(20, () => processes.addMinute(after(60), part));
      const [, raced] = await processes.minutes(NOW);
      expect([raced?.at, raced?.processes, raced?.durations.at(-1)]).toEqual([after(60), 20, 60]);
      expect(await processes.minutes(after(60))).toEqual([raced]);
    });

    test('a minute removes those that are more than a day older', async () => {
      const part = { durations: [1], disk_free: null, due: 0, log_size: null, log_waits: 0 };
      await processes.addMinute(new Date(after(60).getTime() + DAY), part);
      const begins = (await processes.minutes(new Date(0))).map(({ at }) => at);
      expect(begins).toEqual([after(60), new Date(after(60).getTime() + DAY)]);
    });

    test('runs of all processes are joined by job, those of an end too', async () => {
      const failed = (at: Date, failures: number) =>
        someRuns({ last_started_at: at, last_failed_at: at, last_error: `E${failures}`, failures });
      const succeeded = (at: Date) => someRuns({ last_started_at: at, last_succeeded_at: at });
      const steps: readonly JobRuns[] = [
        failed(after(2), 2),
        failed(after(1), 1),
        succeeded(after(3)),
        failed(after(4), 4),
        someRuns(),
        { ...succeeded(after(5)), last_failed_at: after(6), last_error: 'E1', failures: 1 },
      ];
      let expected: JobRuns | null = null;
      for (const [index, step] of steps.entries()) {
        if (index % 2 === 0) await processes.report(aProcess(), [step], NOW);
        else await processes.end('c:3', [step]);
        expected = expected ? joinedRuns(expected, step) : step;
        expect(await processes.runs()).toEqual([expected]);
      }
      expect(expected).toEqual({
        job: 'evaluate-due',
        last_started_at: after(5),
        last_succeeded_at: after(5),
        last_failed_at: after(6),
        last_error: 'E1',
        failures: 1,
      });
    });

    const dec = (n: number) => `dec_20260302_${String(n).padStart(8, '0')}`;
    const known = async (named: number) => {
      const { total, newest } = await processes.faulty(named);
      return [total, newest.map(({ record_id, parts }) => [record_id, ...parts].join(' '))];
    };

    test('records that were found faulty are known with all parts that were found, the newest first', async () => {
      expect(await processes.faulty(5)).toEqual({ total: 0, newest: [] });
      await processes.noteFaulty([], NOW);
      const first = [
        { record_id: dec(2), parts: ['path'] },
        { record_id: dec(1), parts: ['statement', 'outcome'] },
      ];
      await processes.noteFaulty(first, NOW);
      await processes.noteFaulty([{ record_id: dec(2), parts: ['bars', 'path'] }], after(-60));
      await processes.noteFaulty([{ record_id: dec(3), parts: ['bars'] }], after(1));
      expect(await known(2)).toEqual([3, [`${dec(3)} bars`, `${dec(2)} bars path`]]);
      await processes.noteFaulty([{ record_id: dec(1), parts: ['outcome'] }], after(2));
      expect(await known(5)).toEqual([3, [`${dec(1)} outcome statement`, `${dec(3)} bars`, `${dec(2)} bars path`]]);
    });

    test('those found longest ago are read again first, and only what was not found since is forgotten', async () => {
      expect(await processes.faultyBefore(after(2), 5)).toEqual([dec(2), dec(3)]);
      expect(await processes.faultyBefore(after(3), 1)).toEqual([dec(2)]);
      await processes.forgetFaulty([dec(1), dec(2), 'dec_20260302_deadbeef'], after(2));
      expect(await known(5)).toEqual([2, [`${dec(1)} outcome statement`, `${dec(3)} bars`]]);
    });

    test('a bounded number of records is known, also of 20 processes that find others at once', async () => {
      await race(20, (worker) => {
        const found = Array.from({ length: 100 }, (_, n) => ({ record_id: dec(worker * 50 + n), parts: ['path'] }));
        return processes.noteFaulty(worker % 2 === 0 ? found : found.toReversed(), after(10 + worker));
      });
      await processes.noteFaulty([{ record_id: dec(2_000), parts: ['bars'] }], after(60));
      expect(await known(2)).toEqual([RECORD_FAULTS.remembered, [`${dec(2_000)} bars`, `${dec(1_049)} path`]]);
      const oldest = await processes.faultyBefore(after(60), 1);
      expect(oldest).toEqual([dec(51)]);
    });

    test('the runs of 20 processes at once are all added, in whatever order they name the jobs', async () => {
      const failure = { last_started_at: NOW, last_failed_at: NOW, last_error: 'E', failures: 1 };
      const jobs = ['build-atlas', 'observe-pegs'] as const;
      await race(20, (worker) => {
        const runs = (worker % 2 === 0 ? jobs : jobs.toReversed()).map((job) => someRuns({ ...failure, job }));
        return processes.report(aProcess({ process: `p:${worker}` }), runs, NOW);
      });
      expect(await processes.runs()).toMatchObject([
        { job: 'build-atlas', failures: 20 },
        { job: 'evaluate-due', failures: 1 },
        { job: 'observe-pegs', failures: 20 },
      ]);
    });
  },
};
