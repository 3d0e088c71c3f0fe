import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { copyPreparedData } from '../harness/prepared-data.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { type Caller, call, closed, newCaller, PASSWORD, type Reply, submit, VECTOR } from './calls.ts';
import { type RunningService, rowsOf, startService, stopService } from './service.ts';

const MIB = 2 ** 20;

/** A disk with the data folder of the service, on which the test leaves as much room as it wants. */
interface Disk {
  readonly dataDir: string;
  /** What the service is to keep free, in MiB. */
  readonly keptFree: number;
  /** Leaves that share of what is to be kept free. */
  leave(share: number): void;
  makeRoom(): void;
  close(): void;
}

/** A filesystem of its own where this user may mount one. Elsewhere the service keeps nearly all of a shared one free. */
function openDisk(): Disk {
  const folder = makeThrowawayFolder('disk');
  const isOwn = succeeds('mount', '-t', 'tmpfs', '-o', 'size=1g,mode=0711', 'tmpfs', folder);
  const dataDir = join(folder, 'data');
  const balloons = join(folder, 'balloons');
  const keptFree = isOwn ? 128 : Math.floor(freeBytes(folder) / MIB) - 1_024;
  return {
    dataDir,
    keptFree,
    leave(share) {
      rmSync(balloons, { recursive: true, force: true });
      mkdirSync(balloons);
      const bytes = Math.floor(freeBytes(folder) - keptFree * share * MIB);
      expect(succeeds('fallocate', '-l', String(bytes), join(balloons, 'balloon'))).toBe(true);
    },
    makeRoom: () => rmSync(balloons, { recursive: true, force: true }),
    close() {
      rmSync(balloons, { recursive: true, force: true });
      if (isOwn) succeeds('umount', folder);
      removeThrowawayFolder(folder);
    },
  };
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function succeeds(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

let disk: Disk;
let service: RunningService;
let owner: Caller;
let before: Reply;

beforeAll(async () => {
  disk = openDisk();
  const env = { WORKERS: '2', LIMIT_COOLDOWN_SECONDS: '0', DISK_FREE_MB: String(disk.keptFree) };
  service = await startService(await copyPreparedData(disk.dataDir), { env });
  owner = await newCaller(service, 'owner');
  before = await submit(service, owner.api_key, VECTOR, 'before');
  await closed(service, owner.api_key, before.body.record_id);
});

afterAll(async () => {
  await stopService(service);
  disk.close();
});

/** Replies of both API processes: each connection goes to the next one. */
const replies = (path: string) =>
  Promise.all(Array.from({ length: 8 }, () => call(service, path, { headers: { connection: 'close' } })));

async function untilAll(status: number): Promise<readonly Reply[]> {
  for (const end = Date.now() + 90_000; Date.now() < end; await sleep(100)) {
    const all = await replies('/readyz');
    if (all.every((reply) => reply.status === status)) return all;
  }
  throw new Error(`Not every process answers ${status}.`);
}

const later = { ...VECTOR, horizon_value: 6 } as const;
const postmaster = async () => (await rowsOf(service.dataDir, 'select pg_postmaster_start_time()::text as at'))[0]?.at;
const logIn = () => call(service, '/api/v1/public/auth/login', { body: { email: owner.email, password: PASSWORD } });

test.each([
  ['nearly full', 0.8, 'low'],
  ['full', 0.3, 'full'],
])('on a %s disk every process is not ready and refuses new records; all else goes on', async (_name, share, state) => {
  const started = await postmaster();
  disk.leave(share);
  for (const { body } of await untilAll(503)) {
    expect(body.error.details).toEqual([{ path: 'disk', message: expect.stringContaining('free space') }]);
  }
  for (let each = 0; each < 8; each += 1) {
    const { status, body, headers } = await submit(service, owner.api_key, later, `while-${state}-${each}`);
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '30']);
    expect(body.error.suggestion).toContain('DISK_FREE_MB');
  }
  const login = await logIn();
  expect(login.status).toBe(200);
  const cookie = (login.headers.get('set-cookie') ?? '').replace(/;.*/, '');
  const read = await call(service, `/api/v1/agent/decisions/${before.body.record_id}`, { key: owner.api_key });
  expect([read.status, read.body.lifecycle_state]).toEqual([200, 'evaluated']);
  const exported = await (await fetch(`${service.url}/api/v1/owner/export`, { headers: { cookie } })).text();
  expect(exported).toContain(before.body.record_id);
  expect(exported.trimEnd().split('\n').at(-1)).toContain('"type":"complete"');
  expect((await replies('/healthz')).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  // Each process looks by itself, now and then.
  const seen = new RegExp(`^stancebook_disk_state\\{state="${state}",process="[\\w-]+"\\} 1$`, 'gm');
  let metrics = '';
  for (let waited = 0; waited < 90_000 && metrics.match(seen)?.length !== 3; waited += 500) {
    await sleep(500);
    metrics = await (await fetch(`${service.url}/metrics`)).text();
  }
  expect(metrics.match(seen)).toHaveLength(3);
  expect(metrics.match(/^stancebook_disk_free_bytes\{process="[\w-]+"\} [1-9]/gm)).toHaveLength(3);
  expect(await postmaster()).toBe(started);
});

test('with room again every process is ready, without a restart, and nothing that was acknowledged is lost', async () => {
  const started = await postmaster();
  disk.makeRoom();
  await untilAll(200);
  const accepted = await submit(service, owner.api_key, later, 'while-full-0');
  expect([accepted.status, accepted.headers.get('idempotency-replayed')]).toEqual([201, null]);
  await closed(service, owner.api_key, accepted.body.record_id);
  const replayed = await submit(service, owner.api_key, VECTOR, 'before');
  expect([replayed.headers.get('idempotency-replayed'), replayed.text]).toEqual(['true', before.text]);
  expect(await postmaster()).toBe(started);
});
