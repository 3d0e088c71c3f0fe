import { describe, expect, test } from '@jest/globals';
import { ed25519Verify } from '../../application/ed25519.ts';
import { sha256 } from '../../application/sha256.ts';
import { auditedTimes, type OpenedDecision } from '../../clients/typescript/verify/audit-times.ts';
import { auditConclusions, conclusionText } from '../../clients/typescript/verify/conclusions.ts';
import type { LogRead } from '../../clients/typescript/verify/time-line.ts';
import { type Line, line } from '../../clients/typescript/verify/verdict.ts';
import { equalBytes } from '../../domain/log/encoding.ts';
import { leafBytes } from '../../domain/log/leaves/leaf.ts';
import { checkpointOf, judgeCheckpoint } from '../../domain/log/notes/checkpoint.ts';
import { noteOf } from '../../domain/log/notes/note.ts';
import { policyOf } from '../../domain/log/notes/policy.ts';
import { inclusionPath, proofHashes, proofOf, type TreeHead } from '../../domain/log/tree/proof.ts';
import { MINUTE } from '../../domain/time.ts';
import { aTree } from '../builders/log.ts';
import { aDecisionOpening, STATED } from '../builders/log-openings.ts';
import { aCheckpoint, aProofFile, LOG_POLICY, SEEN } from '../builders/proof-files.ts';

const DAYS = { horizon_value: 86_400 };

/** A realtime decision of some minutes later, and its opening. */
const stated = (minutes: number, changes: object = DAYS) =>
  aDecisionOpening({
    ...STATED,
    ...changes,
    submission_time: new Date(STATED.submission_time.getTime() + minutes * MINUTE),
  });

/** The opened decisions of one log, each with a proof that the witness saw some seconds after SEEN. */
async function aLog(leaves: readonly (readonly [minutes: number, seen: number, changes?: object])[]) {
  const openings = leaves.map(([minutes, , changes]) => stated(minutes, changes));
  const tree = aTree(openings.map(({ leaf }) => leafBytes(leaf)));
  const opened: OpenedDecision[] = [];
  for (const [index, opening] of openings.entries()) {
    const checkpoint = await aCheckpoint(tree.size, tree.root, SEEN + (leaves[index]?.[1] ?? 0));
    const hashes = proofHashes(inclusionPath(index, tree.size), tree.hashOf, sha256);
    opened.push({ opening, proof: { index, hashes, checkpoint } });
  }
  return { opened, head: { size: tree.size, root: tree.root } };
}

function judged(
  { opened, head }: Awaited<ReturnType<typeof aLog>>,
  reads: readonly LogRead[] = [],
  policy = LOG_POLICY,
) {
  const trustOf = (note: Parameters<typeof judgeCheckpoint>[0]) =>
    judgeCheckpoint(note, policyOf(policy, sha256), ed25519Verify);
  const startsWith = async (other: TreeHead) => other.size === head.size && equalBytes(other.root, head.root);
  return auditedTimes(opened, { trustOf, stamps: null, reads, size: head.size, startsWith });
}

describe('the times of an audit', () => {
  test('count what held, was too short, late, and seen by nobody', async () => {
    const log = await aLog([
      [0, 0],
      [0, 0, { horizon_value: 120 }],
      [1, 60],
      [2, 7_200],
      [3, 7_200],
      [120, 7_200],
    ]);
    const { lines, late } = await judged(log);
    expect(lines[1]).toEqual({
      verdict: 'late',
      subject: 'time',
      detail:
        '3 of 6 held, 1 too short for a log of minutes, 2 late, 0 seen by nobody; late: 2 from 2026-03-02T12:02:00.000Z ' +
        'seen by 2026-03-02T14:01:41.000Z',
    });
    expect(late).toEqual([3, 4]);
    const unseen = await judged(log, [], LOG_POLICY.replace('quorum W', 'quorum none'));
    expect(unseen.lines[1]).toMatchObject({
      verdict: 'not checked',
      detail: expect.stringContaining('6 seen by nobody'),
    });
  });

  test('hold in order when all are late alike, and fail for one that is held back', async () => {
    expect(
      (
        await judged(
          await aLog([
            [0, 7_200],
            [30, 7_200],
            [60, 7_200],
          ]),
        )
      ).lines[0]?.verdict,
    ).toBe('holds');
    expect(
      (
        await judged(
          await aLog([
            [5, 7_200],
            [0, 7_200],
          ]),
        )
      ).lines[0]?.verdict,
    ).toBe('holds');
    expect(
      (
        await judged(
          await aLog([
            [6, 7_200],
            [0, 7_200],
          ]),
        )
      ).lines[0],
    ).toMatchObject({
      verdict: 'FAILS',
      detail:
        'leaf 1 is of 2026-03-02T12:00:00.000Z, after leaf 0 of 2026-03-02T12:06:00.000Z: it was held back, or backdated',
    });
  });

  test('are late for a leaf that an earlier reading did not have', async () => {
    const log = await aLog([
      [0, 0],
      [0, 0],
    ]);
    expect((await judged(log, [[1, SEEN + 1_000]])).late).toEqual([1]);
    expect((await judged(log, [[1, SEEN + 60]])).late).toEqual([]);
  });

  test('fail where proofs are of another tree than the one that was read', async () => {
    const [shown, read] = [
      await aLog([
        [0, 0],
        [1, 0],
      ]),
      await aLog([
        [0, 0],
        [2, 0],
      ]),
    ];
    const { lines } = await judged({ opened: shown.opened, head: read.head });
    expect(lines[1]).toMatchObject({ verdict: 'FAILS', detail: expect.stringContaining('the log has two trees') });
  });

  test('are not those of a checkpoint that does not have the leaf', async () => {
    const { opened, head } = await aLog([
      [0, 0],
      [1, 0],
    ]);
    const other = proofOf(await aProofFile(stated(0)));
    const moved = opened.map((each) => ({ ...each, proof: { ...each.proof, checkpoint: other.checkpoint } }));
    expect((await judged({ opened: moved, head })).lines[1]).toMatchObject({
      ...{ verdict: 'FAILS', detail: expect.stringContaining('does not lead to its checkpoint') },
    });
    expect(checkpointOf(noteOf(other.checkpoint).text).size).toBe(9);
  });
});

test('an audit ends with what, when and whether there is one tree', () => {
  const holds = ['signature', 'leaves', 'rules', 'decisions', 'order', 'time'].map((each) => line('holds', each, each));
  const texts = (lines: typeof holds, known = 0) => auditConclusions(lines, known).map(conclusionText);
  expect(texts(holds)).toEqual([
    'what: proved: decisions',
    'when: proved: time',
    'all of it: not proved: no quorum of witnesses and no earlier audit shows that there is one tree for everybody',
  ]);
  expect(texts(holds, 7)[2]).toBe('all of it: proved: one tree since the 7 leaves that an earlier audit read');
  expect(texts([...holds, line('holds', 'witnesses', 'seen by W')])[2]).toBe('all of it: proved: one tree, seen by W');
  const late = holds.with(5, line('late', 'time', '1 late'));
  expect(texts(late)[1]).toBe('when: not proved: time: 1 late');
  expect(texts(holds.with(4, line('FAILS', 'order', 'held back')))[1]).toBe('when: FAILS: order: held back');
  expect(texts(holds.with(1, line('FAILS', 'leaves', 'another root')))[2]).toBe(
    'all of it: FAILS: leaves: another root',
  );
});

test('an audit does not say that it is all of one tree where a log of before may have had more', () => {
  const held = ['leaves', 'witnesses'].map((each) => line('holds', each, `${each} hold`));
  const gone = { ...line('not checked', 'continues', '77 leaves are gone'), index: 300 };
  const all = (lines: readonly Line[], known: number) => conclusionText(auditConclusions(lines, known)[2] ?? ONE);
  for (const known of [0, 7, 300])
    expect(all([...held, gone], known)).toBe('all of it: not proved: continues: 77 leaves are gone');
  expect(all([...held, gone], 301)).toBe('all of it: proved: one tree since the 301 leaves that an earlier audit read');
  expect(all([...held, { ...gone, verdict: 'holds' }], 0)).toBe('all of it: proved: one tree, witnesses hold');
});

test('an audit that read nothing proves nothing', () => {
  const texts = auditConclusions([line('FAILS', 'form', 'no checkpoint')], 0).map(conclusionText);
  expect(texts).toEqual([
    ...[
      'what: FAILS: form: no checkpoint',
      'when: not proved: nothing was read',
      'all of it: FAILS: form: no checkpoint',
    ],
  ]);
});

test('what an audit read is not proved by a snapshot that differs', () => {
  const holds = ['signature', 'leaves', 'rules', 'decisions', 'snapshot'].map((each) => line('holds', each, each));
  const what = (verdict: Line['verdict']) =>
    conclusionText(auditConclusions(holds.with(4, line(verdict, 'snapshot', '1 row')), 0)[0] ?? ONE);
  expect([what('holds'), what('FAILS'), what('not checked')]).toEqual([
    ...['what: proved: decisions', 'what: FAILS: snapshot: 1 row', 'what: not proved: snapshot: 1 row'],
  ]);
});

const ONE = { about: 'what', verdict: 'proved', detail: 'nothing was concluded' } as const;
