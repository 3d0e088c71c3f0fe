import { describe, expect, test } from '@jest/globals';
import { conclusionText, recordConclusions } from '../../clients/typescript/verify/conclusions.ts';
import { type RecordMeans, verifyRecord } from '../../clients/typescript/verify/record-proof.ts';
import { utf8 } from '../../domain/log/encoding.ts';
import { COSIGNATURE, vkeyText } from '../../domain/log/notes/note.ts';
import { aSigner } from '../builders/log.ts';
import { anOutcomeOpening } from '../builders/log-openings.ts';
import { aCheckpoint, LOG, LOG_KEYS, LOG_POLICY, SEEN } from '../builders/proof-files.ts';
import { aRecordFile, type RecordedFate } from '../builders/record-files.ts';

const LATE = SEEN + 3_600;
const AGENT = 'agt_4f1c2d3e5a6b';

async function verified(
  fates: readonly RecordedFate[],
  policy: string | null = LOG_POLICY,
  means: Partial<RecordMeans> = {},
) {
  const { text, served } = await aRecordFile(fates);
  return verifyRecord(text, policy, { served, stamps: null, ...means });
}

describe('a whole record', () => {
  test('of one decision says so in the singular', async () => {
    const { lines, whole, sentence } = await verified([{}]);
    const details = Object.fromEntries(lines.map(({ subject, detail }) => [subject, detail]));
    expect(details).toMatchObject({
      ...{ file: '1 decision', inclusion: '1 leaf is in the tree', opening: '1 decision opens its leaf' },
      ...{ producer: `it is of ${AGENT}`, leaves: '2 leaves have the roots of all checkpoints' },
    });
    expect(whole).toBe(
      `proved: 1 of 1 decision of ${AGENT}, to leaf 1 (2026-03-02): 0 graded 0/0/0/0, 1 open, the oldest since 2026-03-02, 0 closed`,
    );
    expect(sentence).toBe(
      `This is the whole record of ${AGENT} up to leaf 1, seen by others on 2 March 2026: 1 decision, 0 graded, 1 open, 0 closed by reason.`,
    );
  });

  test('counts those that are closed by their reasons, and those that had a grade', async () => {
    const { whole, drawn } = await verified([
      ...[{ closed: 'rejected' }, { closed: 'rejected' }, { closed: 'data_unavailable' }],
      ...[{ graded: true, closed: 'quarantined' }, {}],
    ] as RecordedFate[]);
    expect(whole).toContain('4 closed by reason (1 data_unavailable, 1 quarantined, 2 rejected; 1 after a grade)');
    expect(drawn).toBe('xxxx.');
  });

  test('says how many of its public ones are further horizons of the same decisions', async () => {
    const { whole } = await verified([{ graded: true }, { further: true }, { further: true, graded: true }]);
    expect(whole).toMatch(/^proved: 3 of 3 .*, further horizons of the same decisions: 2 of 3 public ones$/);
    expect((await verified([{ graded: true }, {}])).whole).not.toContain('further');
  });

  test('counts late ones apart, by the rule of single receipts, and says when as they do', async () => {
    const { whole, lines, sentence } = await verified([{ graded: true }, { graded: true, seen: LATE }]);
    expect(whole).toMatch(/: 1 graded 1\/0\/0\/0 \(had said .*\), 1 late 1\/0\/0\/0, 0 open, 0 closed$/);
    expect(lines.find(({ subject }) => subject === 'time')).toMatchObject({
      ...{
        verdict: 'late',
        detail: expect.stringMatching(/^1 of 2 held, 0 too short .*, 1 late, 0 seen by nobody; late: 1 from/),
      },
    });
    expect(sentence).toContain('2 decisions, 1 graded, 1 graded that were logged late, 0 open');
    expect(recordConclusions(lines).map(conclusionText)).toEqual([
      'what: proved: 2 decisions open their leaves',
      expect.stringMatching(/^when: not proved: time: 1 of 2 held/),
    ]);
  });

  test('is late by a trusted timestamp where no witness is named', async () => {
    const stamps = async () => ({
      line: { verdict: 'holds', subject: 'timestamp', detail: '' } as const,
      valid: [{ name: 'tsa.example', time: LATE * 1_000 }],
    });
    const { whole } = await verified([{ graded: true }], `${LOG_KEYS}quorum none\n`, { stamps });
    expect(whole).toContain('0 graded 0/0/0/0, 1 late 1/0/0/0,');
  });

  test('that nobody saw is whole, and says nothing about when', async () => {
    const { sentence, lines } = await verified([{ graded: true }], `${LOG_KEYS}quorum none\n`);
    expect(sentence).toContain(
      '1 decision, 1 graded, 0 open, 0 closed by reason, and nobody else saw when 1 of them was stated.',
    );
    expect(recordConclusions(lines).map(conclusionText)[1]).toMatch(/^when: not proved: time: 0 of 1 held/);
  });

  test('holds where each bucket follows from its facts', async () => {
    const { lines } = await verified([{ graded: true }, { graded: true }, {}]);
    expect(lines.find(({ subject }) => subject === 'bucket')).toMatchObject({
      ...{ verdict: 'holds', detail: '2 buckets follow from their facts' },
    });
    expect((await verified([{}])).lines.some(({ subject }) => subject === 'bucket')).toBe(false);
  });

  const facts = anOutcomeOpening(1).public_outcome.outcome;
  test.each([
    ['another bucket', { result_bucket: 'weak_correct' }, 'the facts show strong_correct, not weak_correct'],
    ['an unknown bucket', { result_bucket: 'best' }, 'the facts show strong_correct, not best'],
    ['no facts', { outcome: {} }, 'the outcome does not show its facts'],
    ['another method', { outcome: { ...facts, method: 'eval/2' } }, 'does not fit its grade'],
    [
      'another direction',
      {
        ...{ result_bucket: 'strong_incorrect' },
        ...{ outcome: { ...facts, directional_return: -facts.raw_return, z: -facts.z } },
      },
      'does not fit its grade',
    ],
  ])('fails with a grade of %s, and draws nothing, with and without the log', async (_name, changes, fault) => {
    for (const means of [{}, { served: null }]) {
      const found = await verified([{ graded: true }, { graded: true, changes }], LOG_POLICY, means);
      expect([found.whole, found.sentence, found.decisions, found.drawn]).toEqual([
        ...[expect.stringContaining('FAILS: number 2'), 'Nothing in this file counts: bucket FAILS.', [], null],
      ]);
      expect(found.whole).toContain(fault);
    }
  });

  test('is seen by others only where a quorum of the witnesses of the reader had seen it', async () => {
    const other = `${LOG_KEYS}witness V ${vkeyText(aSigner('v.example', COSIGNATURE, 3).key)}\n`;
    for (const policy of [`${LOG_KEYS}quorum none\n`, `${other}group both 2 W V\nquorum both\n`])
      expect((await verified([{}], policy, { served: null })).sentence).not.toContain('seen by');
    expect((await verified([{}], LOG_POLICY, { isLearnt: true })).sentence).toContain(
      'up to leaf 1, seen by witnesses that the log itself names on 2 March 2026:',
    );
    expect((await verified([{}], `${LOG_KEYS}quorum none\n`)).sentence).toContain('up to leaf 1: 1 decision');
  });

  test('has receipts of a log that a restored one does not name: their roots are those of its tree', async () => {
    const first = aSigner(LOG.key.name.replace('/1', '/0'), undefined, 12);
    const policy = `log ${vkeyText(first.key)}\n${LOG_POLICY}`;
    const fates = [{ log: first, receiptOf: 2 }, {}];
    expect((await verified(fates, policy)).whole).toMatch(/^proved: 2 of 2 decisions /);
    const { text, served } = await aRecordFile(fates);
    const at = JSON.parse(text.split('\n')[1] ?? '').note;
    const another = text.replace(
      JSON.stringify(at),
      JSON.stringify(await aCheckpoint(2, new Uint8Array(32), SEEN, first)),
    );
    expect((await verifyRecord(another, policy, { served, stamps: null })).whole).toBe(
      'FAILS: the leaves do not have the root of the checkpoint of 2 leaves',
    );
  });

  test('is not checked in a log whose new key the policy does not have yet', async () => {
    const next = aSigner(LOG.key.name.replace('/1', '/2'), undefined, 12);
    const { text, served } = await aRecordFile([{}]);
    const checkpoint = utf8(await aCheckpoint(9, new Uint8Array(32), SEEN, next));
    const means = {
      served: (path: string) => (path === 'checkpoint' ? Promise.resolve(checkpoint) : served(path)),
      stamps: null,
    };
    const { lines, whole } = await verifyRecord(text, LOG_POLICY, means);
    expect(lines.find(({ subject }) => subject === 'log')).toMatchObject({
      ...{ verdict: 'not checked', detail: `no line of ${next.key.name} in the policy; add it` },
    });
    expect(whole).toBe('not proved: later ones are not seen');
  });

  test('fails with a receipt from before its leaf, which would show an earlier time', async () => {
    const { whole, sentence } = await verified([{}, { receiptOf: 2, seen: SEEN - 600 }]);
    expect(whole).toBe('FAILS: leaf 2 is not in the tree, or not in that of its receipt');
    expect(sentence).toBe('Nothing in this file counts: inclusion FAILS.');
  });
});

describe('without the log', () => {
  test('later ones are not seen, and nobody knows which are open', async () => {
    const { whole, sentence, decisions, drawn } = await verified([{ graded: true }, {}], LOG_POLICY, { served: null });
    expect([whole, drawn]).toEqual(['not proved: later ones are not seen', null]);
    expect(sentence).toBe(
      `The 2 decisions in this file are of ${AGENT}, and are not shown to be all: later ones are not seen.`,
    );
    expect(decisions.map(({ fate }) => fate)).toEqual(['strong_correct', 'hidden']);
  });

  test('nothing counts where nobody signed it', async () => {
    const { whole, sentence } = await verified([{}], null, { served: null });
    expect(whole).toBe('not proved: the signature was not checked');
    expect(sentence).toBe('Nothing in this file counts: the signature was not checked.');
  });
});

test('a file that is no record says so, and asserts nothing', async () => {
  const { whole, sentence, lines } = await verifyRecord('{}', LOG_POLICY, { served: null, stamps: null });
  expect(whole).toMatch(/^FAILS: /);
  expect(sentence).toBe('Nothing in this file counts: form FAILS.');
  expect(recordConclusions(lines).map(conclusionText)[1]).toBe('when: not proved: time: nothing of the file counts');
});
