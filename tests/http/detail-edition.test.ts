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
];

/** Of the texts of all fixtures that there were, by their edition. */
const DIGESTS: Readonly<Record<number, string>> = {
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
