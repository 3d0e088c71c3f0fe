import { describe, expect, test } from '@jest/globals';
import { marketDataRouter, type Route } from '../../../adapters/market/market-data-router.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import {
  type Listing,
  type MarketData,
  OutOfReach,
  openCoverage,
  SourceUnavailable,
} from '../../../domain/market/market-data.ts';
import { MINUTE } from '../../../domain/time.ts';

const coin: Instrument = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'KRAKEN',
  asset_class: 'spot',
  quote_currency: 'USD',
};
const share: Instrument = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
};

function knowing(source: string): MarketData {
  const listing: Listing = { source, sizes: ['1d'], history_from: 0, delisted_at: null, cadence: 'continuous' };
  return {
    describe: async () => listing,
    bars: async (_instrument, size) => ({ source, size, bars: [], dropped: 0 }),
    coverage: async () => [openCoverage(source, () => 0)],
  };
}

function failing(error: Error): MarketData {
  const fail = () => Promise.reject(error);
  return { describe: fail, bars: fail, coverage: async () => [] };
}

const ignorant: MarketData = { ...failing(new Error('never asked for bars')), describe: async () => null };
const down = failing(new SourceUnavailable('down for maintenance'));

let now = 0;
const routerOf = (routes: readonly Route[]) => marketDataRouter(routes, { now: () => now });

async function serving(router: MarketData, instrument: Instrument): Promise<readonly [string | undefined, string]> {
  const { source } = await router.bars(instrument, '1d', 0, 1, 1);
  return [(await router.describe(instrument))?.source, source];
}

test('the first source in order that knows the instrument serves it', async () => {
  const router = routerOf([{ source: ignorant }, { source: knowing('a') }, { source: knowing('b') }]);
  expect(await serving(router, coin)).toEqual(['a', 'a']);
});

test('a source is asked about its own market and venues only', async () => {
  const router = routerOf([
    { source: knowing('kraken'), market: 'crypto', venues: ['KRAKEN'] },
    { source: knowing('coins'), market: 'crypto' },
    { source: knowing('files') },
  ]);
  expect(await serving(router, coin)).toEqual(['kraken', 'kraken']);
  expect(await serving(router, { ...coin, venue: 'OKX' })).toEqual(['coins', 'coins']);
  expect(await serving(router, share)).toEqual(['files', 'files']);
});

test('a source that fails is passed over when another knows the instrument', async () => {
  expect(await serving(routerOf([{ source: down }, { source: knowing('b') }]), coin)).toEqual(['b', 'b']);
});

test('bar files that end in the past replace no source that fails, and serve what it does not know', async () => {
  const ended: MarketData = {
    ...knowing('files'),
    coverage: async () => [{ source: 'files', spans: { '1d': { from: 0, to: 1 } }, delisted_at: null }],
  };
  const router = routerOf([{ source: down }, { source: ended }]);
  await expect(router.describe(coin)).rejects.toThrow(new SourceUnavailable('down for maintenance'));
  expect(await serving(routerOf([{ source: down }, { source: ended }, { source: knowing('b') }]), coin)).toEqual([
    'b',
    'b',
  ]);
  expect(await serving(routerOf([{ source: ignorant }, { source: ended }]), coin)).toEqual(['files', 'files']);
});

test('unavailable when one failed and none knew it', async () => {
  const router = routerOf([{ source: ignorant }, { source: down }, { source: ignorant }]);
  await expect(router.describe(coin)).rejects.toThrow(new SourceUnavailable('down for maintenance'));
});

test('null when every source answered and none knew it', async () => {
  const router = routerOf([{ source: ignorant }, { source: down, market: 'stock' }]);
  expect(await router.describe(coin)).toBeNull();
});

test('the bars of an instrument that no source lists come from the first that still answers for it', async () => {
  const unlisted = (source: string): MarketData => ({ ...knowing(source), describe: async () => null });
  const refusing: MarketData = { ...down, describe: async () => null };
  const bars = (...sources: readonly MarketData[]) =>
    routerOf(sources.map((source) => ({ source }))).bars(coin, '1d', 0, 1, 1);
  expect((await bars(refusing, unlisted('a'), unlisted('b'))).source).toBe('a');
  await expect(bars(refusing)).rejects.toThrow(new OutOfReach('no source knows crypto:BTC:KRAKEN:spot:USD'));
  await expect(bars()).rejects.toThrow(OutOfReach);
});

test('a fault of the program is not taken for a source that is down', async () => {
  const router = routerOf([{ source: failing(new TypeError('oops')) }, { source: knowing('b') }]);
  await expect(router.describe(coin)).rejects.toThrow(TypeError);
});

test('all sources that are responsible for an instrument cover it, in order, and none is asked whether it knows it', async () => {
  const silent = (source: string): MarketData => ({
    ...knowing(source),
    describe: failing(new Error('asked')).describe,
  });
  const router = routerOf([
    { source: silent('kraken'), market: 'crypto', venues: ['KRAKEN'] },
    { source: silent('okx'), market: 'crypto', venues: ['OKX'] },
    { source: silent('files') },
  ]);
  const sourcesOf = async (instrument: Instrument) =>
    (await router.coverage(instrument, 0)).map(({ source }) => source);
  expect(await sourcesOf(coin)).toEqual(['kraken', 'files']);
  expect(await sourcesOf(share)).toEqual(['files']);
  expect(await routerOf([]).coverage(coin, 0)).toEqual([]);
});

describe('the bars of an instrument', () => {
  function changing(source: string) {
    const state = { answer: 'knows' as 'knows' | 'fails' | 'knows not', described: 0 };
    const known = knowing(source);
    const answer = <T>(value: Promise<T>) =>
      state.answer === 'fails' ? Promise.reject(new SourceUnavailable(`${source} is down`)) : value;
    const market: MarketData = {
      async describe(instrument) {
        state.described += 1;
        return answer(state.answer === 'knows not' ? Promise.resolve(null) : known.describe(instrument));
      },
      bars: (...span) => answer(known.bars(...span)),
      coverage: known.coverage,
    };
    return { ...market, state };
  }
  const barsOf = async (router: MarketData) => (await router.bars(coin, '1d', 0, 1, 1)).source;

  test('come from the source that knew it for ten minutes, without asking again', async () => {
    const a = changing('a');
    const router = routerOf([{ source: a }]);
    for (let i = 0; i < 3; i++) await barsOf(router);
    expect(a.state.described).toBe(1);
    now += 10 * MINUTE;
    await barsOf(router);
    expect(a.state.described).toBe(2);
  });

  test('stay with the source that served when an earlier one recovers in between', async () => {
    const [a, b] = [changing('a'), changing('b')];
    const router = routerOf([{ source: a }, { source: b }]);
    a.state.answer = 'fails';
    expect(await barsOf(router)).toBe('b');
    a.state.answer = 'knows';
    expect(await barsOf(router)).toBe('b');
  });

  test('are not taken from another source in the midst of an evaluation: the failure is passed on first', async () => {
    const [a, b] = [changing('a'), changing('b')];
    const router = routerOf([{ source: a }, { source: b }]);
    expect(await barsOf(router)).toBe('a');
    a.state.answer = 'fails';
    await expect(barsOf(router)).rejects.toThrow('a is down');
    a.state.answer = 'knows';
    // The next try, five minutes later, is served by the other one from the start.
    now += 5 * MINUTE;
    expect([await barsOf(router), await barsOf(router)]).toEqual(['b', 'b']);
    now += 10 * MINUTE;
    expect(await barsOf(router)).toBe('a');
  });

  test('come from the source that failed when no other knows the instrument', async () => {
    const a = changing('a');
    const router = routerOf([{ source: a }, { source: ignorant }]);
    await barsOf(router);
    a.state.answer = 'fails';
    await expect(barsOf(router)).rejects.toThrow('a is down');
    a.state.answer = 'knows';
    expect(await barsOf(router)).toBe('a');
  });

  test('of one that is described anew come from the source that knows it now', async () => {
    const [a, b] = [changing('a'), changing('b')];
    const router = routerOf([{ source: a }, { source: b }]);
    expect(await barsOf(router)).toBe('a');
    a.state.answer = 'knows not';
    await router.describe(coin);
    expect(await barsOf(router)).toBe('b');
  });
});
