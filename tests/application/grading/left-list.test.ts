import { expect, test } from '@jest/globals';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import { currentListing } from '../../../application/market/current-listing.ts';
import { verifyInstruments } from '../../../application/market/verify-instruments.ts';
import { OutOfReach } from '../../../domain/market/market-data.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { LISTING } from '../../builders/prices.ts';
import { memoryBench } from './bench.ts';

/** An hour of holding, one bar of a minute and the settle delay. */
const SETTLED = HOUR + MINUTE + 120 * SECOND;

/** A record whose instrument has left the list of its exchange since it was verified a day ago. */
async function unlisted(method = 'eval/3') {
  const bench = await memoryBench('BTC');
  const id = await bench.submit({}, { method });
  await verifyInstruments(bench.ports);
  bench.prices.known.delete('BTC');
  await bench.arrange.advance(DAY + SETTLED);
  return { ...bench, id };
}

async function untilTheEnd({ ports, arrange }: Pick<Awaited<ReturnType<typeof unlisted>>, 'ports' | 'arrange'>) {
  for (let tries = 1; ; tries += 1) {
    const { next } = await evaluateDue(ports);
    if (next === null) return tries;
    await arrange.freeze(next);
  }
}

test('an instrument that has left its list is graded by the bars that still come', async () => {
  const bench = await unlisted();
  expect(await untilTheEnd(bench)).toBe(1);
  expect(await bench.read(bench.id)).toMatchObject({ lifecycle_state: 'evaluated' });
  expect(bench.prices.asked).toContain('1m BTC');
});

test.each([
  ['eval/1', 'out_of_reach: no source knows BTC'],
  ['eval/2', 'delisted: The instrument is no longer listed, and its bars did not come. no source knows BTC'],
  ['eval/3', 'delisted: The instrument is no longer listed, and its bars did not come. no source knows BTC'],
])('it is given up after the tries of %s when they do not come', async (method, last_error) => {
  const bench = await unlisted(method);
  bench.prices.failures.set('BTC', new OutOfReach('no source knows BTC'));
  const describe: typeof bench.prices.describe = async () => null;
  const ports = { ...bench.ports, marketData: { ...bench.prices, describe } };
  expect(await untilTheEnd({ ...bench, ports })).toBe(9);
  expect(await bench.read(bench.id)).toMatchObject({ lifecycle_state: 'data_unavailable', last_error });
});

test('a later submission, which is rejected, leaves the listing to the earlier records', async () => {
  const bench = await unlisted();
  await bench.submit();
  await verifyInstruments(bench.ports);
  expect(await untilTheEnd(bench)).toBe(1);
  expect(await bench.read(bench.id)).toMatchObject({ lifecycle_state: 'evaluated' });
});

test('it has left only where the source that listed it still answers, or by the list of its exchange', async () => {
  const { ports, prices } = await memoryBench('BTC');
  const instrument = { market: 'crypto', symbol: 'BTC', venue: 'COINBASE', asset_class: 'spot' } as const;
  const coin = { ...instrument, quote_currency: 'USD' };
  const share = { ...coin, market: 'stock', symbol: 'GONE', venue: 'NASDAQ' } as const;
  const now = await ports.clock.now();
  const known = (changes: object) => ({
    ...{ instrument: coin, listing: LISTING, checked_at: now, retry_at: null, attempts: 0, last_error: null },
    ...{ status: 'rejected' as const, ...changes },
  });
  const leftList = async (which: typeof coin | typeof share, changes: object, marketData = ports.marketData) => {
    const symbols = { ...ports.symbols, leftAt: (symbol: string) => (symbol === 'GONE' ? now.getTime() : null) };
    return (await currentListing({ ...ports, marketData, symbols }, which, known(changes), now))?.leftList;
  };
  prices.known.clear();
  expect(await leftList(coin, {})).toBe(true);
  expect(await leftList(coin, { status: 'verified' })).toBe(false);
  expect(await leftList(coin, { status: 'verified', checked_at: new Date(now.getTime() - DAY) })).toBe(true);
  expect(await leftList(coin, {}, { ...prices, coverage: async () => [] })).toBe(false);
  expect(await leftList(share, { status: 'verified' })).toBe(true);
  expect(await leftList(coin, { listing: null })).toBeUndefined();
});
