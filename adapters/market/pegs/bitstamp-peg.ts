import { SECOND } from '../../../domain/time.ts';
import { fieldsOf, timeOf } from '../answer.ts';
import type { SourceClient } from '../source-client.ts';
import { type PegExchange, priceOf, usdPair } from './peg-exchange.ts';

/**
 * The market of USDT/USD or USDC/USD. Its time is that of the ticker, so that of the book, and not of the last trade, which
 * may be minutes older.
 */
export function bitstampPeg(client: SourceClient): PegExchange {
  return (coin) =>
    client.ask({
      about: usdPair(coin, 'BITSTAMP'),
      path: `/api/v2/ticker/${coin.toLowerCase()}usd/`,
      read: (body) => {
        const { last, bid, ask, timestamp } = fieldsOf(body);
        const at = new Date(timeOf(timestamp, SECOND));
        const price = priceOf({ last, bid, ask });
        return price === null ? null : { price, at };
      },
    });
}
