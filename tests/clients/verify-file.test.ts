import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { conclusionsOf, conclusionText } from '../../clients/typescript/verify/conclusions.ts';
import type { LogRead, TimeSources } from '../../clients/typescript/verify/time-line.ts';
import { textOf } from '../../clients/typescript/verify/verdict.ts';
import { isProved, verifyFile } from '../../clients/typescript/verify/verify-file.ts';
import { base64Of, utf8 } from '../../domain/log/encoding.ts';
import type { Opening } from '../../domain/log/leaves/opening.ts';
import { COSIGNATURE, cosign, noteOf, signatureLine, vkeyText } from '../../domain/log/notes/note.ts';
import { proofOf } from '../../domain/log/tree/proof.ts';
import { aSigner } from '../builders/log.ts';
import { aDecisionOpening, anOutcomeOpening, OWNER } from '../builders/log-openings.ts';
import { aProofFile, LOG, LOG_KEYS, LOG_POLICY, SEEN, verdictsOf } from '../builders/proof-files.ts';

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

  // The witness of SEEN saw it 101 seconds after the start of the minute of its receipt; its window has an hour.
  test.each([
    [0, 'holds', '2.9 % of its window was over'],
    [79, 'holds', '5 % of its window was over'],
    [80, 'not checked', '5.1 % of its window was over; a log of minutes cannot show it for so short a window'],
    [258, 'not checked', '10 % of its window was over; a log of minutes'],
    [259, 'late', '10 % of its window was over, later than the 5 minutes of the log; somebody could have chosen it'],
    [3_600, 'late', 'all of its window was over, later than the 5 minutes of the log; somebody could have chosen it'],
  ])('seen %i seconds later %s', async (seconds, verdict, detail) => {
    expect(await timeAt(seconds)).toMatchObject({ verdict, detail: expect.stringContaining(detail) });
  });

  test('is compared with the close of the last session of its horizon', async () => {
    const sessions = { market: 'stock', venue: 'NASDAQ', horizon_kind: 'trading_days', horizon_value: 2 } as const;
    const opening = { ...decision, public_statement: { ...decision.public_statement, ...sessions } };
    // 2 March 2026 is a Monday: the second session closes on 3 March at 21:00 UTC, 33 hours later.
    const close = Date.parse('2026-03-03T21:00:00Z') / 1_000 - SEEN;
    expect([await timeAt(0, opening), await timeAt(close - 16.5 * 3_600, opening)]).toMatchObject([
      { verdict: 'holds', detail: expect.stringContaining(': 0.1 % of its window was over') },
      { verdict: 'late', detail: expect.stringContaining(': 50 % of its window was over') },
    ]);
    const unknown = { ...opening, public_statement: { ...opening.public_statement, venue: 'ELSEWHERE' } };
    expect(await timeAt(close, unknown)).toMatchObject({
      ...{ verdict: 'late', detail: expect.stringContaining('by weekdays') },
    });
  });

  test('fails for a statement without a possible window', async () => {
    const opening = { ...decision, public_statement: { ...decision.public_statement, horizon_value: 1e12 } };
    expect(await timeAt(0, opening)).toMatchObject({ verdict: 'FAILS' });
  });

  test('is not proved for an imported decision', async () => {
    const imported = await timeAt(0, { ...decision, leaf: { t: 'imported', c: decision.leaf.c, v: 1 } });
    expect(imported).toMatchObject({ verdict: 'not checked', detail: expect.stringContaining('older than its log') });
  });

  test('is that of a quorum, not of the witness that is the earliest', async () => {
    const second = aSigner('v.example', COSIGNATURE, 3);
    const proof = await aProofFile(decision, SEEN + 3_000);
    const { text } = noteOf(proofOf(proof).checkpoint);
    const backdated = `${proof}${signatureLine(await cosign(text, SEEN, second))}`;
    const two = `${LOG_KEYS}witness V ${vkeyText(second.key)}\ngroup both 2 W V\nquorum both\n`;
    const any = two.replace('group both 2', 'group both 1');
    const timeOf = async (policy: string) =>
      (await verifyFile(backdated, policy)).find(({ subject }) => subject === 'time');
    expect(await timeOf(two)).toMatchObject({ verdict: 'late', detail: expect.stringContaining('12:51:41') });
    expect(await timeOf(any)).toMatchObject({ verdict: 'holds', detail: expect.stringContaining('12:01:41') });
  });

  test('is shown by nobody where the policy names no quorum', async () => {
    const lines = await verifyFile(await aProofFile(decision), `${LOG_KEYS}quorum none\n`);
    expect(lines.find(({ subject }) => subject === 'time')?.verdict).toBe('not checked');
  });

  test('is late where an earlier reading of the log did not have the leaf, whatever witnesses say', async () => {
    const reads = (...each: LogRead[]) => ({ reads: { origins: [[LOG.key.name, 9] as const], each }, stamps: null });
    const timeBy = async (sources: TimeSources) =>
      (await verifyFile(await aProofFile(decision), LOG_POLICY, [], sources)).find(({ subject }) => subject === 'time');
    expect(await timeBy(reads([3, SEEN + 259], [4, SEEN + 9_000]))).toMatchObject({
      ...{ verdict: 'late', detail: expect.stringContaining('not yet logged at 2026-03-02T12:06:00.000Z') },
    });
    expect(await timeBy(reads([3, SEEN + 258]))).toMatchObject({ verdict: 'holds' });
    const other = {
      reads: { origins: [['other.example/log/1', 9] as const], each: [[3, SEEN + 900]] as LogRead[] },
      stamps: null,
    };
    expect(await timeBy(other)).toMatchObject({ verdict: 'holds' });
  });

  test('proves nothing with a quorum in the policy unless it holds', async () => {
    const provedAt = async (seconds: number) =>
      isProved(await verifyFile(await aProofFile(decision, SEEN + seconds), LOG_POLICY));
    expect([await provedAt(0), await provedAt(80), await provedAt(259)]).toEqual([true, false, false]);
    const imported = { ...decision, leaf: { t: 'imported', c: decision.leaf.c, v: 1 } } as const;
    expect(isProved(await verifyFile(await aProofFile(imported), LOG_POLICY))).toBe(false);
  });
});

describe('the last three lines', () => {
  const closing = async (proof: string, policy: string | null = LOG_POLICY) =>
    conclusionsOf([await verifyFile(proof, policy)]).map(conclusionText);

  test('say what is proved, and what is not', async () => {
    expect(await closing(await aProofFile(decision))).toEqual([
      expect.stringMatching(/^what: proved: dec_20260302_5c0ffee5, bullish BTC/),
      expect.stringMatching(/^when: proved: seen at 2026-03-02T12:01:41.000Z/),
      expect.stringMatching(/^all of it: not proved: who shows some records can leave out others/),
    ]);
  });

  test('call a late decision late, and nothing a failure', async () => {
    const [what, when] = await closing(await aProofFile(decision, SEEN + 7_200));
    expect([what, when]).toEqual([
      expect.stringMatching(/^what: proved/),
      expect.stringMatching(/^when: not proved: late: seen at 2026-03-02T14:01:41/),
    ]);
  });

  test('name what fails, and what nobody saw', async () => {
    const wrong = (await aProofFile(decision)).replace('index 3', 'index 2');
    expect((await closing(wrong))[0]).toBe('what: FAILS: see inclusion');
    const unseen = await closing(await aProofFile(decision), `${LOG_KEYS}quorum none\n`);
    expect(unseen[1]).toMatch(/^when: not proved: no quorum of witnesses and no known time-stamp authority saw/);
    expect((await closing(await aProofFile(outcomeOfDecision)))[1]).toMatch(/^when: not proved: no file is that of/);
  });
});

describe('a file that a program changed', () => {
  const formOf = async (proof: string) => {
    const lines = await verifyFile(proof, LOG_POLICY);
    expect(isProved(lines)).toBe(false);
    return lines[0];
  };

  test.each([
    ['line ends', (proof: string) => proof.replaceAll('\n', '\r\n'), 'the lines of the file end with CR LF'],
    ['last newline', (proof: string) => proof.slice(0, -1), 'the last newline of the file is gone'],
    ['both', (proof: string) => proof.slice(0, -1).replaceAll('\n', '\r\n'), 'CR LF, and the last newline is gone'],
  ])('in its %s is not called tampered with', async (_, change, detail) => {
    expect(await formOf(change(await aProofFile(decision)))).toMatchObject({
      ...{ verdict: 'not checked', subject: 'form', detail: expect.stringContaining(detail) },
    });
  });

  test('opens a leaf of a newer release', async () => {
    const newer = { ...decision, leaf: { ...decision.leaf, v: 3 } } as unknown as Opening;
    const lines = await verifyFile(await aProofFile(newer), LOG_POLICY);
    const extra = base64Of(utf8(canonicalJson(newer)));
    const changed = (await aProofFile(decision)).replace(/extra .*/, `extra ${extra}`);
    expect((await verifyFile(changed, LOG_POLICY)).at(-1)).toMatchObject({ verdict: 'FAILS', subject: 'opening' });
    expect(lines.at(-1)).toMatchObject({
      ...{ verdict: 'not checked', subject: 'opening', detail: expect.stringContaining('get a newer verifier') },
    });
    expect(isProved(lines)).toBe(false);
  });
});
