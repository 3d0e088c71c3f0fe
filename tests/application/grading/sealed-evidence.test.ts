import { describe, expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import { openEvidence, sealEvidence } from '../../../application/grading/sealed-evidence.ts';
import type { SealedEvidence, SeenEvidence } from '../../../domain/grading/evidence.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { madePrices } from '../../builders/prices.ts';

const RECORD = 'dec_20260302_5c0ffee5';
const NOON = Date.UTC(2026, 2, 2, 12);
const BTC = { market: 'crypto', symbol: 'BTC', venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' } as const;

const prices = madePrices('BTC');
const seen: SeenEvidence = {
  path: await prices.bars(BTC, '1m', NOON - 90 * MINUTE, NOON, NOON),
  daily: await prices.bars(BTC, '1d', NOON - 400 * DAY, NOON, NOON),
  listing: { delisted_at: NOON },
  end_time: NOON - MINUTE,
  now: NOON,
};
const sealed = sealEvidence(RECORD, 'eval/1', seen);

test('opened evidence equals what was sealed', () => {
  expect(openEvidence(RECORD, sealed)).toEqual({ kind: 'intact', method: 'eval/1', seen });
});

test('isolations are sealed where there are any, and leave other seals as they are', () => {
  const isolations = [
    { snapshot_id: 'b', state: 'tripped', from: NOON - 3 * MINUTE, until: NOON - 2 * MINUTE },
    { snapshot_id: 'a', state: 'warming', from: NOON - 2 * MINUTE, until: null },
  ] as const;
  const isolated = sealEvidence(RECORD, 'eval/1', { ...seen, isolations });
  expect(isolated.document).toBe(canonicalize(JSON.parse(isolated.document)));
  expect(openEvidence(RECORD, isolated)).toMatchObject({ kind: 'intact', seen: { isolations } });
  expect(isolated.digest).not.toBe(sealed.digest);
  expect(sealEvidence(RECORD, 'eval/1', { ...seen, isolations: [] })).toEqual(sealed);
});

test('the document is in RFC 8785 form, and the same for the same evidence', () => {
  expect(sealed.document).toBe(canonicalize(JSON.parse(sealed.document)));
  const again = structuredClone(seen);
  expect(sealEvidence(RECORD, 'eval/1', again)).toEqual(sealed);
});

test('records of two days share most of their daily bars', async () => {
  const daily = await prices.bars(BTC, '1d', NOON - 399 * DAY, NOON + DAY, NOON + DAY);
  const other = sealEvidence('dec_20260303_5c0ffee5', 'eval/1', { ...seen, daily });
  const names = ({ bars }: SealedEvidence) => bars.map(({ digest }) => digest);
  const shared = names(other).filter((name) => names(sealed).includes(name));
  expect(shared.length).toBeGreaterThan(names(sealed).length / 2);
  expect(other.digest).not.toBe(sealed.digest);
});

describe('a fault is returned when', () => {
  const [first] = sealed.bars;
  const content = first?.content.replace('"volume":1', '"volume":2') ?? '';
  test.each([
    ['the document was changed', { ...sealed, document: sealed.document.replace('eval/1', 'eval/2') }, 'document'],
    ['the digest was changed', { ...sealed, digest: 'ab'.repeat(32) }, 'document'],
    ['bars were changed', { ...sealed, bars: sealed.bars.with(0, { digest: first?.digest ?? '', content }) }, 'match'],
    ['bars were removed', { ...sealed, bars: sealed.bars.slice(1) }, 'missing'],
    [
      'it is the evidence of another record',
      sealEvidence('dec_20260302_00000000', 'eval/1', seen),
      'dec_20260302_00000000',
    ],
  ])('%s', (_, tampered, word) => {
    expect(tampered).not.toEqual(sealed);
    expect(openEvidence(RECORD, tampered)).toEqual({
      kind: 'damaged',
      faults: [expect.stringContaining(word)],
    });
  });
});
