import { fieldsOf } from '../answer.ts';
import type { SourceClient } from '../source-client.ts';
import { type PegExchange, priceOf, usdPair } from './peg-exchange.ts';

/** The market of USDC/USD. Its ticker contains no time but that of the volume. */
export function geminiPeg(client: SourceClient): PegExchange {
  return (coin) =>
    client.ask({
      about: usdPair(coin, 'GEMINI'),
      path: `/v1/pubticker/${coin.toLowerCase()}usd`,
      read: (body) => {
        const { last, bid, ask } = fieldsOf(body);
        const price = priceOf({ last, bid, ask });
        return price === null ? null : { price, at: null };
      },
    });
}
