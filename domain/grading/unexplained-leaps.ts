import { type Bar, type BarSize, hasVolume, tradedBars } from '../market/bars.ts';
import type { Calendar } from '../market/calendar.ts';
import type { KnownActions } from '../market/market-data.ts';
import { rfc3339, utcDate } from '../time.ts';
import { GRADING } from './method-numbers.ts';
import { believedBars } from './paths/believed-actions.ts';
import { factorOf, judgePrices, type NightLeap, nightLeaps, type Price, pricesOf } from './paths/stray-prices.ts';

/** Leaps of prices that nothing explains, prices that no grading uses, and actions that their prices contradict. */
interface UnexplainedLeaps {
  readonly leaps: readonly UnexplainedLeap[];
  /** Prices that nobody could trade at again (evaluation-3.md section 2). */
  readonly left_out: readonly StrayPrice[];
  /** The first of the last prices, where these are far from those before and may still turn out to be such prices. */
  readonly open_run: StrayPrice | null;
  /**
   * The dates of actions of more than 1.2 that do not fit the prices of their night, nor those of one next to it, or only the
   * leap that the action of another date explains.
   */
  readonly contradicted: readonly string[];
}

export interface StrayPrice {
  /** RFC 3339. */
  readonly time: string;
  readonly at: 'open' | 'close';
  /** As it was traded. */
  readonly price: number;
}

export interface UnexplainedLeap {
  /** RFC 3339: the first price after it. */
  readonly at: string;
  /** As they were traded. */
  readonly from: number;
  readonly to: number;
  /** The new price over the old one, adjusted. */
  readonly ratio: number;
  /** What the operator can send. */
  readonly answer: string;
}

/**
 * What grading finds in a whole series: prices that it leaves out, and leaps that would keep the outcomes of their windows
 * out of every cohort (evaluation-3.md sections 2 to 4), for an import and for the status.
 * @param bars ascending, sound, with the factors of the known actions
 */
export function unexplainedLeaps(
  calendar: Calendar,
  { size, bars }: { readonly size: BarSize; readonly bars: readonly Bar[] },
  known: KnownActions,
): UnexplainedLeaps {
  const believed = believedBars(calendar, {
    size,
    bars,
    traded: tradedBars(bars, hasVolume(bars)),
    actions: known.actions,
  });
  const prices = pricesOf(calendar, size, believed.traded, { traded: undefined, any: undefined });
  const { stray, open } = judgePrices(calendar, prices);
  const staying = prices.filter((price) => !stray.has(price));
  const leaps = nightLeaps(calendar, staying, known).filter(({ isReal }) => !isReal);
  const contradicted = [...believed.contradicted, ...believed.doubled].map((open) => calendar.currentOrNext(open).date);
  return {
    // The leap of an action that its prices contradict is that contradiction.
    leaps: leaps.filter(({ dates }) => !dates.some((date) => contradicted.includes(date))).map(answered(calendar)),
    left_out: [...stray].map(strayPrice),
    open_run: open?.slice(0, 1).map(strayPrice)[0] ?? null,
    contradicted,
  };
}

function strayPrice({ ts, at, price }: Price): StrayPrice {
  return { time: rfc3339(ts), at, price };
}

function answered({ continuous }: Calendar): (leap: NightLeap) => UnexplainedLeap {
  return ({ before, after, ratio, dates }) => {
    const date = dates.at(-1) ?? utcDate(after.ts);
    const shares = Number((1 / ratio).toPrecision(4));
    const split = continuous ? '' : `${date},split,${shares} if it was a split, `;
    const list =
      continuous || factorOf(ratio, 1) > GRADING.nightLeap.listed
        ? ''
        : `; --actions-until ${date} or later says that the file has every action up to then`;
    const answer = `In --actions send ${split}${date},none if the price really moved so${list}.`;
    return { at: rfc3339(after.ts), from: before.price, to: after.price, ratio, answer };
  };
}
