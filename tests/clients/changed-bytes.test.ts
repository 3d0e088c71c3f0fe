import { describe, expect, test } from '@jest/globals';
import { auditLog } from '../../clients/typescript/verify/audit.ts';
import { verifyFile } from '../../clients/typescript/verify/verify-file.ts';
import { utf8 } from '../../domain/log/encoding.ts';
import { leafBytes } from '../../domain/log/leaves/leaf.ts';
import type { Opening } from '../../domain/log/leaves/opening.ts';
import { entryBundle } from '../../domain/log/tree/tile.ts';
import { memoryBench } from '../application/grading/bench.ts';
import { gradedOpenings } from '../builders/graded-openings.ts';
import { aTree } from '../builders/log.ts';
import { aDecisionOpening, OWNER } from '../builders/log-openings.ts';
import { aCheckpoint, aProofFile, LOG_POLICY, SEEN } from '../builders/proof-files.ts';

/** All bytes with one bit changed, in turn: of a long file every `step`-th, and more at its end, where no bars are. */
function* changedBytes(bytes: Uint8Array, step = 1): Generator<{ readonly at: number; readonly changed: Uint8Array }> {
  for (let at = 0; at < bytes.length; at += at < bytes.length - LAST ? step : Math.min(step, 29)) {
    yield { at, changed: bytes.with(at, (bytes[at] ?? 0) ^ (1 << (at % 8))) };
  }
}

const LAST = 4_000;

const failing = (lines: Awaited<ReturnType<typeof verifyFile>>) => lines.some(({ verdict }) => verdict === 'FAILS');

describe('a changed bit fails, wherever it is,', () => {
  test.each<readonly [string, () => Promise<Opening>, number]>([
    ['the proof of a decision, in full', async () => ({ ...aDecisionOpening(), owner: OWNER }), 7],
    [
      'the proof of an outcome, with its bars',
      async () => (await gradedOpenings(await memoryBench('BTC'), { symbol: 'BTC' }, 'eval/2')).opening,
      197,
    ],
  ])('in %s', async (_, open, step) => {
    const proof = await aProofFile(await open());
    expect(failing(await verifyFile(proof, LOG_POLICY))).toBe(false);
    const unnoticed: number[] = [];
    for (const { at, changed } of changedBytes(utf8(proof), step)) {
      const lines = await verifyFile(new TextDecoder().decode(changed), LOG_POLICY);
      if (!failing(lines)) unnoticed.push(at);
    }
    expect(unnoticed).toEqual([]);
  });

  test.each(['checkpoint', 'tile/entries/000.p/3'])('in the file %s of an audited log', async (name) => {
    const leaves = [
      leafBytes({ t: 'log', last: null, v: 1 }),
      leafBytes(aDecisionOpening().leaf),
      leafBytes({ t: 'closed', of: 1, reason: 'rejected', v: 1 }),
    ];
    const { size, root } = aTree(leaves);
    const files = new Map([
      ['checkpoint', utf8(await aCheckpoint(size, root))],
      ['tile/entries/000.p/3', entryBundle(leaves)],
    ]);
    const audit = async (changed: Uint8Array) => {
      const served = async (path: string) => (path === name ? changed : (files.get(path) ?? Uint8Array.of()));
      return (await auditLog(served, LOG_POLICY, null, { now: SEEN })).lines;
    };
    const right = files.get(name) ?? Uint8Array.of();
    expect(failing(await audit(right))).toBe(false);
    for (const { at, changed } of changedBytes(right)) expect([at, failing(await audit(changed))]).toEqual([at, true]);
  });
});
