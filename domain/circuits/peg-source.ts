import type { Coin } from './coin.ts';
import type { RawPegQuote } from './peg.ts';

/** The prices of stablecoins in USD on several exchanges (settled.md section 9). */
export interface PegSource {
  /**
   * The quotes of all exchanges that answer in time; they are asked at once. An exchange that fails, is late or has no
   * market is left out. Never throws; without any answer the list is empty.
   */
  quotes(coin: Coin): Promise<readonly RawPegQuote[]>;
}
