import { describe, expect, test } from '@jest/globals';
import { ed25519Verify } from '../../../../application/ed25519.ts';
import { sha256 } from '../../../../application/sha256.ts';
import { Malformed } from '../../../../domain/log/encoding.ts';
import { addCheckpointOf, addCheckpointText, judgeAddCheckpoint } from '../../../../domain/log/notes/checkpoint.ts';
import { ED25519 } from '../../../../domain/log/notes/note.ts';
import type { TreeHead } from '../../../../domain/log/tree/proof.ts';
import { anAddCheckpoint, GROWING_LOG, type SpoiltCheckpoint, treeOf } from '../../../builders/add-checkpoint.ts';
import { aSigner } from '../../../builders/log.ts';

const other = aSigner('log.example/1', ED25519, 2);

/** The status for a request, of a witness that knows the log at a size; null for one that never saw it. */
function judge(body: string, latest: TreeHead | null, keys = [GROWING_LOG.key]) {
  return judgeAddCheckpoint(addCheckpointOf(body), keys, latest, { verify: ed25519Verify, sha256 });
}

describe('a witness answers', () => {
  test.each([
    [0, 1],
    [0, 20],
    [1, 20],
    [7, 8],
    [8, 20],
    [20, 20],
  ])('200 for a log that grew from %i to %i leaves', async (oldSize, size) => {
    const latest = oldSize === 0 ? null : treeOf(oldSize);
    expect(await judge(await anAddCheckpoint(oldSize, size), latest)).toBe(200);
  });

  test('200 for the empty log, and again when it grows', async () => {
    expect(await judge(await anAddCheckpoint(0, 0), null)).toBe(200);
    expect(await judge(await anAddCheckpoint(0, 5), treeOf(0))).toBe(200);
  });

  test('404 for an unknown log', async () => {
    expect(await judge(await anAddCheckpoint(0, 5), null, [])).toBe(404);
    expect(await judge(await anAddCheckpoint(0, 5, { signer: aSigner('log.example/2') }), null)).toBe(404);
  });

  test('403 without a valid signature of the log, also next to a valid one', async () => {
    expect(await judge(await anAddCheckpoint(0, 5, { signer: other }), null)).toBe(403);
    const [right, wrong] = await Promise.all(
      [anAddCheckpoint(0, 5), anAddCheckpoint(0, 6)].map(async (body) => addCheckpointOf(await body)),
    );
    const signatures = [...(right?.note.signatures ?? []), ...(wrong?.note.signatures ?? [])];
    const note = { text: right?.note.text ?? '', signatures };
    expect(await judge(addCheckpointText({ oldSize: 0, hashes: [], note }), null)).toBe(403);
  });

  test('400 for an old size above that of the checkpoint', async () => {
    expect(await judge(await anAddCheckpoint(6, 5), treeOf(6))).toBe(400);
  });

  test('409 for another old size than the one that it cosigned last', async () => {
    expect(await judge(await anAddCheckpoint(4, 20), treeOf(5))).toBe(409);
    expect(await judge(await anAddCheckpoint(0, 20), treeOf(5))).toBe(409);
    expect(await judge(await anAddCheckpoint(5, 20), null)).toBe(409);
  });

  test.each<readonly [string, number, number, SpoiltCheckpoint]>([
    ['another root at the same size', 5, 5, { root: sha256('x') }],
    ['a root that does not follow', 5, 20, { root: sha256('x') }],
    ['no proof', 5, 20, { hashes: [] }],
    ['a proof from nothing', 0, 20, { hashes: [sha256('x')] }],
    ['an empty log with a root', 0, 0, { root: sha256('x') }],
  ])('422 for %s', async (_, oldSize, size, changes) => {
    expect(await judge(await anAddCheckpoint(oldSize, size, changes), oldSize === 0 ? null : treeOf(oldSize))).toBe(
      422,
    );
  });
});

const HASH_LINE = `${Buffer.alloc(32).toString('base64')}\n`;

describe('a request', () => {
  test('of 63 hashes is read', async () => {
    const body = (await anAddCheckpoint(0, 20)).replace('old 0\n', `old 0\n${HASH_LINE.repeat(63)}`);
    expect(addCheckpointOf(body).hashes).toHaveLength(63);
  });

  test('is written and read', async () => {
    const body = await anAddCheckpoint(7, 20);
    expect(body).toMatch(/^old 7\n(?:[A-Za-z0-9+/]{43}=\n)+\nlog\.example\/1\n20\n/);
    expect(addCheckpointText(addCheckpointOf(body))).toBe(body);
  });

  test.each([
    ['no old size', (body: string) => body.replace('old 7\n', '')],
    ['an old size with a leading zero', (body: string) => body.replace('old 7', 'old 07')],
    ['no empty line', (body: string) => body.replaceAll('\n\n', '\n')],
    ['64 hashes', (body: string) => body.replace('old 7\n', `old 7\n${HASH_LINE.repeat(64)}`)],
    ['a line that is no hash', (body: string) => body.replace('old 7\n', 'old 7\nhash\n')],
    ['no signature', (body: string) => body.replace(/— .*\n/, '')],
    ['nothing', () => ''],
  ])('with %s is refused', async (_, change) => {
    const body = await anAddCheckpoint(7, 20);
    expect(() => addCheckpointOf(change(body))).toThrow(Malformed);
  });
});
