import type { HorizonKind } from '../../../../domain/decisions/call.ts';
import type { BarsNeeded, Evidence } from '../../../../domain/grading/evaluation.ts';
import type { Bar, BarSize } from '../../../../domain/market/bars.ts';
import type { Instrument } from '../../../../domain/market/instrument.ts';
import type { Millis } from '../../../../domain/time.ts';
import { series } from '../../market/real-bars.ts';

/** A price series with a fair price that nobody can predict, and the bars that a source shows of its trades. */
export interface SimulatedMarket {
  readonly instrument: Instrument;
  readonly size: BarSize;
  readonly horizon_kind: HorizonKind;
  readonly horizon_value: number;
  /** When agents may submit, in order. */
  readonly moments: readonly Moment[];
  /** The bars that the source returns at `now`. */
  evidence(needed: BarsNeeded, now: Millis): Evidence;
}

/** What everybody can know at an instant. */
export interface Moment {
  readonly at: Millis;
  /** The fair price, e.g. from another venue. */
  readonly fair: number;
  /** The price of the last trade, and the time since then. */
  readonly lastTrade: number;
  readonly silence: Millis;
  /** Until the session ends, or the next one while the venue is closed. */
  readonly closesIn: Millis;
  /** The volatility of the window. */
  readonly sigma: number;
  /** A split within the window, or one in the volatility history, that the source does not know yet. */
  readonly split: 'ahead' | 'behind' | null;
}

/** How a source shows what traded; the same for all markets of a run. */
export interface SourceHabits {
  /** Bars without trades are missing, or repeat the last price with a volume of 0. */
  readonly silent: 'missing' | 'flat';
  /** The first bar after a silence opens at the last price before it. */
  readonly carriesOpens: boolean;
  /** The first bar of a session opens at the last price of the session before. */
  readonly carriesNights?: boolean;
}

/** A trade or, with `volume` 0, none. */
export interface Trade {
  readonly at: Millis;
  readonly price: number;
}

interface Slot {
  readonly start: Millis;
  readonly end: Millis;
}

/** The bars of slots, ascending, from trades, ascending. */
export function barsOfTrades(slots: readonly Slot[], trades: readonly Trade[], habits: SourceHabits): Bar[] {
  const bars: Bar[] = [];
  let [next, last, wasSilent, before] = [0, Number.NaN, false, Number.NaN];
  for (const { start, end } of slots) {
    const prices: number[] = [];
    while ((trades[next]?.at ?? end) < end) prices.push(trades[next++]?.price ?? 0);
    if (prices.length > 0) {
      const isCarried = wasSilent ? habits.carriesOpens : habits.carriesNights && before < start;
      const open = isCarried ? last : (prices[0] ?? 0);
      bars.push({ start, end, ...barOf([open, ...prices]), volume: prices.length, split: 1, total: 1 });
    } else if (habits.silent === 'flat' && !Number.isNaN(last)) {
      bars.push({ start, end, ...barOf([last]), volume: 0, split: 1, total: 1 });
    }
    wasSilent = prices.length === 0 && !Number.isNaN(last);
    last = prices.at(-1) ?? last;
    before = end;
  }
  return bars;
}

function barOf(prices: readonly number[]): Pick<Bar, 'open' | 'high' | 'low' | 'close'> {
  const [open = 0, close = 0] = [prices[0], prices.at(-1)];
  return { open, high: Math.max(...prices), low: Math.min(...prices), close };
}

/** What a fetch of the needed spans returns. */
export function fetched(needed: BarsNeeded, path: readonly Bar[], daily: readonly Bar[], now: Millis): Evidence {
  const within = (bars: readonly Bar[], { from, to }: { readonly from: Millis; readonly to: Millis }) =>
    bars.filter(({ start, end }) => start >= from && end <= Math.min(to, now));
  return {
    path: series(within(path, needed.path), needed.path.size),
    daily: series(within(daily, needed.daily)),
    listing: { delisted_at: null },
  };
}
