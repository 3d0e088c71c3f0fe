import { expect, test } from '@jest/globals';
import { DETAIL_WRITER, EDITION } from '../../adapters/http/shapes/decisions/graph.ts';
import { sha256Hex } from '../../application/sha256.ts';
import type { Decision } from '../../domain/decisions/decision.ts';
import { ownerDetail, publicDetail } from '../../domain/decisions/views/views.ts';
import { aDecision } from '../builders/decision-records.ts';

const RELATED = [{ record_id: 'dec_20260301_5c0ffee5', relation: 'extends', public: true }] as const;

const FIXTURES: readonly Partial<Decision>[] = [
  {},
  { direction: 'neutral' },
  { direction: 'bearish', submission_origin: 'retroactive' },
  { related: RELATED, workflow_hash: 'ab'.repeat(32), workflow_public: true, log: null },
  { submission: { ...aDecision().submission, key_factors: ['a\u200bb'], summary: 'a\u{e0041}b' } },
  { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', horizon_kind: 'trading_days', horizon_value: 3 },
  { submission: { ...aDecision().submission, inputs: [{ kind: 'data', name: 'bars.csv', sha256: '5c'.repeat(32) }] } },
  { group_id: 'grp_5c0ffee55c0ffee55c0ffee5', group_place: 2, group_of: 3 },
  { notes: [{ number: 1, text: 'Ignored the CPI date', written_at: new Date('2026-03-02T12:00:00.000Z') }] },
];

/** Of the texts of all fixtures that there were, by their edition. */
const DIGESTS: Readonly<Record<number, string>> = {
  7: 'c85824e87e54b18e7aa4d3fd001e1c10fee4d273e49381c3a89f3f68348c9c3f',
  6: '8f3c74a55a724d99f67010890ca8dca56825f665a4f6d33ba43dbf4fc5666a1b',
  5: 'bbb3b559f82629f0a162633b023693ee80d61a961442f12bbdf52bbb28c04ebe',
  4: '29628ec04a07bafffdfdfeaed2e34593830fc702781392edf78dd11a6689134c',
  3: 'a497df87210624740449b3f27a58c4eeaddd449a2da4ac32a0684c920892d931',
  2: 'ff0cf4445e27688e8ef70349ea807e7ff8745bd62a7427f036b6adc31b15f2cb',
  1: '371eeb0e9e5ac52f9145218e134107db33476b090ad78e04d0a59ceaa9902999',
};

test('an edition has the same texts for ever: raise EDITION, and add the digest, when a detail is made in another way', () => {
  const texts = FIXTURES.flatMap((changes) => {
    const decision = aDecision(changes);
    const shown = publicDetail(decision);
    if (shown === null) throw new Error('The record is not public.');
    return [DETAIL_WRITER.write(ownerDetail(decision)), DETAIL_WRITER.write(shown)];
  });
  expect(sha256Hex(...texts)).toBe(DIGESTS[EDITION]);
});
