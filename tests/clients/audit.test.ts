import { describe, expect, test } from '@jest/globals';
import { sha256, sha256Hex } from '../../application/sha256.ts';
import { auditLog, isAudited } from '../../clients/typescript/verify/audit.ts';
import {
  NOTHING_SAVED,
  type SavedReading,
  savedReadingOf,
  savedText,
} from '../../clients/typescript/verify/saved-reading.ts';
import type { LogRead } from '../../clients/typescript/verify/time-line.ts';
import { Malformed, utf8 } from '../../domain/log/encoding.ts';
import { type LogLeaf, leafBytes } from '../../domain/log/leaves/leaf.ts';
import { entryBundle, tilePath, tilesOf } from '../../domain/log/tree/tile.ts';
import { aTree } from '../builders/log.ts';
import { aCheckpoint, LOG_POLICY, SEEN } from '../builders/proof-files.ts';

/** A log of `size` leaves: the first one, then decisions whose outcome follows 300 leaves later. */
function leavesOfLog(size: number): readonly Uint8Array[] {
  return Array.from({ length: size }, (_, i): LogLeaf => {
    if (i === 0) return { t: 'log', last: null, v: 1 };
    if (i > 300 && i < 600) return { t: 'outcome', o: sha256Hex(`o${i}`), of: i - 300, v: 1 };
    return { t: i % 2 === 0 ? 'decision' : 'imported', c: sha256Hex(`c${i}`), v: 1 };
  }).map(leafBytes);
}

/** What a log of these leaves serves, as far as an audit reads it. */
async function served(leaves: readonly Uint8Array[], signed = leaves) {
  const { size, root } = aTree(signed);
  const files = new Map([['checkpoint', utf8(await aCheckpoint(size, root))]]);
  for (const { level, index, width } of tilesOf(size)) {
    const bundle = leaves.slice(256 * index, 256 * index + width);
    if (level === 0) files.set(tilePath({ level: 'entries', index, width }), entryBundle(bundle));
  }
  return async (path: string) => {
    const file = files.get(path);
    if (!file) throw new Malformed(`${path} is not served.`);
    return file;
  };
}

const audit = (read: Awaited<ReturnType<typeof served>>, since: SavedReading = NOTHING_SAVED, now = SEEN + 60) =>
  auditLog(read, LOG_POLICY, since, { now, live: true });

/** The subjects of the lines that do not hold. */
const failing = async (...given: Parameters<typeof audit>) =>
  (await audit(...given)).lines.filter(({ verdict }) => verdict === 'FAILS').map(({ subject }) => subject);

describe('an audit of a log', () => {
  test.each([1, 255, 256, 257, 700])('of %i leaves holds and counts its decisions', async (size) => {
    const { lines } = await audit(await served(leavesOfLog(size)));
    expect(isAudited(lines)).toBe(true);
    if (size !== 700) return;
    const { detail } = lines.find(({ subject }) => subject === 'rules') ?? {};
    expect(detail).toBe('200 decisions + 200 imported = 101 open + 299 graded + 0 closed');
  });

  test('goes on from what an earlier one kept, and reads the same', async () => {
    const whole = await audit(await served(leavesOfLog(700)));
    for (const size of [1, 256, 300, 699, 700]) {
      const { kept } = await audit(await served(leavesOfLog(size)));
      const since = savedReadingOf(savedText(kept ?? fail()));
      const grown = await audit(await served(leavesOfLog(700)), since, SEEN + 120);
      expect(isAudited(grown.lines)).toBe(true);
      const first: readonly LogRead[] = size === 700 ? [] : [[size, SEEN + 60]];
      const reads: readonly LogRead[] = [...first, [700, SEEN + 120]];
      expect(savedText(grown.kept ?? fail())).toBe(savedText({ ...(whole.kept ?? fail()), reads }));
    }
  });

  test('fails when a leaf that an earlier one read was rewritten, also when it is signed again', async () => {
    const { kept } = await audit(await served(leavesOfLog(300)));
    const rewritten = leavesOfLog(700).map((leaf, i) => (i === 20 ? leafBytes(decision('another')) : leaf));
    expect(await failing(await served(rewritten))).toEqual([]);
    expect(await failing(await served(rewritten), kept ?? fail())).toEqual(['leaves']);
  });

  test('fails when the log is shorter than an earlier one read, or is another log', async () => {
    const { kept } = await audit(await served(leavesOfLog(300)));
    expect(await failing(await served(leavesOfLog(299)), kept ?? fail())).toEqual(['growth']);
    const other = { ...(kept ?? fail()), origin: 'other.example/log/1' };
    expect(await failing(await served(leavesOfLog(300)), other)).toEqual(['growth']);
  });

  test('fails for leaves that are not those of the checkpoint', async () => {
    const leaves = leavesOfLog(300);
    const altered = leaves.map((leaf, i) => (i === 20 ? leafBytes(decision('another')) : leaf));
    expect(await failing(await served(altered, leaves))).toEqual(['leaves']);
  });

  test('fails for a second outcome, and names its leaf', async () => {
    const leaves = leavesOfLog(700);
    const { lines, kept } = await audit(await served([...leaves, ...leaves.slice(400, 401)]));
    expect(lines.find(({ subject }) => subject === 'rules')).toMatchObject({
      verdict: 'FAILS',
      detail: '1 fault; leaf 700: outcome of 100 is not possible: that leaf is graded before its batch.',
    });
    expect(kept).toBeNull();
  });

  test('fails when no witness saw the checkpoint for 15 minutes', async () => {
    expect(await failing(await served(leavesOfLog(3)), NOTHING_SAVED, SEEN + 900)).toEqual([]);
    expect(await failing(await served(leavesOfLog(3)), NOTHING_SAVED, SEEN + 901)).toEqual(['freshness']);
  });

  test('fails for a missing entry bundle', async () => {
    const read = await served(leavesOfLog(300));
    const missing = (path: string) => read(path.replace('entries/001', 'entries/009'));
    expect(await failing(missing)).toEqual(['form']);
  });

  test('counts what is closed before a grade, by reason, and after one', async () => {
    const closings = [
      [2, 'quarantined'],
      [302, 'rejected'],
      [600, 'rejected'],
      [300, 'data_unavailable'],
    ] as const;
    const closed = closings.map(([of, reason]) => leafBytes({ t: 'closed', of, reason, v: 1 }));
    const { lines } = await audit(await served([...leavesOfLog(700), ...closed]));
    expect(lines.find(({ subject }) => subject === 'rules')).toMatchObject({
      verdict: 'FAILS',
      detail: expect.stringContaining('closed of 302 is not possible'),
    });
    const possible = await audit(await served([...leavesOfLog(700), ...closed.toSpliced(1, 1)]));
    expect(possible.lines.find(({ subject }) => subject === 'rules')?.detail).toBe(
      '200 decisions + 200 imported = 99 open + 298 graded + 3 closed: ' +
        '2 before a grade (1 rejected, 1 data_unavailable), 1 after one',
    );
  });

  test('asks for a newer verifier where it does not know a leaf, and keeps nothing', async () => {
    const leaf = (text: string) => utf8(text);
    const newer = leaf(`{"c":"${sha256Hex('c')}","t":"decision","v":9}`);
    const { lines, kept } = await audit(await served([...leavesOfLog(5), newer, leafBytes(outcomeOf(5))]));
    expect(lines.find(({ subject }) => subject === 'rules')).toEqual({
      ...{ verdict: 'not checked', subject: 'rules', detail: 'get a newer verifier: this one does not know leaf 5' },
    });
    expect([isAudited(lines), kept]).toEqual([false, null]);
    const garbage = await audit(await served([...leavesOfLog(5), leaf('{"t":"decision", "v":9}')]));
    expect(garbage.lines.find(({ subject }) => subject === 'rules')?.verdict).toBe('FAILS');
  });

  test('without a policy checks the leaves, and does not hold', async () => {
    const { lines } = await auditLog(await served(leavesOfLog(3)), null, NOTHING_SAVED, { now: SEEN });
    expect(lines.map(({ verdict }) => verdict)).not.toContain('FAILS');
    expect(isAudited(lines)).toBe(false);
  });
});

test.each(['', '{}', '[]', 'null', savedText({ ...NOTHING_SAVED, origin: 'a', size: 2, states: Uint8Array.of(1) })])(
  'the file of an earlier audit is not %j',
  (text) => {
    expect(() => savedReadingOf(text)).toThrow(Malformed);
  },
);

function outcomeOf(of: number): LogLeaf {
  return { t: 'outcome', o: sha256Hex('o'), of, v: 1 };
}

function decision(name: string): LogLeaf {
  return { t: 'decision', c: Buffer.from(sha256(name)).toString('hex'), v: 1 };
}

function fail(): never {
  throw new Error('The audit kept nothing.');
}
