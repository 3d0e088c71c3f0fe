import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Direction } from '../../../domain/decisions/submission.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import { evaluate } from '../../../domain/market/evaluate.ts';
import type { Evaluation, EvaluationCall, Evidence } from '../../../domain/market/evaluation.ts';
import type { Outcome, OutcomeFacts } from '../../../domain/market/outcome.ts';
import { DAY, HOUR, MINUTE, rfc3339 } from '../../../domain/time.ts';
import {
  amchartsBars,
  at,
  BTC,
  compounded,
  cryptoDays,
  MSFT,
  PUFA,
  pufaBars,
  SPX,
  series,
  spxBars,
} from './real-bars.ts';

const noon = at('2024-03-09T12:00Z');
/** A month of crypto days that move by one percent each. */
const history = cryptoDays(at('2024-03-09'), compounded(Array.from({ length: 30 }, (_, i) => (i % 2 ? 0.01 : -0.01))));

function reason(evaluation: Evaluation): string {
  return evaluation.kind === 'evaluated' ? 'evaluated' : `${evaluation.kind}: ${evaluation.reason}`;
}

function outcomeOf(evaluation: Evaluation): Outcome {
  if (evaluation.kind !== 'evaluated') throw new Error(`${evaluation.reason}: ${evaluation.detail}`);
  return evaluation.outcome;
}

/** Minutes of crypto from noon on with the given closes, each opening where the one before closed. */
function minutesOf(closes: readonly number[], from = noon): Bar[] {
  return closes.map((close, i) => {
    const open = closes[i - 1] ?? close;
    const start = from + i * MINUTE;
    const [high, low] = [Math.max(open, close) + 1, Math.min(open, close) - 1];
    return { start, end: start + MINUTE, open, high, low, close, volume: 1, split: 1, total: 1 };
  });
}

/** Ten minutes of crypto from noon, evaluated at one o'clock. */
function tenMinutes(path: readonly Bar[], { call = {}, evidence = {}, now = noon + HOUR }: Changes = {}): Evaluation {
  const asked: EvaluationCall = {
    instrument: BTC,
    direction: 'bullish',
    horizon_kind: 'holding_seconds',
    horizon_value: 600,
    data_cutoff: noon,
    anchor_time: noon,
    end_time: noon + 10 * MINUTE,
    ...call,
  };
  const all = { path: series(path, '1m'), daily: series(history), listing: { delisted_at: null }, ...evidence };
  return evaluate(asked, all, now);
}

interface Changes {
  readonly call?: Partial<EvaluationCall>;
  readonly evidence?: Partial<Evidence>;
  readonly now?: number;
}

/** So many sessions of the S&P 500 from the open of a date. */
function sessionsOfSpx(n: number, from: string, path: readonly Bar[], changes: Changes = {}): Evaluation {
  const bars = spxBars();
  const first = bars.findIndex(({ start }) => start >= at(from));
  const [open = 0, close = 0] = [bars[first]?.start, bars[first + n - 1]?.end];
  const call: EvaluationCall = {
    instrument: SPX,
    direction: 'bullish',
    horizon_kind: 'trading_days',
    horizon_value: n,
    data_cutoff: open,
    anchor_time: open,
    end_time: close,
    ...changes.call,
  };
  const evidence = { path: series(path), daily: series(bars), listing: { delisted_at: null }, ...changes.evidence };
  return evaluate(call, evidence, changes.now ?? at('2026-01-01'));
}

const rising = minutesOf(Array.from({ length: 30 }, (_, i) => 100 + i));

describe('an evaluation waits', () => {
  test('for the end of the window', () => {
    expect(reason(tenMinutes(rising, { now: noon + 10 * MINUTE - 1 }))).toBe('deferred: window_open');
  });

  test('for a source that is behind, at most three days', () => {
    const behind = cryptoDays(at('2024-03-12'), [100, 101]);
    const call = {
      horizon_kind: 'trading_days',
      horizon_value: 6,
      anchor_time: at('2024-03-10'),
      end_time: at('2024-03-16'),
    } as const;
    const evidence = { path: series(behind) };
    expect(reason(tenMinutes([], { call, evidence, now: at('2024-03-18T23:59Z') }))).toBe('deferred: source_behind');
    const later = outcomeOf(tenMinutes([], { call, evidence, now: at('2024-03-19') }));
    expect([later.facts.halted, later.facts.exit.time]).toEqual([true, '2024-03-12T00:00:00.000Z']);
  });

  test('not for minutes without trades that a later bar proves', () => {
    const quiet = rising.filter(({ start }) => start < noon + 2 * MINUTE || start >= noon + 26 * MINUTE);
    const call = { end_time: noon + 25 * MINUTE };
    expect(reason(tenMinutes(quiet, { call }))).toBe('evaluated');
    expect(reason(tenMinutes(quiet.slice(0, 2), { call }))).toBe('deferred: source_behind');
  });

  test('for a whole day that is missing at the end, however short the part of it that counts', () => {
    const bars = spxBars().filter(({ start }) => start > at('2015-06-01') && start < at('2015-06-05'));
    const call = { end_time: at('2015-06-05T13:31Z') };
    const now = at('2015-06-05T20:30Z');
    expect(reason(sessionsOfSpx(5, '2015-06-01', bars, { call, now }))).toBe('deferred: source_behind');
    const open = spxBars().filter(({ start }) => start > at('2015-06-01') && start < at('2015-06-06'));
    const { exit } = outcomeOf(sessionsOfSpx(5, '2015-06-01', open, { call, now })).facts;
    expect([exit.time, exit.price]).toEqual(['2015-06-05T13:30:00.000Z', open.at(-1)?.open]);
  });

  test('for an entry within a quarter of an hour', () => {
    const call = { end_time: noon + 28 * MINUTE };
    expect(reason(tenMinutes(rising.slice(15), { call }))).toBe('evaluated');
    expect(reason(tenMinutes(rising.slice(16), { call }))).toBe('deferred: no_entry');
    expect(reason(tenMinutes([]))).toBe('deferred: no_entry');
  });

  test('for an entry within one bar, where bars are longer than that', () => {
    const days = cryptoDays(at('2024-03-14'), [100, 101, 102, 103, 104]);
    const call = { horizon_kind: 'trading_days', horizon_value: 2, end_time: at('2024-03-12') } as const;
    const entering = (path: readonly Bar[]) =>
      tenMinutes([], { call, evidence: { path: series(path) }, now: at('2024-03-14') });
    expect(outcomeOf(entering(days)).facts.entry.time).toBe('2024-03-10T00:00:00.000Z');
    expect(reason(entering(days.slice(2)))).toBe('deferred: no_entry');
  });

  test('for trading time between entry and exit', () => {
    const [friday, monday] = [at('2015-06-05T20:00Z'), at('2015-06-08T13:30Z')];
    const flat = { open: 100, high: 100, low: 100, close: 100, volume: 1, split: 1, total: 1 };
    const path = [
      { ...flat, start: friday - HOUR, end: friday },
      { ...flat, start: monday, end: monday + 2 * HOUR },
    ];
    const call = { anchor_time: friday - 1, end_time: monday + 1.5 * HOUR };
    const evidence = { path: series(path, '1h') };
    expect(reason(sessionsOfSpx(1, '2015-06-05', [], { call, evidence }))).toBe('deferred: no_path');
  });

  test('for a price after the entry', () => {
    expect(reason(tenMinutes(rising.filter(({ start }) => start >= noon + 10 * MINUTE)))).toBe('deferred: no_path');
  });

  test('when rows that cannot have been traded leave too little', () => {
    const path = rising.filter((_, i) => i % 5 < 3);
    expect(reason(tenMinutes(path, { evidence: { path: series(path, '1m', 2) } }))).toBe('evaluated');
    expect(reason(tenMinutes(path, { evidence: { path: series(path, '1m', 3) } }))).toBe('deferred: coverage');
  });
});

describe('an evaluation gives up', () => {
  test('where the bars do not resolve the window', () => {
    const evidence = { path: series(history) };
    expect(reason(tenMinutes([], { evidence }))).toBe('data_unavailable: below_resolution');
  });

  test('with fewer than ten daily returns', () => {
    expect(reason(tenMinutes(rising, { evidence: { daily: series(history.slice(-11)) } }))).toBe('evaluated');
    expect(reason(tenMinutes(rising, { evidence: { daily: series(history.slice(-10)) } }))).toBe(
      'data_unavailable: insufficient_history',
    );
  });

  test('when the instrument was delisted before it traded', () => {
    const evidence = { listing: { delisted_at: noon - DAY } };
    expect(reason(tenMinutes([], { evidence }))).toBe('data_unavailable: no_print');
  });
});

describe('bars', () => {
  test('that are not final yet are not used', () => {
    const now = noon + 10 * MINUTE;
    expect(outcomeOf(tenMinutes(rising, { now })).bars).toHaveLength(10);
    const unfinished = rising.map((bar) => (bar.end > now - MINUTE ? { ...bar, end: now + 1 } : bar));
    expect(outcomeOf(tenMinutes(unfinished, { now })).facts.exit.time).toBe(rfc3339(now - MINUTE));
  });

  test('missing from a session that has others are minutes without trades', () => {
    const sparse = rising.filter((_, i) => i % 3 === 0);
    const { coverage } = outcomeOf(tenMinutes(sparse)).facts;
    expect(coverage).toEqual({ bars_expected: 10, bars_observed: 4, bars_carried: 6, ratio: 1 });
  });

  test('outside the session are cut off', () => {
    const day = spxBars().filter(({ start }) => start > at('2015-06-01'));
    const wide = day.map((bar) => ({ ...bar, start: bar.start - 5 * HOUR, end: bar.end + 4 * HOUR }));
    const cut = outcomeOf(sessionsOfSpx(3, '2015-06-02', wide)).facts;
    expect(cut).toEqual(outcomeOf(sessionsOfSpx(3, '2015-06-02', day)).facts);
  });
});

describe('a halt', () => {
  const halted = (from: number, count: number) => {
    const bars = spxBars().filter(({ start }) => start > at('2015-06-01'));
    return bars.filter((_, i) => i < from || i >= from + count);
  };

  test('is carried for five sessions and flagged', () => {
    const { facts } = outcomeOf(sessionsOfSpx(20, '2015-06-01', halted(5, 5)));
    expect([facts.halted, facts.coverage]).toEqual([
      true,
      { bars_expected: 20, bars_observed: 15, bars_carried: 5, ratio: 1 },
    ]);
  });

  test('counts as missing from its sixth session on', () => {
    expect(outcomeOf(sessionsOfSpx(20, '2015-06-01', halted(5, 9))).facts.coverage.ratio).toBe(0.8);
    expect(reason(sessionsOfSpx(20, '2015-06-01', halted(5, 10)))).toBe('deferred: coverage');
  });

  test('over the end leaves the last price, but not for more than five sessions', () => {
    const { facts } = outcomeOf(sessionsOfSpx(20, '2015-06-01', halted(15, 5)));
    expect([facts.halted, facts.exit.time.slice(0, 10), facts.tau]).toEqual([true, '2015-06-19', 15]);
    expect(reason(sessionsOfSpx(40, '2015-06-01', halted(34, 6)))).toBe('deferred: halted');
  });

  test('of no session is none', () => {
    expect(outcomeOf(sessionsOfSpx(20, '2015-06-01', halted(40, 5))).facts.halted).toBe(false);
  });
});

test('a delisting exits at the last print', () => {
  const bars = spxBars().filter(({ start }) => start > at('2015-06-01') && start < at('2015-06-10'));
  const delisted_at = bars.at(-1)?.end ?? 0;
  const { facts } = outcomeOf(sessionsOfSpx(40, '2015-06-01', bars, { evidence: { listing: { delisted_at } } }));
  expect(facts).toMatchObject({ delisted_exit: true, halted: false, tau: bars.length, coverage: { ratio: 1 } });
  expect(facts.exit).toMatchObject({ time: rfc3339(delisted_at), price: bars.at(-1)?.close });
});

describe('a stock without a session to enter', () => {
  test('may enter by the end of the first bar of the next one, not later', () => {
    const bars = spxBars().filter(({ start }) => start > at('2015-06-01'));
    const lateBy = (sessions: number) => reason(sessionsOfSpx(10, '2015-06-01', bars.slice(sessions)));
    expect([lateBy(0), lateBy(1)]).toEqual(['evaluated', 'deferred: no_entry']);
  });

  test('may miss the first minute, not the second', () => {
    const minutes = pufaBars('1m').filter(({ start }) => start >= at('2024-06-17'));
    const [anchor_time, end_time] = [at('2024-06-17T01:00Z'), at('2024-06-17T03:00Z')];
    const call = { instrument: PUFA, data_cutoff: anchor_time, anchor_time, end_time };
    const without = (count: number) => {
      const evidence = { path: series(minutes.slice(count), '1m'), daily: series(pufaBars('1d')) };
      return reason(tenMinutes([], { call, evidence, now: at('2024-06-18') }));
    };
    expect([without(1), without(2)]).toEqual(['evaluated', 'deferred: no_entry']);
  });
});

describe('excursions', () => {
  const path = minutesOf([100, 105, 95, 102, 101, 101, 101, 101, 101, 101]);
  const facts = (direction: Direction): OutcomeFacts => outcomeOf(tenMinutes(path, { call: { direction } })).facts;

  test('of a bullish call', () => {
    const { mfe, mae, directional_return, fraction_in_favour } = facts('bullish');
    expect(mfe).toEqual({ time: rfc3339(noon + 2 * MINUTE), value: 106 / 100 - 1 });
    expect(mae).toEqual({ time: rfc3339(noon + 3 * MINUTE), value: 94 / 100 - 1 });
    expect([directional_return, fraction_in_favour]).toEqual([101 / 100 - 1, 0.8]);
  });

  test('of a bearish call are the other way round', () => {
    const [bull, bear] = [facts('bullish'), facts('bearish')];
    expect(bear.mfe).toEqual({ ...bull.mae, value: -bull.mae.value });
    expect(bear.mae).toEqual({ ...bull.mfe, value: -(bull.mfe?.value ?? 0) });
    expect([bear.raw_return, bear.directional_return, bear.z]).toEqual([bull.raw_return, -bull.raw_return, -bull.z]);
    expect(bear.fraction_in_favour).toBe(0.1);
  });

  test('of a neutral call: the largest move either way', () => {
    const { mfe, mae, directional_return, z } = facts('neutral');
    expect([mfe, mae.value, mae.time, directional_return]).toEqual([
      null,
      0 - (106 / 100 - 1),
      rfc3339(noon + 2 * MINUTE),
      null,
    ]);
    expect(z).toBe(Math.abs(facts('bullish').z));
  });

  test('of a call that only fell are nothing, at its entry', () => {
    const falling = minutesOf([100, 99, 95, 94, 93, 92, 91, 90, 89, 88, 87]).filter((_, i) => i !== 1);
    const call = { anchor_time: noon + 1, data_cutoff: noon + 1 };
    const { mfe } = outcomeOf(
      tenMinutes(
        falling.map((bar) => ({ ...bar, high: Math.max(bar.open, bar.close) })),
        { call },
      ),
    ).facts;
    expect(mfe).toEqual({ time: rfc3339(noon + MINUTE), value: 0 });
  });

  test('reach to the exit where its bar ends after the window', () => {
    const gapped = [...path.slice(0, 9), ...minutesOf([120, 90], noon + 9.5 * MINUTE)];
    const { mfe, exit, realised_volatility } = outcomeOf(tenMinutes(gapped)).facts;
    expect(exit.price).toBe(120);
    expect(realised_volatility).toBeGreaterThan(Math.log(120 / 101));
    expect(mfe).toEqual({ time: exit.time, value: 120 / 100 - 1 });
  });

  test('a neutral call is favoured within the band that counts as correct', () => {
    // sigma_d is 0.01 and the window 10 of 1,440 minutes: the band reaches 0.056 % either way.
    const near = minutesOf([100, 100.05, 100.06, 99.95, 99.94, 100, 100, 100, 100, 100]);
    expect(outcomeOf(tenMinutes(near, { call: { direction: 'neutral' } })).facts.fraction_in_favour).toBe(0.8);
  });

  test('volatility is that of the steps that were made', () => {
    const steps = [105 / 100, 95 / 105, 102 / 95, 101 / 102].map((ratio) => Math.log(ratio) ** 2);
    expect(facts('bullish').realised_volatility).toBeCloseTo(Math.sqrt(steps.reduce((sum, step) => sum + step)), 12);
  });
});

describe('owner-only facts', () => {
  const msftCall = {
    instrument: MSFT,
    data_cutoff: at('2003-02-12T15:00Z'),
    anchor_time: at('2003-02-13T14:00Z'),
    end_time: at('2003-02-20T21:00Z'),
    horizon_kind: 'trading_days',
    horizon_value: 5,
  } as const;
  const bars = amchartsBars('MSFT');
  const evidence = { path: series(bars), daily: series(bars) };
  const owner = (call: Partial<EvaluationCall>) => {
    return outcomeOf(tenMinutes([], { call: { ...msftCall, ...call }, evidence, now: at('2003-03-01') })).owner_facts;
  };

  test('levels are in the units of the anchor, before a split', () => {
    const price_targets = { targets: [{ price: 49.5 }], stop_loss: { price: 30, kind: 'hard' as const } };
    const { levels } = owner({ price_targets });
    expect(levels?.first_touch).toMatchObject({ kind: 'target', fill_price: 49.5, time: '2003-02-18T21:00:00.000Z' });
    expect(levels?.time_to_stop).toBeNull();
  });

  test('an entry after the split is brought into those units too', () => {
    const eve = at('2003-02-15T12:00Z');
    const price_targets = { targets: [{ price: 49.8 }], stop_loss: { price: 46, kind: 'hard' as const } };
    const { levels } = owner({ price_targets, anchor_time: eve, data_cutoff: eve });
    expect([levels?.invalid_at_entry, levels?.time_to_target]).toEqual([[], 6.5 * 3_600]);
  });

  test('the reference price is held against the bar of the cutoff', () => {
    const { low, high } = bars.find(({ start }) => start > at('2003-02-12')) ?? { low: 0, high: 0 };
    expect(owner({ reference_price: high })?.reference_price).toEqual({
      price: high,
      bar: { start: '2003-02-12T14:30:00.000Z', end: '2003-02-12T21:00:00.000Z', low, high },
      within_bar: true,
    });
    const opening = owner({ reference_price: high, data_cutoff: at('2003-02-12T14:30Z') }).reference_price;
    expect(opening?.bar.start).toBe('2003-02-12T14:30:00.000Z');
    expect(owner({ reference_price: high + 0.01 })?.reference_price?.within_bar).toBe(false);
  });

  test('knowledge overlaps when the model knows later things than the data', () => {
    const overlaps = [at('2003-02-12T15:00Z') + 1, at('2003-02-12T15:00Z'), undefined].map((knowledge_cutoff) => {
      return owner({ knowledge_cutoff }).knowledge_overlap;
    });
    expect(overlaps).toEqual([true, false, null]);
  });

  test('are null where the call gives no cause', () => {
    expect(owner({})).toEqual({ levels: null, reference_price: null, knowledge_overlap: null });
  });

  test('none of them is among the public facts', () => {
    const call = {
      ...msftCall,
      price_targets: { targets: [{ price: 49.5 }] },
      reference_price: 48,
      knowledge_cutoff: 0,
    };
    const { facts } = outcomeOf(tenMinutes([], { call, evidence, now: at('2003-03-01') }));
    expect(JSON.stringify(facts)).not.toMatch(/touch|target|stop|level|reference|knowledge|"bars":/);
  });
});

describe('any path', () => {
  const step = fc.double({ min: -0.05, max: 0.05, noNaN: true });
  const direction = fc.constantFrom<Direction>('bullish', 'bearish', 'neutral');

  test('has excursions around its return, and weighs what it spans', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 12, maxLength: 20 }), direction, (steps, direction) => {
        const { facts, bars } = outcomeOf(tenMinutes(minutesOf(compounded(steps)), { call: { direction } }));
        const made = facts.directional_return ?? 0 - Math.abs(facts.raw_return);
        if (facts.mfe) expect(facts.mfe.value).toBeGreaterThanOrEqual(Math.max(0, made));
        expect(facts.mae.value).toBeLessThanOrEqual(Math.min(0, made));
        expect([facts.tau, bars.length]).toEqual([10 / 1_440, 10]);
      }),
    );
  });

  test('gives the same outcome in other units of adjustment', () => {
    const bars = amchartsBars('MSFT');
    const rescaled = bars.map((bar) => ({ ...bar, split: bar.split * 4, total: bar.total * 4 }));
    const call = { instrument: MSFT } as const;
    const from = (path: Bar[]) => {
      const evidence = { daily: series(path) };
      return outcomeOf(sessionsOfSpx(5, '2003-02-13', path, { call, evidence })).facts;
    };
    expect(from(rescaled)).toEqual(from(bars));
  });

  test('evaluates again to the same outcome', () => {
    const call = {
      instrument: PUFA,
      data_cutoff: at('2024-06-17T04:00Z'),
      anchor_time: at('2024-06-17T04:00Z'),
      end_time: at('2024-06-17T06:00Z'),
    };
    const evidence = { path: series(pufaBars('1m'), '1m'), daily: series(pufaBars('1d')) };
    const evaluated = () => tenMinutes([], { call, evidence, now: at('2024-06-18') });
    expect(evaluated()).toEqual(evaluated());
    expect(reason(evaluated())).toBe('evaluated');
  });
});
