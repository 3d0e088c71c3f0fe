import { sealEvidence } from '../../../application/grading/sealed-evidence.ts';
import type { Graded } from '../../../domain/decisions/evaluation-store.ts';
import { storedBar } from '../../../domain/grading/bars/stored-bar.ts';
import type { Outcome } from '../../../domain/grading/outcome.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import { DAY, type Millis, nextUtcDay } from '../../../domain/time.ts';

const SESSIONS = 20;

/** What an evaluation over twenty daily bars leaves behind; every record has prices of its own. */
export function gradedOf(record_id: string, price: number, at: Date): Graded {
  const start = nextUtcDay(at.getTime()) - (SESSIONS + 1) * DAY;
  const path = { source: 'binance', size: '1d', dropped: 0, bars: barsFrom(start, price) } as const;
  const daily = { ...path, bars: barsFrom(start - SESSIONS * DAY, price) };
  const end_time = start + SESSIONS * DAY;
  const seen = { path, daily, listing: { delisted_at: null }, end_time, now: at.getTime() };
  return {
    kind: 'evaluated',
    outcome: outcomeOf(path.bars),
    grid: 'fine',
    evidence: sealEvidence(record_id, 'eval/3', seen),
  };
}

function barsFrom(start: Millis, price: number): readonly Bar[] {
  return Array.from({ length: SESSIONS }, (_, day) => {
    const open = price + day / 4;
    const prices = { open, high: open + 1.37, low: open - 0.94, close: open + 0.25, volume: 18_422.381 + day };
    return { start: start + day * DAY, end: start + (day + 1) * DAY, ...prices, split: 1, total: 1 };
  });
}

function outcomeOf(path: readonly Bar[]): Outcome {
  const bars = path.map(storedBar);
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) throw new Error('There are no bars');
  return {
    result_bucket: 'weak_correct',
    created_regime: { label: 'up_mid', vol: 0.52, trend: 0.74 },
    facts: {
      method: 'eval/3',
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
      omega: null,
      grid_z: 0.0021,
      bars_traded: 20,
      bars_expected: 20,
      seconds_to_entry: 0,
      seconds_after_exit: 0,
      carried_open: false,
      suspected_split: false,
      suspected_price: false,
      prices_left_out: { path: 0, history: 0 },
      night_leap: null,
      history_from: '2026-01-01',
      market: null,
    },
    owner_facts: {
      levels: null,
      reference_price: {
        price: 101.25,
        bar: { start: first.start, end: first.end, low: first.low, high: first.high },
        within_bar: true,
      },
      knowledge_overlap: false,
      left_out: [],
    },
    bars,
  };
}
