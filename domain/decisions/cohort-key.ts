import type { Instrument } from '../market/instrument.ts';
import { DAY, SECOND } from '../time.ts';
import type { AnalysisClass, Direction, HorizonKind } from './submission.ts';

/** The stablecoins whose circuits are watched (interface.md 2.5). */
export const COINS = ['USDT', 'USDC'] as const;
export type Coin = (typeof COINS)[number];

interface Call {
  readonly instrument: Instrument;
  readonly direction: Direction;
  readonly horizon_kind: HorizonKind;
  readonly horizon_value: number;
  readonly analysis_class: AnalysisClass;
}

/**
 * The normalised cohort key of settled.md section 3. USD, USDT and USDC fold into `usd`;
 * with `isolated` the stablecoin keeps its own name, because its circuit was not normal when the record was received.
 */
export function cohortKey(call: Call, isolated: boolean): string {
  const { market, symbol, asset_class, quote_currency } = call.instrument;
  const group = isolated ? quote_currency : quoteGroup(quote_currency);
  const band = horizonBand(call.horizon_kind, call.horizon_value);
  return [market, symbol, asset_class, group, call.direction, band, call.analysis_class].join(':').toLowerCase();
}

/** The stablecoin whose circuit a submission quoted so depends on, else null. */
export function coinOf({ quote_currency }: Instrument): Coin | null {
  return COINS.find((coin) => coin === quote_currency) ?? null;
}

function quoteGroup(quote: string): string {
  return quote === 'USD' || COINS.some((coin) => coin === quote) ? 'usd' : quote;
}

function horizonBand(kind: HorizonKind, value: number): string {
  const days = kind === 'trading_days' ? value : (value * SECOND) / DAY;
  if (days < 1) return 'intraday';
  if (days < 11) return 'swing';
  return days <= 60 ? 'position' : 'long';
}
