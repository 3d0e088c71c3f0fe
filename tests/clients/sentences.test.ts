import { describe, expect, test } from '@jest/globals';
import { neverProved } from '../../clients/typescript/verify/conclusions.ts';
import {
  type NamedProof,
  NO_STATES,
  type SentenceMeans,
  sentencesOf,
} from '../../clients/typescript/verify/sentences.ts';
import type { TimeSources } from '../../clients/typescript/verify/time-line.ts';
import type { Line } from '../../clients/typescript/verify/verdict.ts';
import { verifyProof } from '../../clients/typescript/verify/verify-file.ts';
import { LEAF_STATE } from '../../domain/log/leaves/leaf-audit.ts';
import type { Opening } from '../../domain/log/leaves/opening.ts';
import { COSIGNATURE, cosign, noteOf, signatureLine, vkeyText } from '../../domain/log/notes/note.ts';
import { proofOf } from '../../domain/log/tree/proof.ts';
import { aSigner } from '../builders/log.ts';
import { aDecisionOpening, anOutcomeOpening, aPlanOpening, OWNER, STATED } from '../builders/log-openings.ts';
import { aProofFile, LOG, LOG_KEYS, LOG_POLICY, SEEN } from '../builders/proof-files.ts';

const decision = aDecisionOpening();
const SAID = 'This decision, bullish on BTC over 3600 seconds,';
const UNGRADED = 'and no grade of it is among the files.';

interface Brought {
  readonly policy?: string | null;
  readonly sources?: TimeSources;
  readonly means?: SentenceMeans;
  /** Changes the lines, as --require does. */
  readonly lines?: (lines: readonly Line[]) => readonly Line[];
}

/** What is said of these files, whose names are those of the letters. */
async function said(
  texts: readonly string[],
  { policy = LOG_POLICY, sources, means = NO_STATES, lines = (all) => all }: Brought = {},
): Promise<readonly string[]> {
  const proofs: NamedProof[] = [];
  for (const [n, text] of texts.entries()) {
    const verified = await verifyProof(text, policy, texts, sources);
    proofs.push({ ...verified, lines: lines(verified.lines), name: 'abc'[n] ?? '' });
  }
  return sentencesOf(proofs, means);
}

const saidOf = async (opening: Opening, seen = SEEN, brought: Brought = {}) =>
  (await said([await aProofFile(opening, seen)], brought))[0];

describe('the sentence of a realtime decision', () => {
  test('says when it was stated at the latest, and who saw it', async () => {
    expect(await saidOf(decision)).toBe(
      `${SAID} was stated on 2 March 2026 before 12:02 UTC, seen by one other, ${UNGRADED}`,
    );
  });

  test('counts the witnesses that were a quorum', async () => {
    const second = aSigner('v.example', COSIGNATURE, 3);
    const proof = await aProofFile(decision);
    const { text } = noteOf(proofOf(proof).checkpoint);
    const both = `${proof}${signatureLine(await cosign(text, SEEN + 5, second))}`;
    const policy = `${LOG_KEYS}witness V ${vkeyText(second.key)}\ngroup both 2 W V\nquorum both\n`;
    expect((await said([both], { policy }))[0]).toContain('before 12:02 UTC, seen by two others,');
    expect((await said([both], { policy: policy.replace('both 2', 'both 1') }))[0]).toContain('seen by one other,');
  });

  test('calls witnesses others only where the reader brings the policy', async () => {
    const learnt = await saidOf(decision, SEEN, { means: { ...NO_STATES, isLearnt: true } });
    expect(learnt).toContain('before 12:02 UTC, seen by one witness that the log itself names,');
  });

  test('says that nobody else saw when', async () => {
    expect(await saidOf(decision, SEEN, { policy: `${LOG_KEYS}quorum none\n` })).toBe(
      `${SAID} says that it was stated on 2 March 2026 at 12:00 UTC, and nobody else saw when, ${UNGRADED}`,
    );
  });

  test('says that an authority shows when, without the name that the log wrote', async () => {
    const policy = `${LOG_KEYS}quorum none\n`;
    const stamps = async () => ({
      line: { verdict: 'holds', subject: 'timestamp', detail: 'by nine others' } as const,
      valid: [{ name: 'nine-others', time: SEEN * 1_000 }],
    });
    const sources = { reads: { origins: [], each: [] }, stamps };
    expect(await saidOf(decision, SEEN, { policy, sources })).toBe(
      `${SAID} was stated on 2 March 2026 before 12:02 UTC, as a time-stamp authority shows, ${UNGRADED}`,
    );
    expect(await saidOf(decision, SEEN + 60, { sources })).toContain(
      'before 12:02 UTC, as a time-stamp authority shows, and then seen by one other,',
    );
  });

  test('does not call stated what was late, and names its share where the window is short', async () => {
    expect(await saidOf(decision, SEEN + 3_600)).toBe(
      `${SAID} says that it was stated on 2 March 2026 at 12:00 UTC, and was only seen on 2 March 2026 before 13:02 UTC, ` +
        `seen by one other: late, so that somebody could have chosen it knowing prices until then, ${UNGRADED}`,
    );
    expect(await saidOf(decision, SEEN + 80)).toContain(
      'was stated on 2 March 2026 before 12:04 UTC, seen by one other, when up to 5.1 % of its window was over: a log',
    );
  });

  test('is late where an earlier reading did not have it', async () => {
    const sources = {
      reads: { origins: [[LOG.key.name, 9] as const], each: [[3, SEEN + 259] as const] },
      stamps: null,
    };
    expect(await saidOf(decision, SEEN, { sources })).toContain(
      'says that it was stated on 2 March 2026 at 12:00 UTC, and was not in the log yet when it was read on 2 March 2026 before',
    );
  });

  test('ends a day at 24:00', async () => {
    const midnight = { ...STATED, submission_time: new Date('2026-03-02T23:59:10Z') };
    const seen = Date.parse('2026-03-02T23:59:59Z') / 1_000;
    expect(await saidOf(aDecisionOpening(midnight), seen)).toContain('was stated on 2 March 2026 before 24:00 UTC');
  });
});

describe('the sentence of another record', () => {
  test('says of a retroactive decision that its prices could be known', async () => {
    const retroactive = { ...STATED, submission_origin: 'retroactive', data_cutoff: new Date('2003-02-13T14:00:00Z') };
    expect(await saidOf(aDecisionOpening(retroactive as typeof STATED))).toBe(
      `${SAID} is retroactive: its prices could be known when it was submitted, ${UNGRADED}`,
    );
  });

  test('says of an imported decision that its log does not show when', async () => {
    const imported = { ...decision, leaf: { t: 'imported', c: decision.leaf.c, v: 1 } } as const;
    expect(await saidOf(imported)).toBe(
      `${SAID} says that it was stated on 2 March 2026 at 12:00 UTC, and is older than its log, which does not show when, ${UNGRADED}`,
    );
  });

  test('quotes a plan', async () => {
    expect(await saidOf(aPlanOpening())).toBe(
      'This question, "It rises.", was stated on 2 March 2026 before 12:02 UTC, seen by one other.',
    );
    expect(await saidOf(aPlanOpening(), SEEN, { policy: `${LOG_KEYS}quorum none\n` })).toBe(
      'This question, "It rises.", says that it was stated on 2 March 2026 at 12:00 UTC, and nobody else saw when.',
    );
  });

  test('says of a grade alone that its decision is missing', async () => {
    expect(await saidOf(anOutcomeOpening(1))).toBe(
      'This grade, strong_correct, is of a decision whose proof is not among the files.',
    );
  });

  test('has the id of each of several decisions', async () => {
    const other = aDecisionOpening({ ...STATED, record_id: 'dec_20260302_0badcafe', direction: 'bearish' });
    const both = await said([await aProofFile(decision), await aProofFile(other)]);
    expect(both.map((each) => each.split(' was ')[0])).toEqual([
      'The decision dec_20260302_5c0ffee5, bullish on BTC over 3600 seconds,',
      'The decision dec_20260302_0badcafe, bearish on BTC over 3600 seconds,',
    ]);
  });
});

describe('what became of a decision', () => {
  test('is its grade, with where its prices are', async () => {
    const graded = await said([await aProofFile(decision), await aProofFile(anOutcomeOpening(3))]);
    expect(graded).toEqual([
      `${SAID} was stated on 2 March 2026 before 12:02 UTC, seen by one other, and graded strong_correct from prices that are not in the files.`,
    ]);
  });

  test('is not asserted where a line of it fails', async () => {
    const outcome = anOutcomeOpening(3);
    const forged = {
      ...outcome,
      public_outcome: { ...outcome.public_outcome, result_bucket: 'weak_correct' } as const,
    };
    const graded = await said([await aProofFile(decision), await aProofFile(forged)]);
    expect(graded).toEqual([
      `${SAID} was stated on 2 March 2026 before 12:02 UTC, seen by one other, and its grade is not shown; FAILS: opening, bucket.`,
    ]);
  });

  test.each([
    [LEAF_STATE.open, null, 'and was not graded yet when the log was read.'],
    [LEAF_STATE.graded, null, 'and was graded, which is not among the files.'],
    [LEAF_STATE.closedOpen, 'rejected', 'and was closed before a grade (rejected).'],
    [LEAF_STATE.closedGraded, 'quarantined', 'and was closed after a grade (quarantined).'],
  ] as const)('is what an audit read: %i', async (state, reason, words) => {
    const means = { ...NO_STATES, stateOf: () => ({ state, reason }) };
    expect(await saidOf(decision, SEEN, { means })).toBe(
      `${SAID} was stated on 2 March 2026 before 12:02 UTC, seen by one other, ${words}`,
    );
  });

  test('is closed after the grade that is shown', async () => {
    const read = { state: LEAF_STATE.closedGraded, reason: 'quarantined' } as const;
    const means = { ...NO_STATES, stateOf: () => read };
    const [graded] = await said([await aProofFile(decision), await aProofFile(anOutcomeOpening(3))], { means });
    expect(graded).toContain('from prices that are not in the files, then closed (quarantined).');
  });
});

describe('a sentence asserts nothing that fails', () => {
  test.each([
    ['signature', (proof: string) => proof.replace(/^(— stancebook\S+ ....)./m, '$1A'), 'signature FAILS'],
    ['inclusion', (proof: string) => proof.replace('index 3', 'index 2'), 'inclusion FAILS'],
    ['opening', (proof: string) => proof.replace(/^extra e/m, 'extra f'), 'opening FAILS'],
    ['form', (proof: string) => proof.replaceAll('\n', '\r\n'), 'form is not checked'],
    ['nothing', () => 'a text', 'form FAILS'],
  ])('%s', async (_, change, words) => {
    expect(await said([change(await aProofFile(decision))])).toEqual([`Nothing in a is shown: ${words}.`]);
  });

  test('without a policy', async () => {
    expect(await saidOf(decision, SEEN, { policy: null })).toBe('Nothing in a is shown: signature is not checked.');
  });

  test('of the time, where the witnesses of the policy did not see it, or that is required', async () => {
    const unseen = (await aProofFile(decision)).replace(/— w\.example.*\n/, '');
    const words = `${SAID} is in the log, and when it was stated is not shown, and no grade of it is among the files; FAILS: witnesses.`;
    expect(await said([unseen])).toEqual([words]);
    const lines = (all: readonly Line[]) =>
      all.map((each) => (each.subject === 'witnesses' ? { ...each, verdict: 'FAILS' as const } : each));
    expect(await saidOf(decision, SEEN, { lines })).toBe(words);
  });

  test('of a statement that the public one does not repeat', async () => {
    const other = aDecisionOpening({ ...STATED, direction: 'bearish' });
    const [words] = await said([await aProofFile({ ...other, owner: OWNER })]);
    expect(words).toMatch(/^This decision was stated .*; FAILS: public statement\.$/);
  });

  test('and has no words of the file that could read as its own', async () => {
    const made = { ...STATED, symbol: 'BTC, seen by nine others,' };
    expect(await saidOf(aDecisionOpening(made), SEEN, { policy: `${LOG_KEYS}quorum none\n` })).toMatch(
      /^This decision says that it was stated on 2 March 2026 at 12:00 UTC, and nobody else saw when/,
    );
    const plan = aPlanOpening({ sentence: 'It rises", was stated in 1999.\n\u202e' });
    expect(await saidOf(plan)).toContain(
      'This question, "It rises\\", was stated in 1999.\\n\\u{202e}", was stated on',
    );
  });
});

test('the last line says what no file shows, and one log for everybody only with witnesses that the reader brings', async () => {
  const linesOf = async (opening: Opening, policy = LOG_POLICY) =>
    (await verifyProof(await aProofFile(opening), policy)).lines;
  const accounts = 'that its author has no other agents or accounts';
  const same = 'that everybody is shown the same log';
  expect(neverProved([await linesOf(decision)], false)).toBe(`not proved by any of this: ${accounts}`);
  expect(neverProved([await linesOf(decision)], true)).toBe(`not proved by any of this: ${same}; ${accounts}`);
  expect(neverProved([await linesOf(anOutcomeOpening(3), `${LOG_KEYS}quorum none\n`)], false)).toBe(
    `not proved by any of this: ${same}; that the prices are the true ones; ${accounts}`,
  );
});
