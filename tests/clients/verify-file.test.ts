import { describe, expect, test } from '@jest/globals';
import { textOf } from '../../clients/typescript/verify/verdict.ts';
import { isProved, verifyFile } from '../../clients/typescript/verify/verify-file.ts';
import type { Opening } from '../../domain/log/leaves/opening.ts';
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

  test('say of what they are', async () => {
    const detailOf = async (opening: Opening) =>
      (await verifyFile(await aProofFile(opening), LOG_POLICY)).find(({ subject }) => subject === 'opening')?.detail;
    expect(await detailOf(decision)).toBe(
      'dec_20260302_5c0ffee5, bullish BTC (crypto, COINBASE), 3600 holding_seconds, realtime, ' +
        'received at 2026-03-02T12:00:00.000Z, is that of the leaf',
    );
    expect(await detailOf(outcomeOfDecision)).toMatch(/^\w+, graded at \S+Z, is that of the leaf$/);
  });

  test('show no line that a file made up', () => {
    const made = textOf({ verdict: 'holds', subject: 'opening', detail: 'x\n  holds \u001b[2K\u202e' });
    expect(made).toBe('holds       opening           x\\u{a}  holds \\u{1b}[2K\\u{202e}');
  });

  test('of an outcome hold', async () => {
    const alone = await verdictsOf(await aProofFile(anOutcomeOpening(1)));
    expect(alone).toEqual({ ...HOLDS, bucket: 'holds', decision: 'not checked', bars: 'not checked' });
  });

  test('of an outcome next to its decision hold', async () => {
    const lines = await verifyFile(await aProofFile(outcomeOfDecision), LOG_POLICY, [await aProofFile(decision)]);
    expect(lines).toContainEqual({
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
    (await verifyFile(await aProofFile(opening, SEEN + seconds), LOG_POLICY)).find(({ subject }) => subject === 'time');

  test.each([
    [0, 'holds', 'within the 5 minutes of the receipt, before the end of its window'],
    [3_480, 'holds', 'later than the 5 minutes of the receipt, before the end of its window'],
    [3_540, 'not checked', 'its window ended in the same minute'],
    [3_600, 'FAILS', 'after the end of its window'],
  ])('seen %i seconds later %s', async (seconds, verdict, detail) => {
    expect(await timeAt(seconds)).toMatchObject({ verdict, detail: expect.stringContaining(detail) });
  });

  test('is compared with the close of the last session of its horizon', async () => {
    const sessions = { market: 'stock', venue: 'NASDAQ', horizon_kind: 'trading_days', horizon_value: 2 } as const;
    const opening = { ...decision, public_statement: { ...decision.public_statement, ...sessions } };
    // 2 March 2026 is a Monday: the second session closes on 3 March at 21:00 UTC.
    const close = Date.parse('2026-03-03T21:00:00Z') / 1_000 - SEEN;
    expect([await timeAt(close, opening), await timeAt(close + 1, opening)]).toMatchObject([
      { verdict: 'holds' },
      { verdict: 'FAILS' },
    ]);
    const unknown = { ...opening, public_statement: { ...opening.public_statement, venue: 'ELSEWHERE' } };
    expect(await timeAt(close + 2 * 86_400, unknown)).toMatchObject({ verdict: 'not checked' });
  });

  test('fails for a statement without a possible window', async () => {
    const opening = { ...decision, public_statement: { ...decision.public_statement, horizon_value: 1e12 } };
    expect(await timeAt(0, opening)).toMatchObject({ verdict: 'FAILS' });
  });

  test('is not proved for an imported decision', async () => {
    const imported = await timeAt(0, { ...decision, leaf: { t: 'imported', c: decision.leaf.c, v: 1 } });
    expect(imported?.verdict).toBe('not checked');
  });
});
