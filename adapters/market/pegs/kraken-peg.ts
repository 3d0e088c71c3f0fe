import { SECOND } from '../../../domain/time.ts';
import { listOf, MalformedAnswer, numberOf, timeOf } from '../answer.ts';
import { onlyPair, resultOf } from '../exchanges/kraken.ts';
import type { SourceClient } from '../source-client.ts';
import { type PegExchange, usdPair } from './peg-exchange.ts';

/** The last trade of USDT/USD or USDC/USD. Kraken's ticker contains no time; its trades do, in seconds with a fraction. */
export function krakenPeg(client: SourceClient): PegExchange {
  return (coin) =>
    client.ask({
      about: usdPair(coin, 'KRAKEN'),
      path: '/0/public/Trades',
      query: { pair: `${coin}USD`, count: 1 },
      read: (body) => lastTrade(onlyPair(resultOf(body))),
    });
}

/** Oldest first: price, volume, time and more. */
function lastTrade(trades: unknown) {
  const newest = listOf(trades).at(-1);
  if (newest === undefined) return null;
  const [price, , time] = listOf(newest);
  const trade = { price: numberOf(price), at: new Date(timeOf(Math.floor(numberOf(time)), SECOND)) };
  if (Number.isNaN(trade.price)) throw new MalformedAnswer('not a price');
  return trade;
}
