import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { sha256 } from '../../../application/sha256.ts';
import { utf8 } from '../../../domain/log/encoding.ts';
import { Malformed } from '../../../domain/log/malformed.ts';
import { type Opening, openingBytes, openingOf } from '../../../domain/log/opening.ts';
import { publicOutcome } from '../../../domain/log/public-outcome.ts';
import { publicStatement } from '../../../domain/log/public-statement.ts';
import { opensLeaf, ownerClaims } from '../../../domain/log/verify-opening.ts';
import { aDecisionOpening, anOutcomeOpening, GRADED, OWNER, STATED, STATEMENT } from '../../builders/log-openings.ts';

const decision = aDecisionOpening();
const outcome = anOutcomeOpening(7);
const full = { ...decision, owner: OWNER };

/** Computed from the definitions with another program; leaves that are logged depend on them for good. */
describe('version 1, which never changes: the', () => {
  test('public statement', () => {
    expect(canonicalJson(publicStatement(STATED))).toBe(
      '{"analysis_class":"trade_plan","asset_class":"spot","cohort_key":"crypto:btc:spot:usd:bullish:intraday:trade_plan","data_cutoff":"2026-03-02T11:59:00.000Z","direction":"bullish","horizon_kind":"holding_seconds","horizon_value":3600,"key_factors":[{"factor":"short é"},{"depends_on":["a"],"factor":"long","id":"b","metric":{"name":"rsi","unit":"pt","value":31.5},"weight":0.25}],"market":"crypto","method":"eval/1","perspective_type":"technical","quote_currency":"USD","record_id":"dec_20260302_5c0ffee5","submission_origin":"realtime","submission_time":"2026-03-02T12:00:00.000Z","symbol":"BTC","v":1,"venue":"COINBASE"}',
    );
  });

  test.each([
    ['commitment', decision.commitment, '70d06793e0362d14807941ce4af0254716d11482c752afbf50f2901797d0d628'],
    ['producer', decision.producer, '5f4d62658e59b81c651e72dd1120f26b2ae8e7b91c9fb445f57c57e35f73e2dd'],
    ['leaf of a decision', decision.leaf.c, 'a4ac21082d48ea96e7da418bce9933139c16c3203003579341b391398e768dd3'],
    ['evidence', outcome.public_outcome.evidence, '12f8e5b55d4ab6e1b24e30e6e8cd56b09c00866fc73bd1c347e6604176db7bce'],
    ['leaf of an outcome', outcome.leaf.o, 'b870148fcebfe384e937de6b18cad800684106fe40678ebe2d7518847a79ca81'],
  ])('%s', (_, digest, golden) => {
    expect(digest).toBe(golden);
  });
});

test.each<readonly [string, object]>([
  ['a member without a value', { id: undefined }],
  ['a member that factors do not have', { note: 'new' }],
])('the public statement of a factor has not %s', (_, changes) => {
  const factor = { factor: 'long', ...changes };
  const { key_factors } = publicStatement({ ...STATED, submission: { key_factors: [factor] } });
  expect(key_factors).toStrictEqual([{ factor: 'long' }]);
});

test('no owner, agent, level or source is in what others may see', () => {
  const seen = [decision, outcome]
    .map((opening) => Buffer.from(openingBytes(opening, canonicalJson)).toString())
    .join();
  for (const hidden of [OWNER.salt, OWNER.owner_id, OWNER.agent_id, 'secret source', 'targets', '41.007']) {
    expect(seen).not.toContain(hidden);
  }
});

test('the facts of eval/2 count from the window that others see, to the minute', () => {
  const facts = { ...GRADED.facts, ...EVAL_2 };
  const { outcome: shown } = publicOutcome({ ...GRADED, facts }, decision.commitment);
  expect(shown).toMatchObject({ method: 'eval/2', seconds_to_entry: 0, seconds_after_exit: 0 });
});

const EVAL_2 = {
  method: 'eval/2',
  omega: null,
  grid_z: 0.1,
  bars_traded: 60,
  bars_expected: 60,
  seconds_to_entry: 18.993,
  seconds_after_exit: 41.007,
  carried_open: false,
  suspected_split: false,
} as const;

describe('an opening', () => {
  test.each<readonly [string, Opening]>([
    ['of a decision', decision],
    ['of an imported decision', { ...decision, leaf: { ...decision.leaf, t: 'imported' } }],
    ['of a decision, in full', full],
    ['of an outcome', outcome],
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
