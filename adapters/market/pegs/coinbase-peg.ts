import { fieldsOf, MalformedAnswer, numberOf, textOf, timeOf } from '../answer.ts';
import type { SourceClient } from '../source-client.ts';
import { type PegExchange, usdPair } from './peg-exchange.ts';

/** The last trade of USDT-USD, with its time. (USDC-USD is no market of Coinbase's: it changes one for the other.) */
export function coinbasePeg(client: SourceClient): PegExchange {
  return (coin) =>
    client.ask({
      about: usdPair(coin, 'COINBASE'),
      path: `/products/${coin}-USD/ticker`,
      read: (body) => {
        const { price, time } = fieldsOf(body);
        const trade = { price: numberOf(price), at: new Date(timeOf(Date.parse(textOf(time)), 1)) };
        if (Number.isNaN(trade.price)) throw new MalformedAnswer('not a price');
        return trade;
      },
    });
}
