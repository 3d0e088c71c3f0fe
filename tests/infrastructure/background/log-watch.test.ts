import { beforeEach, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { openMemory } from '../../../adapters/memory/storage.ts';
import type { Storage } from '../../../application/ports.ts';
import { sha256 } from '../../../application/sha256.ts';
import { LOG } from '../../../domain/limits.ts';
import { addCheckpointOf } from '../../../domain/log/notes/checkpoint.ts';
import type { LastSeen } from '../../../domain/log/notes/last-seen.ts';
import type { LogWitnesses } from '../../../domain/log/notes/log-key.ts';
import { COSIGNATURE, cosign, signatureLine, vkeyText } from '../../../domain/log/notes/note.ts';
import { policyOf } from '../../../domain/log/notes/policy.ts';
import type { LogTimestamps } from '../../../domain/log/timestamps/timestamp.ts';
import { MINUTE, SECOND } from '../../../domain/time.ts';
import { type LogWatch, watchLog } from '../../../infrastructure/background/log-watch.ts';
import { aDraft, anAgent, aSubmission, NO_LIMITS } from '../../builders/decisions.ts';
import { aSigner } from '../../builders/log.ts';
import { policyText } from '../../builders/witnessed-logs.ts';
import { LOG_KEY, seenInMemory } from '../../harness/kept-logs.ts';

let time: number;
let storage: Storage;
let lines: string[];

beforeEach(() => {
  time = Date.UTC(2026, 2, 2, 12);
  storage = openMemory({ now: () => new Date(time) });
  lines = [];
});

const note = (line: string) => void lines.push(line);

function watch(
  lastSeen: LastSeen | null,
  witnesses: LogWitnesses | null = null,
  timestamps: LogTimestamps | null = null,
): LogWatch {
  const logWriter = lastSeen && {
    ...{ logKey: LOG_KEY, previousKey: null, witnesses, timestamps },
    ...{ lastSeen, interval: MINUTE },
  };
  return watchLog({ ...storage, canonicalJson, logWriter }, { error: note, warn: note, info: note });
}

async function submit(): Promise<void> {
  const now = new Date(time);
  await storage.intake.submit(aDraft(await anAgent(storage), now, aSubmission(now), { limits: NO_LIMITS }));
}

test.each([
  ['does not answer', () => new Promise<never>(() => undefined)],
  ['fails', () => Promise.reject(new Error('relation does not exist'))],
])('a storage of the log that %s degrades the log alone, and soon', async (_, overview) => {
  const worker = watch(seenInMemory());
  await worker.keep();
  storage = { ...storage, log: { ...storage.log, overview } };
  const began = performance.now();
  expect(await watch(null).state()).toBe('degraded');
  expect(performance.now() - began).toBeLessThan(5 * SECOND);
});

test('where no process has the key the log is off', async () => {
  const api = watch(null);
  expect([await api.state(), api.signing(), await api.keep()]).toEqual(['off', null, undefined]);
});

test('a submission without a leaf for more than five minutes degrades every process, until it has one', async () => {
  const [worker, api] = [watch(seenInMemory()), watch(null)];
  await worker.keep();
  await submit();
  time += LOG.includedWithin;
  expect([await worker.state(), await api.state()]).toEqual([true, true]);
  time += SECOND;
  expect([await worker.state(), await api.state()]).toEqual(['degraded', 'degraded']);
  await worker.keep();
  expect([await worker.state(), await api.state()]).toEqual([true, true]);
});

test('a worker reports each authority, and why the last request to it failed', async () => {
  const stamp = () => Promise.reject(new Error('answered 503'));
  const urls = ['https://tsa.example/tsr'];
  const worker = watch(seenInMemory(), null, {
    urls,
    trusted: [],
    client: { stamp },
    crypto: {} as never,
    every: MINUTE,
  });
  const asked = { source: 'tsa.example', serves: 'timestamps', last_success_at: null };
  expect(worker.authorities()).toEqual([
    { ...asked, state: 'never asked', failures: 0, last_error: null, last_error_at: null },
  ]);
  await worker.keep();
  for (const failures of [1, 2]) {
    await submit();
    time += 2 * MINUTE;
    await worker.keep();
    const failed = { state: 'failing', failures, last_error: 'answered 503', last_error_at: new Date(time) };
    expect(worker.authorities()).toEqual([{ ...asked, ...failed }]);
  }
  expect(watch(seenInMemory()).authorities()).toEqual([]);
});

test('a worker without a note of a log that exists is unguarded until it starts again', async () => {
  await watch(seenInMemory()).keep();
  const other = watch(seenInMemory());
  await other.keep();
  await other.keep();
  expect([await other.state(), other.signing()]).toEqual(['unguarded', 'unguarded']);
});

test('a note that cannot be written stops signing: reported once, and degraded until it can', async () => {
  const seen = seenInMemory();
  let isWritable = true;
  const worker = watch({
    read: seen.read,
    write: seen.write,
    replace: async (...tree) => (isWritable ? seen.replace(...tree) : Promise.reject(new Error('EROFS'))),
  });
  await worker.keep();
  isWritable = false;
  await expect(worker.keep()).rejects.toThrow('EROFS');
  await expect(worker.keep()).rejects.toThrow('EROFS');
  expect([await worker.state(), worker.signing()]).toEqual(['degraded', 'stopped']);
  isWritable = true;
  await worker.keep();
  expect([await worker.state(), worker.signing()]).toEqual([true, 'guarded']);
  expect(lines).toEqual([
    'The evidence log is not signed; the next run tries again',
    'The evidence log is signed again',
  ]);
});

test('between its runs a worker stops when the log lacks what was seen or cannot be read, and reports each once', async () => {
  const seen = seenInMemory();
  const log = { ...storage.log };
  storage = { ...storage, log };
  const worker = watch(seen);
  await worker.keep();
  const tree = await seen.read();
  if (!tree) throw new Error('Nothing was noted.');
  await seen.write({ ...tree, size: 9 });
  for (let i = 0; i < 2; i++) await worker.note();
  expect([await worker.state(), worker.signing()]).toEqual(['degraded', 'stopped']);
  await worker.keep();
  await seen.write(tree);
  await worker.note();
  expect([await worker.state(), worker.signing()]).toEqual([true, 'guarded']);
  const { newest } = log;
  log.newest = () => Promise.reject(new Error('Connection terminated'));
  await worker.note();
  expect(worker.signing()).toBe('stopped');
  log.newest = newest;
  await worker.note();
  expect(worker.signing()).toBe('guarded');
  const [stopped, signed] = [
    'The evidence log is not signed; the next run tries again',
    'The evidence log is signed again',
  ];
  expect(lines).toEqual([stopped, signed, stopped, signed]);
});

test('a worker whose run failed makes up for it soon, as others may take all turns from then on', async () => {
  const seen = seenInMemory();
  const { transaction } = storage;
  let isConnected = true;
  storage = {
    ...storage,
    transaction: (work) => (isConnected ? transaction(work) : Promise.reject(new Error('Connection terminated'))),
  };
  const worker = watch(seen);
  await worker.keep();
  isConnected = false;
  await submit();
  time += 2 * MINUTE;
  await expect(worker.keep()).rejects.toThrow('Connection terminated');
  await worker.note();
  expect(worker.signing()).toBe('stopped');
  isConnected = true;
  await worker.note();
  expect([await worker.state(), worker.signing()]).toEqual([true, 'guarded']);
  expect((await seen.read())?.size).toBe(2);
});

test('what others sign does not say that a worker with a fault of its own can', async () => {
  const other = watch(seenInMemory());
  await other.keep();
  const seen = seenInMemory();
  await watch(seen).keep();
  storage = { ...storage, transaction: () => Promise.reject(new Error('permission denied')) };
  const worker = watch(seen);
  await expect(worker.keep()).rejects.toThrow('permission denied');
  await submit();
  time += 2 * MINUTE;
  await other.keep();
  const before = await seen.read();
  await worker.note();
  expect((await seen.read())?.size).toBe((before?.size ?? 0) + 1);
  expect(worker.signing()).toBe('stopped');
});

test('a witness that does not answer shows in the readiness and once in the log lines, as does its return', async () => {
  const signer = aSigner('witness.test', COSIGNATURE, 2);
  let status = 500;
  const witnesses: LogWitnesses = {
    policy: policyOf(policyText({ W: { vkey: vkeyText(signer.key), url: 'http://witness.test' } }), sha256),
    client: {
      async addCheckpoint(_, body) {
        const cosignature = await cosign(addCheckpointOf(body).note.text, 1, signer);
        return { status, type: 'text/plain', body: signatureLine(cosignature) };
      },
    },
  };
  const worker = watch(seenInMemory(), witnesses);
  expect([watch(null).witnesses(), worker.witnesses()]).toEqual([null, true]);
  await worker.keep();
  await worker.keep();
  expect([await worker.state(), worker.witnesses()]).toEqual(['unwitnessed', 'degraded']);
  status = 200;
  await worker.keep();
  expect([await worker.state(), worker.witnesses()]).toEqual([true, true]);
  status = 422;
  await submit();
  time += 2 * MINUTE;
  await worker.keep();
  expect([await worker.state(), worker.signing(), worker.witnesses()]).toEqual(['degraded', 'stopped', 'degraded']);
  expect(lines).toEqual([
    'A witness did not cosign the newest checkpoint; it is asked again at the next run',
    'A witness cosigns again',
    'The evidence log is not signed; the next run tries again',
  ]);
});
