import { beforeEach, describe, expect, test } from '@jest/globals';
import { drainMemoryJobs, type MemorySweep, startMemoryJobRunner } from '../../../../adapters/memory/kit/jobs.ts';
import { type MemoryStorage, openMemory } from '../../../../adapters/memory/storage.ts';
import { JOBS, type Job } from '../../../../domain/jobs.ts';
import { DAY } from '../../../../domain/time.ts';

let storage: MemoryStorage;
let ran: Job[];
beforeEach(() => {
  storage = openMemory();
  ran = [];
});

/** Sweeps that note their runs; `answer` speaks for `evaluate-due`. */
function sweeps(answer: MemorySweep = async () => undefined) {
  const noted = (job: Job) => async () => void ran.push(job);
  const evaluate = async () => {
    ran.push('evaluate-due');
    return answer();
  };
  return {
    'verify-instruments': noted('verify-instruments'),
    'evaluate-due': evaluate,
    'grade-backtests': noted('grade-backtests'),
    'fold-cohorts': noted('fold-cohorts'),
    'build-atlas': noted('build-atlas'),
    'observe-pegs': noted('observe-pegs'),
    'keep-log': noted('keep-log'),
    'prune-expired': noted('prune-expired'),
    'refresh-symbols': noted('refresh-symbols'),
    'learn-names': noted('learn-names'),
    'deliver-webhooks': noted('deliver-webhooks'),
    'send-mails': noted('send-mails'),
    'erase-owners': noted('erase-owners'),
    'reset-factors': noted('reset-factors'),
    'publish-dataset': noted('publish-dataset'),
  };
}

describe('draining', () => {
  test('runs what is due once and leaves what is not', async () => {
    await storage.jobs.enqueue('evaluate-due');
    await storage.jobs.enqueue('evaluate-due');
    await storage.jobs.enqueue('prune-expired', new Date(Date.now() + DAY));
    await drainMemoryJobs(storage, sweeps());
    expect(ran).toEqual(['evaluate-due']);
  });

  test('runs nothing that a transaction asked for and took back', async () => {
    const taken = storage.transaction(async ({ jobs }) => {
      await jobs.enqueue('evaluate-due');
      throw new Error('no');
    });
    await expect(taken).rejects.toThrow('no');
    await drainMemoryJobs(storage, sweeps());
    expect(ran).toEqual([]);
  });

  test('goes on while a sweep says that there is more', async () => {
    await storage.jobs.enqueue('evaluate-due');
    await drainMemoryJobs(
      storage,
      sweeps(async () => (ran.length < 3 ? { next: new Date(0) } : undefined)),
    );
    expect(ran).toHaveLength(3);
  });
});

describe('running', () => {
  test('runs every sweep at first, then what is asked for, and survives a sweep that fails', async () => {
    const faults: [Job, unknown][] = [];
    const failing = sweeps(async () => {
      throw new Error('no bars');
    });
    const runner = startMemoryJobRunner(storage, failing, (job, fault) => faults.push([job, fault]));
    await until(() => ran.length === JOBS.length);
    await storage.jobs.enqueue('prune-expired');
    await until(() => ran.length > JOBS.length);
    await runner.stop();
    expect(ran).toEqual([...JOBS, 'prune-expired']);
    expect(faults).toEqual([['evaluate-due', new Error('no bars')]]);
  });

  test('stops after the running sweep, without another', async () => {
    const gate = Promise.withResolvers<undefined>();
    await storage.jobs.enqueue('prune-expired');
    const runner = startMemoryJobRunner(
      storage,
      sweeps(() => gate.promise),
      () => undefined,
    );
    await until(() => ran.includes('evaluate-due'));
    const stopped = runner.stop();
    gate.resolve(undefined);
    await stopped;
    expect(ran).toEqual(['verify-instruments', 'evaluate-due']);
  });
});

async function until(holds: () => boolean): Promise<void> {
  const limit = Date.now() + 90_000;
  while (!holds()) {
    if (Date.now() > limit) throw new Error('It has not come to hold.');
    await new Promise((resume) => setTimeout(resume, 10));
  }
}
