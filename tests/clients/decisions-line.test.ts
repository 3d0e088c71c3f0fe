import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { mostFaulty, sampleOf, systemDraw } from '../../clients/typescript/verify/command.ts';
import {
  decisionsLine,
  type Finding,
  findingOf,
  type ReadPublic,
} from '../../clients/typescript/verify/decisions-line.ts';
import { treeOfLog } from '../../clients/typescript/verify/tree-of-log.ts';
import { utf8 } from '../../domain/log/encoding.ts';
import { leafBytes } from '../../domain/log/leaves/leaf.ts';
import { LEAF_STATE } from '../../domain/log/leaves/leaf-audit.ts';
import { openingBytes } from '../../domain/log/leaves/opening.ts';
import { proofText } from '../../domain/log/tree/proof.ts';
import { nodesOfTile, tileBytes, tilePath, tilesOf } from '../../domain/log/tree/tile.ts';
import { aTree, someLeaves } from '../builders/log.ts';
import { aDecisionOpening, anOutcomeOpening } from '../builders/log-openings.ts';

const decision = aDecisionOpening();
const outcome = anOutcomeOpening(3);
const { record_id } = decision.public_statement;
/** The decision has leaf 3, its outcome leaf 280. */
const leaves = someLeaves(300).with(3, leafBytes(decision.leaf)).with(280, leafBytes(outcome.leaf));
const { size, root, hashOf } = aTree(leaves);
const tiles = new Map(tilesOf(size).map((tile) => [tilePath(tile), tileBytes(nodesOfTile(tile).map(hashOf))] as const));
const hasLeaf = treeOfLog(async (path) => tiles.get(path) ?? Uint8Array.of(), { size, root });

const proofOf = (opening: typeof decision | typeof outcome, index: number) =>
  proofText({ extra: openingBytes(opening, canonicalJson), index, hashes: [], checkpoint: 'a\n' });

const { v: _, ...statement } = decision.public_statement;
const { v: __, evidence: ___, ...grade } = outcome.public_outcome;
const detail = {
  ...{ view: 'public', ...statement, ...grade, commitment: decision.commitment, related_records: [] },
  outcome: { ...grade.outcome, move_z: 0.9 },
  window: { anchor_time: statement.submission_time, end_time: '2026-03-02T13:00:00.000Z' },
};

/** What the service answers, by path. */
const SHOWN: Readonly<Record<string, string>> = {
  'log/3': JSON.stringify({ record_id }),
  [`decisions/${record_id}/proof?leaf=outcome`]: proofOf(outcome, 280),
  [`decisions/${record_id}/proof?leaf=decision`]: proofOf(decision, 3),
  [`decisions/${record_id}`]: JSON.stringify(detail),
};

function reading(shown: Readonly<Record<string, string | null>>): ReadPublic {
  return async (path) => {
    const text = { ...SHOWN, ...shown }[path] ?? null;
    return text === null ? null : utf8(text);
  };
}

const finding = (shown: Readonly<Record<string, string | null>>): Promise<Finding> =>
  findingOf(reading(shown), hasLeaf, 3);
const altered = (changes: object) => finding({ [`decisions/${record_id}`]: JSON.stringify({ ...detail, ...changes }) });

describe('a graded decision that is looked up', () => {
  test('is shown as it is logged', async () => {
    expect(await finding({})).toBeNull();
  });

  test.each(Object.keys(SHOWN))('is missing when %s is 404', async (path) => {
    expect(await finding({ [path]: null })).toBe('missing');
  });

  test.each<readonly [string, object]>([
    ['result_bucket is "weak_correct", not "strong_correct"', { result_bucket: 'weak_correct' }],
    ['evaluated_at', { evaluated_at: '2026-03-02T13:05:00.000Z' }],
    ['direction', { direction: 'bearish' }],
    ['submission_origin', { submission_origin: 'retroactive' }],
    ['window.anchor_time', { window: { ...detail.window, anchor_time: '2026-03-01T12:00:00.000Z' } }],
    ['outcome.mae.value', { outcome: { ...grade.outcome, mae: { ...grade.outcome.mae, value: -0.001 } } }],
    ['outcome.exit is nothing', { outcome: { ...grade.outcome, exit: undefined } }],
    ['key_factors', { key_factors: [] }],
    ['commitment', { commitment: '0'.repeat(64) }],
  ])('is altered: %s', async (words, changes) => {
    expect(await altered(changes)).toEqual({ altered: expect.stringContaining(`${record_id}: ${words}`) });
  });

  test.each<readonly [string, Readonly<Record<string, string>>]>([
    ['a record that is no id', { 'log/3': '{"record_id":"../../owner"}' }],
    ['no JSON', { 'log/3': 'null' }],
    [
      'an outcome of another leaf',
      { [`decisions/${record_id}/proof?leaf=outcome`]: proofOf(anOutcomeOpening(4), 280) },
    ],
    ['an outcome that is not in the log', { [`decisions/${record_id}/proof?leaf=outcome`]: proofOf(outcome, 281) }],
    ['the decision in place of the outcome', { [`decisions/${record_id}/proof?leaf=outcome`]: proofOf(decision, 3) }],
    ['a proof that is none', { [`decisions/${record_id}/proof?leaf=decision`]: 'hello' }],
    [
      'an opening of other content',
      {
        [`decisions/${record_id}/proof?leaf=outcome`]: proofOf(
          { ...outcome, public_outcome: { ...outcome.public_outcome, result_bucket: 'weak_correct' } },
          280,
        ),
      },
    ],
  ])('is altered when the service answers with %s', async (___, shown) => {
    expect(await finding(shown)).toEqual({ altered: expect.any(String) });
  });
});

describe('the line of decisions', () => {
  const states = new Uint8Array(size).fill(LEAF_STATE.other);
  states[3] = LEAF_STATE.graded;
  const at = (
    now: number,
    before: ReadonlyMap<number, number> = new Map(),
    shown: Readonly<Record<string, string | null>> = {},
  ) =>
    decisionsLine({ read: reading(shown), draw: () => 0, sample: 5 }, hasLeaf, states, {
      before,
      now,
    });

  test('holds when all are shown', async () => {
    expect((await at(0)).line).toEqual({
      verdict: 'holds',
      subject: 'decisions',
      detail: '0 of 1 missing or altered: all graded ones were looked up',
    });
  });

  test('fails for an altered one, and names its leaf', async () => {
    const { line } = await at(0, new Map(), {
      [`decisions/${record_id}`]: JSON.stringify({ ...detail, symbol: 'ETH' }),
    });
    expect(line).toMatchObject({
      verdict: 'FAILS',
      detail: `1 of 1 missing or altered; leaf 3: ${record_id}: symbol is "ETH", not "BTC" as logged`,
    });
  });

  test('remembers a missing one, and fails when nothing closes it within a day', async () => {
    const gone = { 'log/3': null };
    const first = await at(1_000, new Map(), gone);
    expect([first.line.verdict, [...first.missing]]).toEqual(['not checked', [[3, 1_000]]]);
    const second = await at(1_000 + 86_400, first.missing, gone);
    expect([second.line.verdict, [...second.missing]]).toEqual(['not checked', [[3, 1_000]]]);
    expect((await at(1_000 + 87_301, second.missing, gone)).line.verdict).toBe('FAILS');
    expect((await at(1_000 + 87_301, second.missing)).missing.size).toBe(0);
  });

  test('does not fail for one of a log that ended: the leaf that closes it is in a later one', async () => {
    const ended = 'log/1 ended; use --log .../log/2';
    const lookup = { read: reading({ 'log/3': null }), draw: systemDraw, sample: 5 };
    const remembered = { before: new Map([[3, 0]]), now: 1e6, ended };
    const { line, missing } = await decisionsLine(lookup, hasLeaf, states, remembered);
    expect(line).toMatchObject({ verdict: 'not checked', detail: `1 of 1 not shown, such as leaf 3: ${ended}` });
    expect([...missing]).toEqual([[3, 0]]);
  });

  test('does not look up closed ones', async () => {
    const closed = states.with(3, LEAF_STATE.closedGraded);
    const lookup = { read: reading({ 'log/3': null }), draw: systemDraw, sample: 5 };
    const { line, missing } = await decisionsLine(lookup, hasLeaf, closed, { before: new Map([[3, 0]]), now: 1e6 });
    expect([line.verdict, line.detail, missing.size]).toEqual(['not checked', 'none is graded', 0]);
  });
});

describe('a sample', () => {
  test('has different members', () => {
    const drawn = sampleOf([...Array(50).keys()], 30, systemDraw);
    expect(new Set(drawn).size).toBe(30);
    expect(sampleOf([1, 2], 30, systemDraw).toSorted()).toEqual([1, 2]);
  });

  test('draws each member equally often', () => {
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 4_000; i += 1)
      for (const at of sampleOf([0, 1, 2, 3], 2, systemDraw)) counts[at] = (counts[at] ?? 0) + 1;
    for (const count of counts) expect(Math.abs(count - 2_000)).toBeLessThan(300);
  });

  test.each([
    [300, 1_000_000, 9_934],
    [300, 4_000, 38],
    [3, 4, 1],
    [10, 10, 0],
  ])('without a fault of %i among %i leaves at most %i faults at 95 %%', (sample, all, most) => {
    expect(mostFaulty(sample, all)).toBe(most);
    const without = (faulty: number) => {
      let probability = 1;
      for (let i = 0; i < sample; i += 1) probability *= Math.max(0, all - faulty - i) / (all - i);
      return probability;
    };
    expect(without(most)).toBeGreaterThanOrEqual(0.05);
    expect(without(most + 1)).toBeLessThan(0.05);
  });
});
