import { sealEvidence } from '../../application/grading/sealed-evidence.ts';
import type { Graded } from '../../domain/decisions/evaluation-store.ts';
import type { SeenEvidence } from '../../domain/grading/evidence.ts';
import { gridOf } from '../../domain/grading/grid.ts';
import type { Eval3Facts } from '../../domain/grading/method-facts.ts';
import type { Outcome } from '../../domain/grading/outcome.ts';
import type { Bar } from '../../domain/market/bars.ts';

const FACTS: Eval3Facts = {
  method: 'eval/3',
  source: 'test',
  bar_size: '1m',
  entry: { time: '2026-03-02T12:00:00.000Z', price: 100, adjusted_price: 100 },
  exit: { time: '2026-03-02T13:00:00.000Z', price: 101, adjusted_price: 101 },
  raw_return: 0.01,
  directional_return: 0.01,
  sigma_d: 0.01,
  tau: 1,
  z: 0.995033,
  mfe: { time: '2026-03-02T12:30:00.000Z', value: 0.02 },
  mae: { time: '2026-03-02T12:10:00.000Z', value: -0.005 },
  fraction_in_favour: 0.75,
  realised_volatility: 0.02,
  coverage: { bars_expected: 60, bars_observed: 59, bars_carried: 1, ratio: 1 },
  halted: false,
  delisted_exit: false,
  omega: null,
  grid_z: 0.01,
  bars_traded: 1,
  bars_expected: 60,
  seconds_to_entry: 0,
  seconds_after_exit: 0,
  carried_open: false,
  suspected_split: false,
  suspected_price: false,
  prices_left_out: { path: 0, history: 0 },
  night_leap: null,
  history_from: '2026-02-01',
  market: null,
};

/** An outcome; strong_correct unless `changes` says otherwise. */
export function anOutcome(changes: Partial<Outcome> = {}): Outcome {
  const [start, end] = ['2026-03-02T12:00:00.000Z', '2026-03-02T12:01:00.000Z'];
  const prices = { open: 100, high: 101, low: 99.5, close: 100.5, volume: null, split: 1, total: 1 };
  return {
    result_bucket: 'strong_correct',
    created_regime: { label: 'up_low', vol: 0.25, trend: 0.875 },
    facts: FACTS,
    owner_facts: { levels: null, reference_price: null, knowledge_overlap: null, left_out: [] },
    bars: [{ start, end, ...prices }],
    ...changes,
  };
}

/** An outcome with a leap or a price that nothing explains. */
export function aSuspectedOutcome(flags: Partial<Eval3Facts> = { suspected_split: true }): Outcome {
  return anOutcome({ facts: { ...FACTS, ...flags } });
}

/** An outcome of that record with the evidence from which its path is read. */
export function aGraded(record_id: string, outcome: Outcome = anOutcome(), seen: Partial<SeenEvidence> = {}): Graded {
  const path = outcome.bars.map(({ start, end, ...bar }) => ({
    ...bar,
    start: Date.parse(start),
    end: Date.parse(end),
  }));
  const evidence = {
    path: { source: 'test', size: '1m', dropped: 0, bars: path },
    daily: { source: 'test', size: '1d', dropped: 0, bars: DAYS },
    listing: { delisted_at: null },
    end_time: Date.parse('2026-03-02T13:00:00Z'),
    now: Date.parse('2026-03-02T13:03:00Z'),
    ...seen,
  } as const;
  return {
    kind: 'evaluated',
    outcome,
    grid: gridOf(outcome.facts),
    evidence: sealEvidence(record_id, outcome.facts.method, evidence),
  };
}

const DAYS: readonly Bar[] = Array.from({ length: 20 }, (_, day) => {
  const start = Date.UTC(2026, 1, 1 + day);
  const close = 100 + day / 8;
  return { start, end: start + 86_400_000, open: 100, high: 110, low: 90, close, volume: 1.5, split: 1, total: 1 };
});
