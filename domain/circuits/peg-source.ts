import type { Coin } from './coin.ts';
import type { PegWord } from './peg.ts';

/** What stablecoins trade at in USD, by the word of several exchanges (settled.md section 9). */
export interface PegSource {
  /**
   * What every exchange says of the coin that answers in time, all asked at once. One that fails, is late or has no market
   * is left out: nothing of theirs is thrown, and nobody's word is an empty list.
   */
  quotes(coin: Coin): Promise<readonly PegWord[]>;
}
