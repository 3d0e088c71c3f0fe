import { describe, expect, test } from '@jest/globals';
import { isProved, verifyFile } from '../../clients/typescript/verify/verify-file.ts';
import type { Opening } from '../../domain/log/opening.ts';
import { aDecisionOpening, anOutcomeOpening, OWNER } from '../builders/log-openings.ts';
import { aProofFile, LOG_KEYS, LOG_POLICY, SEEN, verdictsOf } from '../builders/proof-files.ts';

const decision = aDecisionOpening();
/** The proof of the decision is that of leaf 3. */
const outcomeOfDecision = anOutcomeOpening(3);
const full = { ...decision, owner: OWNER };

const HOLDS = { signature: 'holds', witnesses: 'holds', inclusion: 'holds', opening: 'holds' };

describe('the lines of a proof', () => {
  test('of a decision hold', async () => {
    expect(await verdictsOf(await aProofFile(decision))).toEqual({ ...HOLDS, time: 'holds' });
  });

  test('of an outcome hold', async () => {
    const alone = await verdictsOf(await aProofFile(anOutcomeOpening(1)));
    expect(alone).toEqual({ ...HOLDS, bucket: 'holds', decision: 'not checked' });
  });

  test('of an outcome next to its decision hold', async () => {
    const lines = await verifyFile(await aProofFile(outcomeOfDecision), LOG_POLICY, [await aProofFile(decision)]);
    expect(lines.at(-1)).toEqual({
      verdict: 'holds',
      subject: 'decision',
      detail: 'it grades dec_20260302_5c0ffee5, bullish, by eval/1',
    });
  });

  test('of an owner hold, with the statement and its producer', async () => {
    const owner = { statement: 'holds', producer: 'holds', 'public statement': 'holds' };
    expect(await verdictsOf(await aProofFile(full))).toEqual({ ...HOLDS, ...owner, time: 'holds' });
  });

  test('without a policy say that signatures were not checked, which proves nothing', async () => {
    const lines = await verifyFile(await aProofFile(decision), null);
    expect(lines).toContainEqual({
      verdict: 'not checked',
      subject: 'signature',
      detail: 'without a policy the key of stancebook.example/log/1 is not known',
    });
    expect(isProved(lines)).toBe(false);
  });

  test('without a quorum in the policy leave the witnesses unchecked, and prove the rest', async () => {
    const lines = await verifyFile(await aProofFile(decision), `${LOG_KEYS}quorum none\n`);
    expect(isProved(lines)).toBe(true);
    expect(lines.find(({ subject }) => subject === 'witnesses')?.verdict).toBe('not checked');
  });
});

describe('the time of a realtime decision', () => {
  const timeAt = async (seconds: number, opening: Opening = decision) =>
    (await verdictsOf(await aProofFile(opening, SEEN + seconds))).time;

  test('holds until the end of its window, and fails after it', async () => {
    expect([await timeAt(240), await timeAt(3_540), await timeAt(3_600 + 60)]).toEqual(['holds', 'holds', 'FAILS']);
  });

  test('is not proved for an imported decision', async () => {
    expect(await timeAt(0, { ...decision, leaf: { ...decision.leaf, t: 'imported' } })).toBe('not checked');
  });
});
