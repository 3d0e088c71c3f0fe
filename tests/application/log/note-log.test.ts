import { beforeEach, expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { keepLog, noteLog } from '../../../application/log/keep-log.ts';
import type { Storage } from '../../../application/ports.ts';
import { sha256 } from '../../../application/sha256.ts';
import type { LastSeen, SeenTree } from '../../../domain/log/notes/last-seen.ts';
import type { LogWitnesses } from '../../../domain/log/notes/log-key.ts';
import { COSIGNATURE, vkeyText } from '../../../domain/log/notes/note.ts';
import { policyOf } from '../../../domain/log/notes/policy.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aDraft, anAgent, aSubmission, NO_LIMITS } from '../../builders/decisions.ts';
import { aSigner } from '../../builders/log.ts';
import { policyText } from '../../builders/witnessed-logs.ts';
import { logPorts, newestLogPorts, seenInMemory, sequence, startNext } from '../../harness/kept-logs.ts';

let time: number;
let storage: Storage;
/** The notes of the worker that signs, and of one whose turn never comes. */
let signing: LastSeen;
let idle: LastSeen;
let writes: SeenTree[];

beforeEach(() => {
  time = Date.UTC(2026, 2, 2, 12);
  storage = openMemory({ now: () => new Date(time) });
  signing = seenInMemory();
  const { read, write, replace } = seenInMemory();
  writes = [];
  idle = {
    ...{ read, write },
    replace: async (before, tree) => {
      writes.push(tree);
      return replace(before, tree);
    },
  };
});

async function grow(on = storage, seen = signing): Promise<void> {
  const now = new Date(time);
  await on.intake.submit(aDraft(await anAgent(on), now, aSubmission(now), { limits: NO_LIMITS }));
  time += 2 * MINUTE;
  await keepLog(logPorts(on, seen), { interval: MINUTE });
}

const note = (on = storage) => noteLog(logPorts(on, idle));

test('a worker notes each tree that another one signed, once', async () => {
  expect(await note()).toBeNull();
  await grow();
  expect(await note()).toEqual({ guard: 'unguarded' });
  await grow();
  expect(await note()).toEqual({ guard: 'guarded' });
  expect(await note()).toEqual({ guard: 'guarded' });
  expect(writes.map(({ size }) => size)).toEqual([2, 3]);
  expect(await idle.read()).toEqual(await signing.read());
});

test('between the start of the first log and its first signature nothing is called unguarded', async () => {
  const seen: unknown[] = [];
  const read = signing.read;
  let isStarted = false;
  const watched: LastSeen = {
    ...signing,
    read: async () => {
      // The run of another timer of the same process, when the log is stored and nothing of it is noted or signed.
      if (!isStarted && (await storage.log.newest())) {
        isStarted = true;
        seen.push(await noteLog(logPorts(storage, signing)));
      }
      return read();
    },
  };
  await keepLog(logPorts(storage, watched), { interval: MINUTE });
  expect(seen).toEqual([{ guard: 'guarded' }]);
});

test('a tree that is not signed yet is not noted', async () => {
  await grow();
  await note();
  const now = new Date(time);
  await storage.intake.submit(aDraft(await anAgent(storage), now, aSubmission(now), { limits: NO_LIMITS }));
  time += 2 * MINUTE;
  expect(await sequence(storage, { unsigned: true })).toBe(1);
  expect(await note()).toEqual({ guard: 'guarded' });
  expect(writes.map(({ size }) => size)).toEqual([2]);
});

test('a worker whose turn never came signs no fork on a replica that lacks the last leaves', async () => {
  const lagging = openMemory({ now: () => new Date(time) });
  await grow(lagging, seenInMemory());
  await grow();
  await grow();
  await note();
  await expect(note(lagging)).rejects.toThrow('3 leaves of log.test/log/1 were seen; 2 are stored');
  await grow(lagging, seenInMemory());
  await expect(note(lagging)).rejects.toThrow('at 3 leaves the root');
  await expect(keepLog(logPorts(lagging, idle), { interval: MINUTE })).rejects.toThrow('at 3 leaves the root');
  expect(writes.map(({ size }) => size)).toEqual([3]);
  await startNext(lagging, signing);
  await keepLog(await newestLogPorts(lagging, signing), { interval: MINUTE });
  expect(await note(lagging)).toEqual({ guard: 'guarded' });
  expect(await idle.read()).toMatchObject({ log: 2 });
});

test('the trees of a database that is promoted between the reads do not become the note', async () => {
  const lagging = openMemory({ now: () => new Date(time) });
  await grow();
  await grow();
  await note();
  for (let i = 0; i < 3; i++) await grow(lagging, seenInMemory());
  const failedOver = { ...storage.log };
  const ports = { ...logPorts(storage, idle), log: failedOver };
  failedOver.newest = async () => Object.assign(failedOver, lagging.log).newest();
  await expect(noteLog(ports)).rejects.toThrow('at 3 leaves the root');
  expect(writes.map(({ size }) => size)).toEqual([3]);
});

test('where a witness refuses the tree of another machine, it is not noted', async () => {
  const { key } = aSigner('witness.test', COSIGNATURE, 2);
  const witnesses: LogWitnesses = {
    policy: policyOf(policyText({ W: { vkey: vkeyText(key), url: 'http://witness.test' } }, 'none'), sha256),
    client: { addCheckpoint: async () => ({ status: 422, type: 'text/plain', body: '' }) },
  };
  await grow();
  await expect(noteLog({ ...logPorts(storage, idle), witnesses })).rejects.toThrow('The witness W refuses');
  expect(writes).toEqual([]);
});
