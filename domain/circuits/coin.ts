import type { Instrument } from '../market/instrument.ts';

/** The stablecoins whose circuits are watched (interface.md 2.5). */
export const COINS = ['USDT', 'USDC'] as const;
export type Coin = (typeof COINS)[number];

/** The stablecoin that the instrument is quoted in, whose circuit its submissions depend on; else null. */
export function coinOf({ quote_currency }: Instrument): Coin | null {
  return COINS.find((coin) => coin === quote_currency) ?? null;
}
