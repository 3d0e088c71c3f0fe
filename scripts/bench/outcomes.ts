import type { Outcome, StoredBar } from '../../domain/market/outcome.ts';
import { DAY } from '../../domain/time.ts';

/** What an evaluation of twenty daily bars leaves behind, about 4 KB of it. */
export function outcomeOf(start: Date): Outcome {
  const bars = Array.from({ length: 20 }, (_, day) => barOf(start.getTime() + day * DAY, day));
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) throw new Error('There are no bars');
  return {
    result_bucket: 'weak_correct',
    created_regime: { label: 'up_mid', vol: 0.52, trend: 0.74 },
    facts: {
      method: 'eval/1',
      source: 'binance',
      bar_size: '1d',
      entry: { time: first.start, price: first.open, adjusted_price: first.open },
      exit: { time: last.end, price: last.close, adjusted_price: last.close },
      raw_return: 0.0431,
      directional_return: 0.0431,
      sigma_d: 0.0257,
      tau: 20,
      z: 0.3673,
      mfe: { time: last.end, value: 0.0581 },
      mae: { time: first.end, value: -0.0102 },
      fraction_in_favour: 0.85,
      realised_volatility: 0.1123,
      coverage: { bars_expected: 20, bars_observed: 20, bars_carried: 0, ratio: 1 },
      halted: false,
      delisted_exit: false,
    },
    owner_facts: {
      levels: null,
      reference_price: {
        price: 101.25,
        bar: { start: first.start, end: first.end, low: first.low, high: first.high },
        within_bar: true,
      },
      knowledge_overlap: false,
    },
    bars,
  };
}

function barOf(start: number, day: number): StoredBar {
  const open = 100 + day / 4;
  return {
    start: new Date(start).toISOString(),
    end: new Date(start + DAY).toISOString(),
    open,
    high: open + 1.37,
    low: open - 0.94,
    close: open + 0.25,
    volume: 18_422.381 + day,
    split: 1,
    total: 1,
  };
}
