import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type PegExchangeName, type PegSources, pegSources } from '../../../../adapters/market/pegs/peg-sources.ts';
import { COINS } from '../../../../domain/circuits/coin.ts';
import { pegOf } from '../../../../domain/circuits/peg.ts';
import { HOUR, MINUTE, SECOND } from '../../../../domain/time.ts';
import type { Fault, FaultServer } from '../../../harness/exchanges/fault-server.ts';
import { type PegMarket, type PegMarkets, pegServer } from '../../../harness/exchanges/peg-server.ts';
import { type TestTools, testTools } from '../../../harness/exchanges/source-tools.ts';

const NOW = Date.UTC(2026, 2, 2, 12, 34, 56);
const at = new Date(NOW - 3 * SECOND);
const PAR: PegMarket = { last: 0.9999, bid: 0.9998, ask: 1, at };

let markets: PegMarkets;
let server: FaultServer;
let tools: TestTools;
let sources: PegSources;

beforeEach(async () => {
  markets = () => PAR;
  server = await pegServer((...args) => markets(...args));
  tools = testTools(NOW);
  sources = pegSources(addresses(server.url), tools);
});
afterEach(() => server.close());

function addresses(url: string): Readonly<Record<PegExchangeName, string>> {
  return { kraken: url, coinbase: url, bitstamp: url, gemini: url };
}

/** One exchange says that, the others nothing. */
function only(exchange: PegExchangeName, market: PegMarket | null | 'down'): void {
  markets = (name) => (name === exchange ? market : null);
}

test('USDT by the last trades of Kraken and Coinbase and the market of Bitstamp, each at its own time', async () => {
  expect(await sources.quotes('USDT')).toEqual([
    { source: 'kraken', price: 0.9999, at },
    { source: 'coinbase', price: 0.9999, at },
    { source: 'bitstamp', price: 0.9999, at },
  ]);
  expect(server.asked.toSorted()).toEqual([
    '/0/public/Trades?pair=USDTUSD&count=1',
    '/api/v2/ticker/usdtusd/',
    '/products/USDT-USD/ticker',
  ]);
});

test('USDC by the last trade of Kraken and the markets of Bitstamp and Gemini, the latter without a time', async () => {
  expect(await sources.quotes('USDC')).toEqual([
    { source: 'kraken', price: 0.9999, at },
    { source: 'bitstamp', price: 0.9999, at },
    { source: 'gemini', price: 0.9999, at: null },
  ]);
  expect(server.asked.toSorted()).toEqual([
    '/0/public/Trades?pair=USDCUSD&count=1',
    '/api/v2/ticker/usdcusd/',
    '/v1/pubticker/usdcusd',
  ]);
});

test('three are pricesOf of USDC also by a machine whose own clock stands an hour off', async () => {
  for (const off of [-HOUR, HOUR]) {
    const astray = pegSources(addresses(server.url), testTools(NOW + off));
    expect(pegOf(await astray.quotes('USDC'), new Date(NOW))?.sources).toHaveLength(3);
  }
});

describe.each(['bitstamp', 'gemini'] as const)('the book of %s', (exchange) => {
  const pricesOf = async (market: Partial<PegMarket>) => {
    only(exchange, { ...PAR, ...market });
    return (await sources.quotes('USDC')).map(({ price }) => price);
  };

  test('takes a trade with it that it has left behind', async () => {
    expect(await pricesOf({ last: 1, bid: 0.88, ask: 0.885 })).toEqual([0.885]);
    expect(await pricesOf({ last: 0.88, bid: 0.9997, ask: 0.9999 })).toEqual([0.9997]);
  });

  test('has no price when nobody makes it: too wide, crossed, or empty on a side', async () => {
    expect(await pricesOf({ bid: 0.5, ask: 1.5 })).toEqual([]);
    expect(await pricesOf({ bid: 1.0001, ask: 0.9999 })).toEqual([]);
    expect(await pricesOf({ bid: 0, ask: 1 })).toEqual([]);
    expect(tools.logged.filter(({ source }) => source === `peg-${exchange}`)).toEqual([]);
  });

  test('has a price up to a spread of 5 %', async () => {
    expect(await pricesOf({ last: 0.97, bid: 0.96, ask: 1 })).toEqual([0.97]);
    expect(await pricesOf({ last: 0.97, bid: 0.95, ask: 1 })).toEqual([]);
  });
});

test('an old trade keeps its time, for the rule to judge', async () => {
  only('kraken', { ...PAR, at: new Date(NOW - 20 * MINUTE) });
  const [quote] = await sources.quotes('USDT');
  expect(quote?.at).toEqual(new Date(NOW - 20 * MINUTE));
});

test('without any market there are no quotes', async () => {
  markets = () => null;
  for (const coin of COINS) expect(await sources.quotes(coin)).toEqual([]);
});

test('a market that fails is left out and logged; the others are used', async () => {
  markets = (exchange) => (exchange === 'coinbase' ? 'down' : PAR);
  expect((await sources.quotes('USDT')).map(({ source }) => source)).toEqual(['kraken', 'bitstamp']);
  expect(tools.logged.at(-1)).toEqual({
    message: 'A market data source failed',
    source: 'peg-coinbase',
    instrument: 'crypto:USDT:COINBASE:spot:USD',
    status: 503,
    code: undefined,
    count: 1,
  });
  const failing = sources.health().find(({ source }) => source === 'peg-coinbase');
  expect(failing).toMatchObject({ failures: 3, last_success_at: null });
});

describe('an exchange that answers late', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['Date', 'hrtime', 'performance', 'nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test.each(['silence', 'stall'] as const)('by %s is not waited for longer than ten seconds', async (kind) => {
    server.faults.push({ kind });
    let quotes: readonly unknown[] | undefined;
    const reading = sources.quotes('USDT').then((found) => {
      quotes = found;
    });
    while (answered() < 2) await setImmediate();
    jest.advanceTimersByTime(10 * SECOND - 1);
    await setImmediate();
    expect(quotes).toBeUndefined();
    jest.advanceTimersByTime(1);
    await reading;
    expect(quotes).toHaveLength(2);
  });

  const answered = () => sources.health().filter(({ last_success_at }) => last_success_at !== null).length;
});

const HOSTILE: readonly Fault[] = [
  '',
  '<html>',
  'null',
  '[]',
  '{"error":[],"result":{"USDTZUSD":[[]]}}',
  '{"error":[],"result":{"USDTZUSD":[["1.0","1","soon"]]}}',
  '{"error":[],"result":{"USDTZUSD":[["-1","1",1688669597.8]]}}',
  '{"error":["EService:Unavailable"]}',
  '{"error":["EAPI:Rate limit exceeded"]}',
  '{"price":"1.0","time":"yesterday"}',
  '{"price":"one","time":"2026-03-02T12:34:56Z"}',
  '{"last":"NaN","bid":"1","ask":"1","timestamp":"1772454896"}',
  '{"last":"1","bid":"1","timestamp":"1772454896"}',
  '{"last":"1","bid":"1","ask":"1","timestamp":"-5"}',
].map((text) => ({ kind: 'text', text }));

test.each(HOSTILE.map((fault) => [fault.kind === 'text' ? fault.text : '', fault] as const))(
  'no word in %j from anyone',
  async (_, fault) => {
    server.faults.push(...Array.from({ length: 9 }, () => fault));
    expect(await sources.quotes('USDT')).toEqual([]);
    expect(tools.logged).toHaveLength(3);
    const states = sources.health().map(({ source, state, failures }) => [source, state, failures]);
    expect(states).toEqual([
      ['peg-kraken', 'failing', 3],
      ['peg-coinbase', 'failing', 3],
      ['peg-bitstamp', 'failing', 3],
      ['peg-gemini', 'never asked', 0],
    ]);
  },
);

test('two a minute to each exchange, and after failures no more than the allowance', async () => {
  markets = (exchange) => (exchange === 'kraken' ? 'down' : PAR);
  const begun = tools.timing.now();
  for (let minute = 0; minute < 10; minute++) {
    await Promise.all(COINS.map((coin) => sources.quotes(coin)));
    tools.advance(MINUTE);
  }
  const seconds = (tools.timing.now() - begun) / SECOND;
  const count = (part: string) => server.asked.filter((path) => path.includes(part)).length;
  expect(count('/api/v2/ticker/')).toBe(20);
  expect([count('/products/'), count('/v1/pubticker/')]).toEqual([10, 10]);
  expect(count('/0/public/')).toBeLessThanOrEqual(2 + seconds * 0.2);
});
