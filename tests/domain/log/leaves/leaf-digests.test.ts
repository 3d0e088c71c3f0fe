import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../../adapters/formats/canonical-json.ts';
import { sha256 } from '../../../../application/sha256.ts';
import { hexOf } from '../../../../domain/log/encoding.ts';
import { markOf, numberedProducer } from '../../../../domain/log/leaves/leaf.ts';
import { openingBytes, openingOf } from '../../../../domain/log/leaves/opening.ts';
import { publicOutcome, publicStatement } from '../../../../domain/log/leaves/public-statement.ts';
import { opensLeaf, ownerClaims } from '../../../../domain/log/leaves/verify-opening.ts';
import {
  aDecisionOpening,
  aNumberedOpening,
  anOutcomeOpening,
  GRADED,
  OWNER,
  STATED,
} from '../../../builders/log-openings.ts';

const decision = aDecisionOpening();
const outcome = anOutcomeOpening(7);

/** Computed from the definitions with another program; leaves that are logged depend on them for good. */
describe('version 1, which never changes: the', () => {
  test('public statement', () => {
    expect(canonicalJson(publicStatement(STATED))).toBe(
      '{"analysis_class":"trade_plan","asset_class":"spot","cohort_key":"crypto:btc:spot:usd:bullish:intraday:trade_plan","data_cutoff":"2026-03-02T11:59:00.000Z","direction":"bullish","horizon_kind":"holding_seconds","horizon_value":3600,"key_factors":[{"factor":"short é"},{"depends_on":["a"],"factor":"long","id":"b","metric":{"name":"rsi","unit":"pt","value":31.5},"weight":0.25}],"market":"crypto","method":"eval/1","perspective_type":"technical","quote_currency":"USD","record_id":"dec_20260302_5c0ffee5","submission_origin":"realtime","submission_time":"2026-03-02T12:00:00.000Z","symbol":"BTC","v":1,"venue":"COINBASE"}',
    );
  });

  test('statements and outcomes, whose members are made in the order of their text', () => {
    const metric = { value: 1, unit: 'pt', name: 'rsi' };
    const factor = {
      weight: 1,
      metric,
      factor: 'a',
      dimension: 'd',
      direction: 'bullish',
      depends_on: ['b'],
      id: 'c',
    } as const;
    const statement = publicStatement({ ...STATED, group_place: 2, submission: { key_factors: ['b', factor] } });
    const { outcome: _, ...graded } = publicOutcome(GRADED, decision.commitment);
    for (const made of [statement, graded]) expect(JSON.stringify(made)).toBe(canonicalJson(made));
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

/** The same, by another program: of a further horizon of a decision group. */
describe('version 2 of the public statement, which never changes: it', () => {
  const further = aDecisionOpening({ ...STATED, group_place: 2 });

  test('is version 1 with one member', () => {
    const { v, further_horizon, ...others } = publicStatement({ ...STATED, group_place: 8 });
    expect([v, further_horizon]).toEqual([2, true]);
    expect({ v: 1, ...others }).toEqual(publicStatement(STATED));
    expect(publicStatement({ ...STATED, group_place: 1 })).toEqual(publicStatement(STATED));
  });

  test('leads to the leaf', () => {
    expect(further.leaf.c).toBe('f87eaaa7256fdc7d1c520c56015bae5c300ca990807e55153388c95957b84a30');
    expect(opensLeaf(further, canonicalJson, sha256)).toBe(true);
  });

  test.each([
    [1, 1, true],
    [2, 2, true],
    [8, 2, true],
    [2, 1, false],
    [1, 2, false],
  ])('repeats what the statement says of the group: place %i, version %i: %s', (place, v, repeated) => {
    const group = { id: 'grp_5c0ffee55c0ffee55c0ffee5', of: 8, place };
    const statement = canonicalJson({ ...JSON.parse(OWNER.statement), group });
    const opening = v === 2 ? further : decision;
    expect(ownerClaims(opening, { ...OWNER, statement }, canonicalJson, sha256)).toMatchObject({ repeated });
    expect(ownerClaims(opening, OWNER, canonicalJson, sha256)).toMatchObject({ repeated: v === 1 });
  });
});

/** Computed from docs/log-format.md with another program. */
describe('a leaf of version 2: the', () => {
  const agent_salt = '55'.repeat(32);
  const next_mark = hexOf(markOf(agent_salt, 57, sha256));
  const named = numberedProducer({ ...OWNER, number: 56, next_mark }, sha256);
  const opening = aNumberedOpening(56, agent_salt);

  test.each([
    ['mark', hexOf(markOf(agent_salt, 56, sha256)), 'a24613f88d5eac2c60e2f8e48e6003c5d8c5502051abfd70c940578762eb3493'],
    ['salt of the producer', named.producer_salt, '38264cc551721c6a3a19908cbd14a456369568b0d9c164dd8b82a10f16d81774'],
    ['digest of the owner', named.owner_digest, 'f47a6e0484a58aa0056414b4db22ca50742450f0019b08a6b662e6e965f4391c'],
    ['producer', opening.producer, '9088e4cdfd477368e44e6fe59f00c55f4436bc96657eb8454d776b321081a037'],
  ])('%s', (_, digest, golden) => {
    expect(digest).toBe(golden);
  });

  test('opening leads to it, and its owner to the producer', () => {
    const { owner } = opening;
    if (!owner) throw new Error('The opening is without its owner.');
    expect(opensLeaf(opening, canonicalJson, sha256)).toBe(true);
    expect(openingOf(openingBytes(opening, canonicalJson), canonicalJson)).toEqual(opening);
    expect(ownerClaims(opening, owner, canonicalJson, sha256)).toMatchObject({ producer: true });
    const claims = [{ ...owner, number: 55 }, { ...owner, next_mark: opening.producer }, OWNER];
    for (const each of claims)
      expect(ownerClaims(opening, each, canonicalJson, sha256)).toMatchObject({ producer: false });
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
