import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../../adapters/formats/canonical-json.ts';
import { sha256 } from '../../../../application/sha256.ts';
import { Malformed, utf8 } from '../../../../domain/log/encoding.ts';
import { type Opening, openingBytes, openingOf } from '../../../../domain/log/leaves/opening.ts';
import { opensLeaf, ownerClaims } from '../../../../domain/log/leaves/verify-opening.ts';
import { aDecisionOpening, anOutcomeOpening, EVIDENCE, OWNER, STATEMENT } from '../../../builders/log-openings.ts';

const decision = aDecisionOpening();
const outcome = anOutcomeOpening(7);
const full = { ...decision, owner: OWNER };
const graded = { ...outcome, evidence: EVIDENCE };

describe('an opening', () => {
  test.each<readonly [string, Opening]>([
    ['of a decision', decision],
    ['of an imported decision', { ...decision, leaf: { t: 'imported', c: decision.leaf.c, v: 1 } }],
    ['of a decision, in full', full],
    ['of an outcome', outcome],
    ['of an outcome, with its evidence', graded],
  ])('%s is written, read and leads to its leaf', (_, opening) => {
    const read = openingOf(openingBytes(opening, canonicalJson), canonicalJson);
    expect(read).toEqual(opening);
    expect(opensLeaf(read, canonicalJson, sha256)).toBe(true);
  });

  test.each<readonly [string, Opening]>([
    ['commitment', { ...decision, commitment: flipped(decision.commitment) }],
    ['producer', { ...decision, producer: flipped(decision.producer) }],
    ['public salt', { ...decision, public_salt: flipped(decision.public_salt) }],
    ['direction', { ...decision, public_statement: { ...decision.public_statement, direction: 'bearish' } }],
    ['leaf', { ...decision, leaf: { ...decision.leaf, c: flipped(decision.leaf.c) } }],
    ['salt of the outcome', { ...outcome, outcome_salt: flipped(outcome.outcome_salt) }],
    ['bucket', { ...outcome, public_outcome: { ...outcome.public_outcome, result_bucket: 'weak_correct' } }],
    ['leaf of the outcome', { ...outcome, leaf: { ...outcome.leaf, o: flipped(outcome.leaf.o) } }],
  ])('with another %s does not lead to its leaf', (_, opening) => {
    expect(opensLeaf(opening, canonicalJson, sha256)).toBe(false);
  });

  const text = canonicalJson(decision);
  test.each([
    ['white space', `${text} `],
    ['another order', JSON.stringify(decision)],
    ['a further member', canonicalJson({ ...decision, note: 1 })],
    ['a member missing', canonicalJson({ ...decision, producer: undefined })],
    ['another version', canonicalJson({ ...decision, v: 2 })],
    ['a leaf of another type', canonicalJson({ ...decision, leaf: { of: 1, t: 'reopened', v: 1 } })],
    ['a leaf with a further member', canonicalJson({ ...decision, leaf: { ...decision.leaf, a: 1 } })],
    ['the leaf null', canonicalJson({ ...decision, leaf: null })],
    ['upper-case digits', canonicalJson({ ...decision, commitment: decision.commitment.toUpperCase() })],
    ['half of a surrogate pair', text.replace('BTC', '\\ud800')],
    ['a member of every object', canonicalJson({ ...decision, producer: undefined, toString: decision.producer })],
    ['an owner without an agent', canonicalJson({ ...full, owner: { ...OWNER, agent_id: undefined } })],
    ['evidence without bars', canonicalJson({ ...graded, evidence: { ...EVIDENCE, bars: undefined } })],
    ['bars that are no texts', canonicalJson({ ...graded, evidence: { ...EVIDENCE, bars: [1] } })],
    ['evidence of a decision', canonicalJson({ ...decision, evidence: EVIDENCE })],
    ['the parts of two openings', canonicalJson({ ...decision, ...outcome })],
    ['an array', '[]'],
    ['nothing', ''],
  ])('with %s is refused', (_, sent) => {
    expect(() => openingOf(utf8(sent), canonicalJson)).toThrow(Malformed);
  });
});

describe("the owner's part of an opening", () => {
  const proof = (changes: object, opening = decision) =>
    ownerClaims(opening, { ...OWNER, ...changes }, canonicalJson, sha256);

  test('proves the statement, its producer, and that the public statement repeats it', () => {
    expect(proof({})).toEqual({ statement: true, producer: true, repeated: true });
  });

  test.each([
    ['another salt', { salt: flipped(OWNER.salt) }, { statement: false, producer: false }],
    ['another agent', { agent_id: 'agt_000000000000' }, { producer: false }],
    [
      'another statement',
      { statement: STATEMENT.replace('bullish', 'bearish') },
      { statement: false, repeated: false },
    ],
    ['a text that is no statement', { statement: 'null' }, { statement: false, repeated: false }],
  ])('with %s does not', (_, changes, expected) => {
    expect(proof(changes)).toMatchObject(expected);
  });

  test.each([
    ['record_id', 'dec_20260302_5c0ffee6'],
    ['submission_time', '2026-03-02T11:59:00.000Z'],
    ['direction', 'neutral'],
    ['analysis_class', 'opinion'],
    ['perspective_type', null],
    ['horizon_value', 3_601],
    ['data_cutoff', '2026-03-02T11:58:00.000Z'],
    ['key_factors', []],
  ])('finds another %s in the public statement', (name, value) => {
    const other = { ...decision, public_statement: { ...decision.public_statement, [name]: value } };
    expect(proof({}, other).repeated).toBe(false);
  });
});

function flipped(hex: string): string {
  return `${hex.slice(0, -1)}${hex.endsWith('0') ? '1' : '0'}`;
}
