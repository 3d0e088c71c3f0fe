import { beforeAll, describe, expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { ed25519Verify } from '../../../application/ed25519.ts';
import { keepLog } from '../../../application/log/keep-log.ts';
import { readCheckpoint, readPolicy, readTile } from '../../../application/log/read-log.ts';
import type { Storage } from '../../../application/ports.ts';
import { sha256 } from '../../../application/sha256.ts';
import { judgeCheckpoint } from '../../../domain/log/notes/checkpoint.ts';
import { noteOf } from '../../../domain/log/notes/note.ts';
import { policyOf } from '../../../domain/log/notes/policy.ts';
import { leavesOfBundle, tilePath, tilesOf } from '../../../domain/log/tree/tile.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aDraft, anAgent, aSubmission, NO_LIMITS } from '../../builders/decisions.ts';
import { keptLog, logPorts } from '../../harness/kept-logs.ts';

let storage: Storage;
/** The sizes that have a checkpoint. */
const SIZES = [1, 201, 301];

beforeAll(async () => {
  let time = Date.UTC(2026, 2, 2, 12);
  storage = openMemory({ now: () => new Date(time) });
  const ports = logPorts(storage);
  const agent = await anAgent(storage);
  for (const [i, size] of SIZES.entries()) {
    const now = new Date(time);
    for (let leaf = SIZES[i - 1] ?? 1; leaf < size; leaf++)
      await storage.intake.submit(aDraft(agent, now, aSubmission(now), { limits: NO_LIMITS }));
    time += 2 * MINUTE;
    await keepLog(ports, { interval: MINUTE });
  }
});

test('the checkpoint is the newest, and another log is not found', async () => {
  expect(await readCheckpoint(storage, 1)).toMatch(/^log\.test\/log\/1\n301\n[\w+/]{43}=\n\n— log\.test\/log\/1 /);
  for (const log of [0, 2, Number.NaN])
    await expect(readCheckpoint(storage, log)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('the policy has the key of the newest log, or is that of the operator', async () => {
  const note = noteOf(await readCheckpoint(storage, 1));
  const own = await readPolicy(storage, null);
  expect(own).toMatch(/^log log\.test\/log\/1\+[0-9a-f]{8}\+\S{44}\nquorum none\n$/);
  const trust = await judgeCheckpoint(note, policyOf(own, sha256), ed25519Verify);
  expect(trust).toMatchObject({ signed: true, witnessed: true, invalid: [] });
  const theirs = `# theirs\n${own}`;
  expect(await readPolicy(storage, theirs)).toBe(theirs);
  await expect(readPolicy(openMemory(), theirs)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('the policy that a service gives before it has started its first log stays that of the log', async () => {
  const fresh = openMemory();
  const ports = logPorts(fresh);
  const early = await readPolicy({ ...fresh, logWriter: { ...ports, interval: MINUTE } }, null);
  const withTheirs = await readPolicy(
    { ...fresh, logWriter: { ...ports, interval: MINUTE } },
    '# theirs\nquorum none\n',
  );
  await keepLog(ports, { interval: MINUTE });
  expect(early).toMatch(/^log log\.test\/log\/1\+\S+\nquorum none\n$/);
  expect(early).toBe(await readPolicy(fresh, null));
  expect(withTheirs).toBe(await readPolicy(fresh, '# theirs\nquorum none\n'));
});

describe('tiles and bundles', () => {
  test('exist for each size with a checkpoint, and contain its leaves', async () => {
    const { bytes } = await keptLog(storage);
    for (const size of SIZES) {
      for (const tile of tilesOf(size)) {
        expect(await readTile(storage, 1, tilePath(tile))).toHaveLength(32 * tile.width);
        if (tile.level > 0) continue;
        const bundle = await readTile(storage, 1, tilePath({ ...tile, level: 'entries' }));
        const first = 256 * tile.index;
        expect(leavesOfBundle(bundle)).toEqual(bytes.slice(first, first + tile.width));
      }
    }
  });

  test.each([
    ...['tile/0/000.p/2', 'tile/entries/000.p/200', 'tile/0/001.p/46', 'tile/0/001', 'tile/0/002', 'tile/1/000.p/2'],
    ...['tile/0/0', 'tile/entries/001.p/46', 'tile/2/000.p/1', 'tile/0/000.p/256', 'checkpoint'],
  ])('%s is not found', async (path) => {
    await expect(readTile(storage, 1, path)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
