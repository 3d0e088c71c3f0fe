import type { PegExchangeName } from '../../../adapters/market/pegs/peg-sources.ts';
import { COINS, type Coin } from '../../../domain/circuits/coin.ts';
import { rfc3339, SECOND } from '../../../domain/time.ts';
import { type Answer, type FaultServer, faultServer } from './fault-server.ts';

/** The facts of a market, from which each exchange forms its own reply. */
export interface PegMarket {
  readonly last: number;
  readonly bid: number;
  readonly ask: number;
  /** Of the last trade, and of the ticker where that has a time. */
  readonly at: Date;
}

/** null: there is no such market; `down`: the exchange fails. */
export type PegMarkets = (exchange: PegExchangeName, coin: Coin) => PegMarket | null | 'down';

/** Kraken, Coinbase, Bitstamp and Gemini on one address, their paths being distinct, each in its documented form. */
export function pegServer(markets: PegMarkets): Promise<FaultServer> {
  return faultServer(({ pathname, searchParams }) => {
    const found = EXCHANGES.find(({ path }) => path.test(pathname));
    const coin = COINS.find((name) => `${pathname}${searchParams.get('pair') ?? ''}`.toUpperCase().includes(name));
    if (!found || !coin) return { status: 404, json: { message: 'Not found' } };
    const market = markets(found.exchange, coin);
    if (market === 'down') return { status: 503, json: { message: 'Down for maintenance' } };
    return market ? { status: 200, json: found.replyFor(market, coin) } : found.unknown;
  });
}

interface Form {
  readonly exchange: PegExchangeName;
  readonly path: RegExp;
  readonly unknown: Answer;
  replyFor(market: PegMarket, coin: Coin): unknown;
}

const EXCHANGES: readonly Form[] = [
  {
    exchange: 'kraken',
    path: /^\/0\/public\/Trades$/,
    unknown: { status: 200, json: { error: ['EQuery:Unknown asset pair'] } },
    replyFor: ({ last, at }, coin) => {
      const time = at.getTime() / SECOND;
      const trade = [last.toFixed(8), '250.00000000', time, 'b', 'l', '', 61_044_952];
      return {
        error: [],
        result: { [coin === 'USDT' ? 'USDTZUSD' : 'USDCUSD']: [trade], last: `${Math.floor(time)}000000001` },
      };
    },
  },
  {
    exchange: 'coinbase',
    path: /^\/products\/USDT-USD\/ticker$/,
    unknown: { status: 404, json: { message: 'NotFound' } },
    replyFor: ({ last, bid, ask, at }) => ({
      ask: `${ask}`,
      bid: `${bid}`,
      volume: '155207435.04',
      trade_id: 86_326_522,
      price: `${last}`,
      size: '120.5',
      time: rfc3339(at).replace('Z', '123Z'),
    }),
  },
  {
    exchange: 'bitstamp',
    path: /^\/api\/v2\/ticker\/usd[tc]usd\/$/,
    unknown: { status: 404, json: { status: 'error', reason: 'Not found', code: 'API0018' } },
    replyFor: ({ last, bid, ask, at }) => ({
      timestamp: `${Math.floor(at.getTime() / SECOND)}`,
      open: '0.99990',
      high: '1.00020',
      low: '0.99970',
      last: `${last}`,
      volume: '1355296.92054',
      vwap: '0.99990',
      bid: `${bid}`,
      ask: `${ask}`,
      side: '0',
      open_24: '0.99990',
      percent_change_24: '0.00',
    }),
  },
  {
    exchange: 'gemini',
    path: /^\/v1\/pubticker\/usdcusd$/,
    unknown: { status: 400, json: { result: 'error', reason: 'InvalidSymbol', message: 'Supplied value is invalid' } },
    replyFor: ({ last, bid, ask, at }) => ({
      bid: `${bid}`,
      ask: `${ask}`,
      volume: { USDC: '145597.75', USD: '145590.12', timestamp: Math.floor(at.getTime() / 600_000) * 600_000 },
      last: `${last}`,
    }),
  },
];
