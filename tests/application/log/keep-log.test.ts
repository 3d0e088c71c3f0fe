import { beforeEach, describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { appendBatch } from '../../../application/log/append-batch.ts';
import { checkLog } from '../../../application/log/check-log.ts';
import { KeyUsed, keepLog, type LogPorts, resumeLog, startNextLog } from '../../../application/log/keep-log.ts';
import { logKeyOf } from '../../../application/log/read-log.ts';
import { signatureOf } from '../../../application/log/witness-checkpoint.ts';
import type { Storage } from '../../../application/ports.ts';
import { hexOf } from '../../../domain/log/encoding.ts';
import type { LastSeen } from '../../../domain/log/notes/last-seen.ts';
import { MINUTE, SECOND } from '../../../domain/time.ts';
import { aDraft, anAgent, aSubmission, NO_LIMITS } from '../../builders/decisions.ts';
import {
  keptLog,
  LOG_KEY,
  logKeyFor,
  logPorts,
  newestLogPorts,
  seenInMemory,
  startNext,
} from '../../harness/kept-logs.ts';

let time: number;
let storage: Storage;
let lastSeen: LastSeen;

beforeEach(() => {
  time = Date.UTC(2026, 2, 2, 12);
  storage = openMemory({ now: () => new Date(time) });
  lastSeen = seenInMemory();
});

async function submit(on = storage): Promise<void> {
  const now = new Date(time);
  await on.intake.submit(aDraft(await anAgent(on), now, aSubmission(now), { limits: NO_LIMITS }));
}

async function tick(on = storage, seen = lastSeen) {
  time += 2 * MINUTE;
  return keepLog(await newestLogPorts(on, seen), { interval: MINUTE });
}

/** What the log has against it, in words. */
async function checkedLogs(on: Storage): Promise<readonly string[]> {
  const faults: string[] = [];
  await checkLog({ ...on, canonicalJson }, null, (about, found) => {
    faults.push(...found.map((fault) => `${about}: ${fault}`));
  });
  return faults;
}

test('a machine that has not seen the log is unguarded, every other one compares with what it saw', async () => {
  expect(await tick()).toMatchObject({ leaves: 0, guard: 'guarded' });
  await submit();
  expect(await tick()).toMatchObject({ leaves: 1, guard: 'guarded' });
  const elsewhere = seenInMemory();
  expect(await tick(storage, elsewhere)).toMatchObject({ leaves: 0, guard: 'unguarded' });
  expect(await tick(storage, elsewhere)).toMatchObject({ guard: 'guarded' });
  expect(await lastSeen.read()).toMatchObject({ log: 1, origin: 'log.test/log/1', size: 2 });
});

test('events of the last 5 seconds wait for the next interval', async () => {
  await tick();
  time = Math.floor(time / MINUTE) * MINUTE + MINUTE - 1;
  await submit();
  time += 5_000;
  const ports = logPorts(storage, lastSeen);
  expect(await keepLog(ports, { interval: MINUTE })).toMatchObject({ leaves: 0 });
  time += 1;
  expect(await keepLog(ports, { interval: MINUTE })).toMatchObject({ leaves: 1 });
});

describe('a storage that is not what was seen', () => {
  let other: Storage;
  beforeEach(async () => {
    await submit();
    await tick();
    await tick();
    other = openMemory({ now: () => new Date(time) });
  });

  test('signs nothing when it is shorter, until it is resumed', async () => {
    await expect(tick(other)).rejects.toThrow('2 leaves of log.test/log/1 were seen; 1 is stored');
    expect(await other.log.published(1)).toBeNull();
    await resumeLog(logPorts(other, lastSeen));
    expect(await tick(other)).toMatchObject({ leaves: 0, guard: 'guarded' });
    expect(await other.log.published(1)).toMatchObject({ size: 1 });
  });

  test('signs nothing when it differs', async () => {
    const unseen = seenInMemory();
    await submit(other);
    await tick(other, unseen);
    await tick(other, unseen);
    const before = await other.log.published(1);
    await submit(other);
    await expect(tick(other)).rejects.toThrow('at 2 leaves the root');
    expect(await other.log.published(1)).toEqual(before);
  });

  test('goes on in a further log, which says what was seen of the one before', async () => {
    await expect(tick(other)).rejects.toThrow('The log is not what it was');
    const [seen, stored] = [await lastSeen.read(), await other.log.latest(1)];
    expect(await startNext(other, lastSeen)).toMatchObject({
      ...{ log: 2, origin: 'log.test/log/2', kept: 1, seen: { of: 'log.test/log/1', size: 2 } },
    });
    await submit(other);
    expect(await tick(other)).toMatchObject({ leaves: 1, guard: 'guarded' });
    const { leaves } = await keptLog(other);
    const root = hexOf(seen?.root ?? new Uint8Array());
    expect(leaves[1]).toEqual({ t: 'continues', of: 'log.test/log/1', root, size: 2, v: 1 });
    expect(leaves.map(({ t }) => t)).toEqual(['log', 'continues', 'decision']);
    expect(await checkedLogs(other)).toEqual([]);
    expect(await other.log.latest(1)).toEqual(stored);
  });

  test('is checked: a tree that was seen, and is not the stored one, is a fault of the leaf that names it', async () => {
    await submit(other);
    await tick(other, seenInMemory());
    await expect(tick(other)).rejects.toThrow('at 2 leaves the root');
    await tick(other, seenInMemory());
    await startNext(other, lastSeen);
    expect(await checkedLogs(other)).toEqual([
      expect.stringMatching(
        /^leaf 2 of log\.test\/log\/2: at 2 leaves the root \w+ of log\.test\/log\/1 was seen, not/,
      ),
    ]);
  });
});

test('a database that lacks leaves and is promoted during a run is not signed', async () => {
  const promoted = openMemory({ now: () => new Date(time) });
  const seenThere = seenInMemory();
  await tick(promoted, seenThere);
  await tick();
  await submit();
  await tick();
  await submit(promoted);
  time += 2 * MINUTE;
  const failedOver: LogPorts = {
    ...logPorts(storage, lastSeen),
    log: { ...storage.log },
    transaction: async (work) => {
      Object.assign(failedOver.log, promoted.log);
      return promoted.transaction(work);
    },
  };
  await expect(keepLog(failedOver, { interval: MINUTE })).rejects.toThrow('at 2 leaves the root');
  expect(await promoted.log.latest(1)).toMatchObject({ size: 2, signature: null });
  expect(await lastSeen.read()).toMatchObject({ root: (await storage.log.latest(1))?.root });
});

test('of a log and its copy that run at once on a machine, one is signed', async () => {
  const copy = openMemory({ now: () => new Date(time) });
  await tick();
  await tick(copy);
  for (const each of [storage, copy]) await submit(each);
  const runs = await Promise.allSettled([tick(), tick(copy)]);
  expect(runs.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const trees = await Promise.all([storage, copy].map((each) => each.log.latest(1)));
  expect(trees.map((tree) => tree?.size)).toEqual([2, 2]);
  expect(trees.filter((tree) => tree?.signature !== null)).toHaveLength(1);
});

test('after two restores of one backup, no log is started under an origin that was seen', async () => {
  await tick();
  await startNext(storage, lastSeen);
  await tick();
  const restored = openMemory({ now: () => new Date(time) });
  await tick(restored, seenInMemory());
  await expect(tick(restored)).rejects.toThrow('the log log.test/log/2 was seen, which is newer');
  expect(await startNext(restored, lastSeen)).toMatchObject({
    ...{ log: 3, origin: 'log.test/log/3', kept: 1, seen: { of: 'log.test/log/2', size: 2 } },
  });
  expect(await tick(restored)).toMatchObject({ guard: 'guarded' });
  expect(await checkedLogs(restored)).toEqual([]);
});

test('log-new names the last signed tree, also while that waits for witnesses', async () => {
  await submit();
  await tick();
  const log = await storage.log.newest();
  if (!log) throw new Error('There is no log.');
  const ports = logPorts(storage, lastSeen);
  await appendBatch(ports, log, { before: new Date(time + 2 * MINUTE), limit: 10 });
  const latest = await storage.log.latest(1);
  if (!latest) throw new Error('There is no checkpoint.');
  await storage.log.sign(
    1,
    latest.size,
    await signatureOf(log, latest, { key: logKeyOf(LOG_KEY, log.origin), sign: LOG_KEY.sign }),
    10 * SECOND,
  );
  expect(await startNext(storage)).toMatchObject({ kept: latest.size, seen: { size: latest.size } });
  time += 10 * SECOND;
  expect(await checkedLogs(storage)).toEqual([]);
});

test('log-new with a key that signed before changes nothing', async () => {
  await tick();
  await expect(startNextLog(logPorts(storage, lastSeen), 'somebody')).rejects.toThrow(KeyUsed);
  await startNextLog({ ...logPorts(storage, lastSeen), logKey: logKeyFor(2) }, 'somebody');
  await expect(startNextLog(logPorts(storage, lastSeen))).rejects.toThrow('log.test/log/1 already');
  await expect(startNextLog(await newestLogPorts(storage, lastSeen))).rejects.toThrow(
    'log.test/log/2 was started with the configured key',
  );
  expect(await storage.log.newest()).toMatchObject({ log: 2 });
  expect(await storage.audit.about('log.test/log/2', 10)).toMatchObject([
    { actor: 'somebody', action: 'log_new', detail: { log: 2 } },
  ]);
});

test('log-new on nodes that somebody changed changes nothing', async () => {
  await tick();
  const changed: LogPorts['transaction'] = (work) =>
    storage.transaction((stores) => {
      const tiles: typeof stores.log.tiles = async (...wanted) =>
        (await stores.log.tiles(...wanted)).map((tile) => ({ ...tile, hashes: new Uint8Array(tile.hashes.length) }));
      return work({ ...stores, log: { ...stores.log, tiles } });
    });
  const ports = { ...logPorts(storage, lastSeen), transaction: changed, logKey: logKeyFor(2) };
  await expect(startNextLog(ports)).rejects.toThrow('The tree of 1 leaf has the root');
  expect(await storage.log.newest()).toMatchObject({ log: 1 });
});

test('what was appended and not signed is signed by the log that goes on', async () => {
  await tick();
  await submit();
  time += 2 * MINUTE;
  const log = await storage.log.newest();
  if (!log) throw new Error('There is no log.');
  await appendBatch(logPorts(storage, lastSeen), log, { before: new Date(time), limit: 10 });
  expect(await startNext(storage, lastSeen)).toMatchObject({ kept: 2, seen: { size: 1 } });
  await tick();
  expect((await keptLog(storage)).leaves.map(({ t }) => t)).toEqual(['log', 'decision', 'continues']);
  expect(await storage.log.firstWith(2, 1)).toMatchObject({ log: 2, size: 3 });
  expect(await checkedLogs(storage)).toEqual([]);
});

test('a log that goes on with one that nobody saw says so', async () => {
  await tick(storage, seenInMemory());
  await startNext(storage);
  expect(await startNext(storage, seenInMemory())).toMatchObject({ log: 3, seen: { of: 'log.test/log/2', size: 0 } });
  await tick(storage, seenInMemory());
  expect((await keptLog(storage)).leaves.map(({ t }) => t)).toEqual(['log', 'continues', 'continues']);
  expect(await checkedLogs(storage)).toEqual([]);
});

test('a tree is not signed after log-new ended its log', async () => {
  await tick();
  await submit();
  const isEnded: LastSeen = {
    ...lastSeen,
    async replace(before, tree) {
      if (tree.size === 2) await startNext(storage);
      return lastSeen.replace(before, tree);
    },
  };
  await tick(storage, isEnded);
  expect(await storage.log.latest(1)).toMatchObject({ size: 2, signature: null });
  expect(await checkedLogs(storage)).toEqual([]);
});

test('a log that has ended gets no further leaf', async () => {
  await submit();
  await tick();
  const ports = logPorts(storage, lastSeen);
  const ended = await storage.log.newest();
  if (!ended) throw new Error('There is no log.');
  await startNext(storage, lastSeen);
  expect(await appendBatch(ports, ended, { before: new Date(time + 2 * MINUTE), limit: 10 })).toBe(0);
  await tick();
  await tick();
  expect((await storage.log.latest(ended.log))?.size).toBe(2);
  // Submitted before the first log.
  expect((await keptLog(storage)).leaves.map(({ t }) => t)).toEqual(['log', 'imported', 'continues']);
});

test('another key than that of the log signs nothing', async () => {
  await tick();
  const ports = { ...logPorts(storage, lastSeen), logKey: { ...LOG_KEY, publicKey: new Uint8Array(32) } };
  await expect(keepLog(ports, { interval: MINUTE })).rejects.toThrow('The key');
});
