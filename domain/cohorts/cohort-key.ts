import { COINS } from '../circuits/coin.ts';
import type { AnalysisClass, Direction, HorizonKind } from '../decisions/call.ts';
import { HORIZON_BANDS } from '../limits.ts';
import type { Instrument } from '../market/instrument.ts';
import { MINOR_UNITS } from '../market/venues/venue-file.ts';
import { DAY, SECOND } from '../time.ts';

interface KeyedDecision {
  readonly instrument: Instrument;
  readonly direction: Direction;
  readonly horizon_kind: HorizonKind;
  readonly horizon_value: number;
  readonly analysis_class: AnalysisClass;
}

/**
 * The normalised cohort key of settled.md section 3. USD, USDT and USDC fold into `usd`; with `isolated` the stablecoin
 * keeps its own name, because its circuit was not normal when the record was received. GBX and GBP are `gbp`.
 */
export function cohortKey(decision: KeyedDecision, isolated: boolean): string {
  const { market, symbol, asset_class, quote_currency } = decision.instrument;
  const group = isolated ? quote_currency : quoteGroup(quote_currency);
  const band = horizonBand(decision.horizon_kind, decision.horizon_value);
  return [market, symbol, asset_class, group, decision.direction, band, decision.analysis_class]
    .join(':')
    .toLowerCase();
}

function quoteGroup(quote: string): string {
  return quote === 'USD' || COINS.some((coin) => coin === quote) ? 'usd' : (MINOR_UNITS[quote]?.of ?? quote);
}

/** The band of a horizon in a cohort key. */
export function horizonBand(kind: HorizonKind, value: number): string {
  const days = horizonDays(kind, value);
  if (days < HORIZON_BANDS.swingFrom) return 'intraday';
  if (days < HORIZON_BANDS.positionFrom) return 'swing';
  return days <= HORIZON_BANDS.positionTo ? 'position' : 'long';
}

/** A horizon in days: trading days, or days of 24 hours. */
export function horizonDays(kind: HorizonKind, value: number): number {
  return kind === 'trading_days' ? value : (value * SECOND) / DAY;
}
