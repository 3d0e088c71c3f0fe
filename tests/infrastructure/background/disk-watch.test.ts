import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Sweeps } from '../../../adapters/jobs/sweep.ts';
import { JOBS } from '../../../domain/jobs.ts';
import {
  type DiskOptions,
  type DiskWatch,
  databaseFolders,
  watchDisk,
} from '../../../infrastructure/background/disk-watch.ts';

const LEAST = 1_000;
const FULL = Object.assign(new Error('no space'), { code: '53100' });

let stop: () => void = () => undefined;
afterEach(() => stop());

/** A watch that looks as often as it can at a disk that the test fills, with the lines that it logs. */
async function watched(options: Partial<DiskOptions> = {}) {
  const disk = { free: 5_000, looks: 0, hasRoom: false, probes: 0 };
  const lines: string[] = [];
  const line = (level: string) => (message: string, fields?: object) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const watch = await watchDisk(
    {
      folders: ['/data'],
      least: LEAST,
      look: 1,
      probe: 0,
      async hasRoom() {
        disk.probes += 1;
        return disk.hasRoom;
      },
      async freeBytes() {
        disk.looks += 1;
        return disk.free;
      },
      ...options,
    },
    { error: line('error'), warn: line('warn'), info: line('info') },
  );
  stop = watch.stop;
  return { watch, disk, lines };
}

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !isSo() && Date.now() < end; ) await turn();
  expect(isSo()).toBe(true);
}

const stateIs = (watch: DiskWatch, state: string) => until(() => watch.report().state === state);

describe('the disk of the embedded database', () => {
  test('has been looked at before anything is served', async () => {
    const { watch } = await watched({ freeBytes: async () => 999 });
    expect(watch.report()).toEqual({ state: 'low', free_bytes: 999 });
    expect(watch.refusal()).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
  });

  test('is followed down and up again, with one line for each change', async () => {
    const { watch, disk, lines } = await watched();
    expect([watch.report(), watch.refusal()]).toEqual([{ state: 'ok', free_bytes: 5_000 }, null]);
    for (const [free, state] of [
      [999, 'low'],
      [400, 'full'],
      [1_249, 'low'],
      [1_250, 'ok'],
    ] as const) {
      disk.free = free;
      await stateIs(watch, state);
      const { looks } = disk;
      await until(() => disk.looks > looks + 2);
      expect(watch.refusal() === null).toBe(state === 'ok');
    }
    expect(lines.map((text) => text.split(' ')[0])).toEqual(['warn', 'error', 'warn', 'info']);
    expect(lines[0]).toContain('"free_bytes":999,"least_bytes":1000');
  });

  test('is the fullest of its folders', async () => {
    const { watch } = await watched({
      folders: ['/data', '/log'],
      freeBytes: async (folder) => (folder === '/log' ? 10 : 5_000),
    });
    expect(watch.report()).toEqual({ state: 'full', free_bytes: 10 });
  });

  test('keeps its last state while it cannot be read, which is logged once', async () => {
    let [isBroken, looks] = [false, 0];
    const { watch, lines } = await watched({
      async freeBytes() {
        looks += 1;
        if (isBroken) throw new Error('EIO');
        return 999;
      },
    });
    isBroken = true;
    await until(() => looks > 5);
    expect(watch.report()).toEqual({ state: 'low', free_bytes: 999 });
    expect(lines.filter((text) => text.includes('could not be read'))).toHaveLength(1);
  });
});

describe('a disk that this process cannot see', () => {
  const elsewhere = { folders: [] };

  test('is full from the answer of the database that says so, until the database can write again', async () => {
    const { watch, disk, lines } = await watched(elsewhere);
    expect(watch.report()).toEqual({ state: 'ok', free_bytes: null });
    watch.note(FULL);
    watch.note({ driverError: FULL });
    expect([watch.report().state, watch.refusal()?.code]).toEqual(['full', 'SERVICE_UNAVAILABLE']);
    await until(() => disk.probes > 2);
    expect(watch.report().state).toBe('full');
    disk.hasRoom = true;
    await stateIs(watch, 'ok');
    expect(watch.refusal()).toBeNull();
    expect(lines.map((text) => text.split(' ')[0])).toEqual(['error', 'info']);
  });

  test('stays full while the database does not answer', async () => {
    let probes = 0;
    const { watch } = await watched({
      ...elsewhere,
      async hasRoom() {
        probes += 1;
        throw new Error('ECONNREFUSED');
      },
    });
    watch.note(FULL);
    await until(() => probes > 2);
    expect(watch.report().state).toBe('full');
  });

  test.each(['53200', '40001', 'ECONNREFUSED'])('is not full by the error %s, and is not tried', async (code) => {
    const { watch, disk } = await watched(elsewhere);
    watch.note(Object.assign(new Error('another'), { code }));
    await turn();
    expect([watch.report().state, disk.probes]).toEqual(['ok', 0]);
  });
});

describe('jobs', () => {
  const WAITING = [
    'verify-instruments',
    'evaluate-due',
    'grade-backtests',
    'fold-cohorts',
    'keep-log',
    'build-atlas',
    'refresh-symbols',
    'learn-names',
    'publish-dataset',
  ];

  async function ranWhen(free: number): Promise<readonly string[]> {
    const { watch } = await watched({ freeBytes: async () => free });
    const ran: string[] = [];
    const sweeps = Object.fromEntries(JOBS.map((job) => [job, async () => void ran.push(job)])) as unknown as Sweeps;
    const spared = watch.sparing(sweeps);
    for (const job of JOBS) {
      const { next } = (await spared[job]()) ?? {};
      expect(next === undefined).toBe(ran.includes(job));
    }
    watch.stop();
    return ran;
  }

  test('all run while there is room, and while what was accepted can still be graded and logged', async () => {
    expect(await ranWhen(5_000)).toEqual(JOBS);
    expect(await ranWhen(999)).toEqual(JOBS);
  });

  test('that add to the stored data wait on a full disk; those that make room or stop harm run', async () => {
    expect(await ranWhen(10)).toEqual(JOBS.filter((job) => !WAITING.includes(job)));
  });

  test('that fail because the disk is full are noticed, and still fail', async () => {
    const { watch } = await watched({ folders: [] });
    const sweeps = Object.fromEntries(JOBS.map((job) => [job, async () => Promise.reject(FULL)])) as unknown as Sweeps;
    await expect(watch.sparing(sweeps)['evaluate-due']()).rejects.toBe(FULL);
    expect(watch.report().state).toBe('full');
  });
});

test('a database of another address is not in the data folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stancebook-disk-'));
  expect(databaseFolders(folder, 'postgresql://somewhere/else')).toEqual([]);
  rmSync(folder, { recursive: true });
});
