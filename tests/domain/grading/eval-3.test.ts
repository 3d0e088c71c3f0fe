import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { EVAL_2 } from '../../../domain/grading/eval-2.ts';
import { EVAL_3 } from '../../../domain/grading/eval-3.ts';
import type { Evaluation, EvaluationCall, Evidence } from '../../../domain/grading/evaluation.ts';
import type { FactsOf } from '../../../domain/grading/method-facts.ts';
import type { Bar, BarSize } from '../../../domain/market/bars.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { type KnownActions, NO_ACTIONS_KNOWN } from '../../../domain/market/market-data.ts';
import { DAY, HOUR, MINUTE, utcDate } from '../../../domain/time.ts';
import { amchartsBars, at, BTC, cryptoDays, MSFT, PUFA, pufaBars, series } from '../market/real-bars.ts';
import { outcomeOf, reason } from './evaluations.ts';
import { chanceFrom } from './look-ahead/chance.ts';

const later = at('2026-01-02T12:00Z');
const msft = amchartsBars('MSFT');
const [minutes, days] = [pufaBars('1m'), pufaBars('1d')];

type Outcome3 = Evaluation<FactsOf['eval/3']>;

interface Prices {
  readonly path: readonly Bar[];
  readonly daily: readonly Bar[];
}

interface Window {
  readonly instrument: Instrument;
  readonly size: BarSize;
  readonly anchor: number;
  readonly end: number;
  readonly now?: number;
  readonly known?: KnownActions;
  readonly changes?: Partial<EvaluationCall>;
  readonly delisted_at?: number | null;
}

function evaluated({ path, daily }: Prices, window: Window): Outcome3 {
  const { instrument, size, anchor, end, now = later, known = NO_ACTIONS_KNOWN, delisted_at = null } = window;
  const call: EvaluationCall = {
    ...{ instrument, direction: 'bullish', horizon_kind: 'trading_days', horizon_value: 1 },
    ...{ data_cutoff: anchor, anchor_time: anchor, end_time: end },
    ...window.changes,
  };
  const needed = EVAL_3.barsNeeded(call, [size]);
  if (needed.kind !== 'bars') throw new Error(needed.detail);
  const within = (bars: readonly Bar[], span: { from: number; to: number }) =>
    bars.filter((bar) => bar.start >= span.from && bar.end <= Math.min(span.to, now));
  let evidence: Evidence = {
    path: series(within(path, needed.path), size),
    daily: series(within(daily, needed.daily)),
    ...{ listing: { delisted_at }, known },
  };
  for (;;) {
    const result = EVAL_3.evaluate(call, evidence, now);
    if (result.kind !== 'deferred' || !result.needs) return result;
    const more = series(result.needs.size === size ? within(path, result.needs) : [], result.needs.size);
    evidence =
      result.needs.place === 'later'
        ? { ...evidence, later: more }
        : { ...evidence, earlier: [...(evidence.earlier ?? []), more] };
  }
}

/** The window of so many sessions from the open of a day of MSFT. */
function sessions(bars: readonly Bar[], first: number, n: number): Window {
  return { instrument: MSFT, size: '1d', anchor: bars[first]?.start ?? 0, end: bars[first + n - 1]?.end ?? 0 };
}

/** One price of a bar times a factor, and the bar made sound again. */
function wrong(bars: readonly Bar[], index: number, at: 'open' | 'close', factor: number): Bar[] {
  return bars.map((bar, i) => {
    if (i !== index) return bar;
    const moved = { ...bar, [at]: bar[at] * factor };
    return { ...moved, high: Math.max(moved.high, moved[at]), low: Math.min(moved.low, moved[at]) };
  });
}

/** Everything but the price itself that was left out, and the excursions: a bar that it leaves has lost one extreme. */
function withoutLeftOut(result: Outcome3) {
  if (result.kind !== 'evaluated') return reason(result);
  const { result_bucket, created_regime, facts, owner_facts } = result.outcome;
  const { mfe: _, mae: __, ...rest } = facts;
  return { result_bucket, created_regime, facts: rest, levels: owner_facts.levels };
}

const FACTORS = [100, 1_000, 0.01, 0.001];

describe('a single price of a hundred or a thousand times, or the inverse, in a sound bar', () => {
  const random = chanceFrom(3).uniform;
  const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const at = () => oneOf(['open', 'close'] as const);

  test('of the days before the anchor: the outcome is that without this day, 500 cases', () => {
    for (let i = 0; i < 500; i += 1) {
      const [first, n, place] = [200 + Math.floor(random() * 3_000), oneOf([1, 5, 20]), at()];
      const index = first - 2 - Math.floor(random() * 25);
      const daily = msft.slice(first - 120, first + n + 4);
      const path = daily;
      const spiked = wrong(daily, index - first + 120, place, oneOf(FACTORS));
      const result = evaluated({ path, daily: spiked }, sessions(msft, first, n));
      const removed = evaluated(
        { path, daily: daily.filter((_, day) => day !== index - first + 120) },
        sessions(msft, first, n),
      );
      const { facts, created_regime } = outcomeOf(result);
      const clean = outcomeOf(removed);
      expect(facts).toEqual({ ...clean.facts, prices_left_out: { path: 0, history: 1 } });
      if (place === 'close') expect(created_regime).toEqual(clean.created_regime);
    }
  });

  test('within the window by day: nothing depends on it, and the others stay what they are, 500 cases', () => {
    for (let i = 0; i < 500; i += 1) {
      const [first, n, place] = [200 + Math.floor(random() * 3_000), oneOf([3, 5, 20]), at()];
      const day = Math.floor(random() * n);
      const bars = msft.slice(first - 120, first + n + 4);
      const window = sessions(msft, first, n);
      const results = FACTORS.map((factor) => {
        const spiked = wrong(bars, day + 120, place, factor);
        return evaluated({ path: spiked, daily: spiked }, window);
      });
      const [one, ...others] = results.map(withoutLeftOut);
      expect(others).toEqual([one, one, one]);
      const [hundred, thousand, hundredth, thousandth] = results.map((result) => outcomeOf(result).facts);
      expect([hundred, hundredth]).toEqual([thousand, thousandth]);
      const { facts } = outcomeOf(results[0] as Outcome3);
      const clean = outcomeOf(evaluated({ path: bars, daily: bars }, window)).facts;
      expect(facts.prices_left_out).toEqual({ path: 1, history: 0 });
      const [entryBar, exitBar] = [bars[120], bars[120 + n - 1]];
      const isEntry = day === 0 && place === 'open';
      const isExit = day === n - 1 && place === 'close';
      if (isEntry) expect(facts.entry.price).toBe(entryBar?.close);
      if (isExit) expect(facts.exit.price).toBe(exitBar?.open);
      if (!isEntry && !isExit) expect([facts.entry, facts.exit, facts.z]).toEqual([clean.entry, clean.exit, clean.z]);
    }
  });

  test('by minute, before, in and after the window: 200 cases', () => {
    for (let i = 0; i < 200; i += 1) {
      const first = 400 + Math.floor(random() * 4_000);
      const anchor = minutes[first]?.start ?? 0;
      const window: Window = {
        ...{ instrument: PUFA, size: '1m', anchor, end: anchor + 4 * HOUR },
        changes: { horizon_kind: 'holding_seconds', horizon_value: 14_400 },
      };
      const clean = evaluated({ path: minutes, daily: days }, window);
      if (clean.kind !== 'evaluated') continue;
      const [place, index] = [at(), first - 3 + Math.floor(random() * 60)];
      const spiked = (factor: number) => evaluated({ path: wrong(minutes, index, place, factor), daily: days }, window);
      const [one, ...others] = FACTORS.map((factor) => withoutLeftOut(spiked(factor)));
      expect(others).toEqual([one, one, one]);
      const { facts } = outcomeOf(spiked(100));
      if (index !== first)
        expect([facts.entry, facts.exit, facts.z]).toEqual([
          clean.outcome.facts.entry,
          clean.outcome.facts.exit,
          clean.outcome.facts.z,
        ]);
    }
  });

  test('in one high or low: the bucket and the return are those of the clean series, 300 cases', () => {
    for (let i = 0; i < 300; i += 1) {
      const [first, n] = [200 + Math.floor(random() * 3_000), oneOf([1, 5, 20])];
      const place = oneOf(['high', 'low'] as const);
      const index = 120 - 20 + Math.floor(random() * (20 + n));
      const bars = msft.slice(first - 120, first + n + 4);
      const factor = place === 'high' ? oneOf([100, 1_000]) : oneOf([0.01, 0.001]);
      const spiked = bars.map((bar, day) => (day === index ? { ...bar, [place]: bar[place] * factor } : bar));
      const window = sessions(msft, first, n);
      const [found, clean] = [spiked, bars].map((each) => outcomeOf(evaluated({ path: each, daily: each }, window)));
      expect([found?.result_bucket, found?.facts.z]).toEqual([clean?.result_bucket, clean?.facts.z]);
      expect(Math.abs(found?.facts.mae.value ?? 1)).toBeLessThan(1);
      expect(found?.facts.mfe?.value).toBeLessThan(1);
    }
  });
});

describe('a leap over a night', () => {
  // It leaps on a Monday, so that the next days follow before its action may come.
  const first = msft.findIndex((_, i) => i > 1_500 && new Date(msft[i + 2]?.start ?? 0).getUTCDay() === 1);
  const n = 5;
  const from = (ratio: number) =>
    msft.slice(first - 120, first + n + 4).map((bar, i) => {
      if (i < 120 + 2) return bar;
      const [open, high, low, close] = [bar.open, bar.high, bar.low, bar.close].map((price) => price * ratio);
      return { ...bar, open, high, low, close } as Bar;
    });
  const leapDay = utcDate(msft[first + 2]?.start ?? 0);
  const window = sessions(msft, first, n);
  const listed: KnownActions = {
    ...NO_ACTIONS_KNOWN,
    lists: [{ source: 'test', from: '2000-01-01', until: '2020-01-01' }],
  };
  const graded = (ratio: number, changes: Partial<Window> = {}) => {
    const bars = from(ratio);
    return evaluated({ path: bars, daily: bars }, { ...window, ...changes });
  };

  test.each([2, 3, 5, 12, 50, 1_000].flatMap((ratio) => [ratio, 1 / ratio]))(
    'of %d without an action: suspected where no source lists the date, and beyond 7 where one does',
    (ratio) => {
      expect(outcomeOf(graded(ratio)).facts).toMatchObject({ suspected_split: true, night_leap: null });
      const { suspected_split, night_leap } = outcomeOf(graded(ratio, { known: listed })).facts;
      const isReal = Math.max(ratio, 1 / ratio) < 6;
      expect(suspected_split).toBe(!isReal);
      expect(night_leap === null ? null : Math.sign(Math.log(night_leap))).toBe(
        isReal ? Math.sign(Math.log(ratio)) : null,
      );
      const none = { ...NO_ACTIONS_KNOWN, none: [leapDay] };
      expect(outcomeOf(graded(ratio, { known: none })).facts.suspected_split).toBe(false);
    },
  );

  test('waits four days for its action, real or not', () => {
    const leap = (msft[first + 2]?.start ?? 0) + 4 * DAY;
    for (const known of [NO_ACTIONS_KNOWN, listed]) {
      const short = { ...sessions(msft, first, 3), known };
      expect(reason(graded(2, { ...short, now: leap - MINUTE }))).toBe('deferred: suspected_split');
      expect(reason(graded(2, { ...short, now: leap }))).toBe('evaluated');
    }
  });

  test('in the history measures no normal day', () => {
    const leapt = from(0.4);
    const start = sessions(msft, first + 3, 1);
    const found = outcomeOf(evaluated({ path: leapt, daily: leapt }, start)).facts;
    const clean = msft.slice(first - 120, first + n + 4);
    const before = outcomeOf(evaluated({ path: clean, daily: clean }, start)).facts;
    expect(found.sigma_d).toBeLessThan(before.sigma_d * 1.5);
    expect(found.suspected_split).toBe(false);
  });
});

describe('an action', () => {
  const first = 1_500;
  const clean = msft.slice(first - 120, first + 10);
  /** Prices of half the size from day `at` on, and factors as if the split took effect at day `effect`. */
  const split = (at: number, effect: number) =>
    clean.map((bar, i) => {
      const [open, high, low, close] = [bar.open, bar.high, bar.low, bar.close].map((p) => (i < at ? p : p / 2));
      const factor = i < effect ? 0.5 : 1;
      return { ...bar, open, high, low, close, split: bar.split * factor, total: bar.total * factor } as Bar;
    });
  const grade = (bars: readonly Bar[], n = 5, now = later) =>
    evaluated({ path: bars, daily: bars }, { ...sessions(msft, first, n), now });

  test.each([
    ['on its day', 122],
    ['a session early', 121],
    ['a session late', 123],
  ])('whose split is %s gives the return of the series without it', (_, effect) => {
    const found = outcomeOf(grade(split(122, effect))).facts;
    const { raw_return, z } = outcomeOf(grade(clean)).facts;
    expect([found.raw_return, found.z].map((x) => x.toFixed(9))).toEqual([raw_return, z].map((x) => x.toFixed(9)));
    expect(found).toMatchObject({ suspected_split: false, prices_left_out: { path: 0, history: 0 } });
  });

  /** A list with the split of a day. */
  const listed = (day: number): KnownActions => ({
    ...NO_ACTIONS_KNOWN,
    actions: [{ at: msft[first - 120 + day]?.start ?? 0, kind: 'split', value: 2, source: 'bar-files' }],
    lists: [{ source: 'bar-files', from: utcDate(clean[0]?.start ?? 0), until: '2025-12-31' }],
  });

  test('whose split is dated the session after the newest bar is held against the last night', () => {
    const bars = split(124, 1_000).slice(0, 125);
    const window = { ...sessions(msft, first, 5), known: listed(125) };
    const { raw_return } = outcomeOf(evaluated({ path: clean, daily: clean }, sessions(msft, first, 5))).facts;
    const found = outcomeOf(evaluated({ path: bars, daily: bars }, window)).facts;
    expect(found.raw_return).toBeCloseTo(raw_return, 9);
    expect(found).toMatchObject({ suspected_split: false, night_leap: null });
  });

  test('whose split is dated the session of the anchor, and shows in the night after it, is no move of the path', () => {
    /** The first six hours of each session in bars of 5 minutes, from its open to its close. */
    const intraday = (bars: readonly Bar[]): readonly Bar[] =>
      bars.flatMap((bar) =>
        Array.from({ length: 72 }, (_, i) => {
          const [open = 0, close = 0] = [i, i + 1].map((n) => bar.open + ((bar.close - bar.open) * n) / 72);
          const start = bar.start + i * 5 * MINUTE;
          const [high, low] = [Math.max(open, close), Math.min(open, close)];
          return { ...bar, start, end: start + 5 * MINUTE, open, close, high, low };
        }),
      );
    const [day, next] = [clean[121], clean[122]] as readonly [Bar, Bar];
    const window = { instrument: MSFT, size: '5m' as const, anchor: day.start + 3 * HOUR, end: next.end };
    const daily = split(122, 121);
    const { raw_return } = outcomeOf(evaluated({ path: intraday(clean), daily: clean }, window)).facts;
    const found = outcomeOf(evaluated({ path: intraday(daily), daily }, { ...window, known: listed(121) })).facts;
    expect(found.raw_return).toBeCloseTo(raw_return, 9);
    expect(found).toMatchObject({ suspected_split: false, night_leap: null });
  });

  test('that the prices contradict is waited for, then nothing is graded', () => {
    const end = sessions(msft, first, 5).end;
    const adjustedAlready = split(10_000, 122);
    expect(reason(grade(adjustedAlready, 5, end + DAY))).toBe('deferred: action_contradicts_prices');
    expect(reason(grade(adjustedAlready, 5, end + 5 * DAY))).toBe('data_unavailable: action_contradicts_prices');
  });

  test('that contradicts in the history leaves its pair out', () => {
    const found = outcomeOf(grade(split(10_000, 110))).facts;
    const { sigma_d } = outcomeOf(grade(clean)).facts;
    expect(found.sigma_d / sigma_d).toBeGreaterThan(0.8);
    expect(found.sigma_d / sigma_d).toBeLessThan(1.2);
  });
});

describe('a run', () => {
  const first = 1_500;
  const bars = msft.slice(first - 120, first + 12);
  const n = 3;
  const window = sessions(msft, first, n);
  const times = (factor: number, from: number, to: number) =>
    bars.map((bar, i) => {
      if (i < from || i >= to) return bar;
      const [open, high, low, close] = [bar.open, bar.high, bar.low, bar.close].map((p) => p * factor);
      return { ...bar, open, high, low, close } as Bar;
    });
  const grade = (changed: readonly Bar[], changes: Partial<Window> = {}) =>
    evaluated({ path: changed, daily: changed }, { ...window, ...changes });
  const facts = (result: Outcome3) => outcomeOf(result).facts;

  test('of two days before and across the anchor is left out: the entry is the first price after it', () => {
    const before = facts(grade(times(3, 118, 120)));
    expect(before.prices_left_out).toEqual({ path: 0, history: 4 });
    expect(before.entry).toEqual(facts(grade(bars)).entry);
    const across = grade(times(3, 119, 121), { end: bars[126]?.end ?? 0 });
    expect(reason(across)).toBe('data_unavailable: no_trade');
  });

  test('across the end is left out once the prices come back, and waited for until then', () => {
    const changed = times(3, 122, 124);
    expect(facts(grade(changed)).exit.time).toBe(facts(grade(bars, { end: bars[121]?.end ?? 0 })).exit.time);
    const now = (bars[123]?.end ?? 0) + HOUR;
    expect(reason(grade(changed, { now }))).toBe('deferred: suspected_price');
  });

  test('that nothing follows stands after four days, and is flagged; but not the last prints before a delisting', () => {
    const changed = times(0.5, 122, 124).slice(0, 123);
    const end = bars[122]?.end ?? 0;
    expect(reason(grade(changed, { now: end + DAY }))).toBe('deferred: suspected_price');
    expect(facts(grade(changed, { now: end + 6 * DAY }))).toMatchObject({ suspected_price: true });
    const delisted = grade(changed, { end: bars[124]?.end ?? 0, delisted_at: end, now: end + 12 * DAY });
    expect(facts(delisted)).toMatchObject({ suspected_price: false, delisted_exit: true });
  });

  test('beyond 7 is left out up to two days, and lasts after that', () => {
    const far = facts(grade(times(10, 121, 123), { end: bars[127]?.end ?? 0 }));
    expect(far).toMatchObject({ prices_left_out: { path: 4, history: 0 }, suspected_split: false });
    const lasting = facts(grade(times(10, 121, 124), { end: bars[127]?.end ?? 0 }));
    expect(lasting).toMatchObject({ prices_left_out: { path: 0, history: 0 }, suspected_split: true });
  });
});

describe('the history', () => {
  const anchor = at('2024-03-09');
  const closes = Array.from({ length: 120 }, (_, i) => 100 + (i % 2) + (i % 7) / 10);
  const coin = cryptoDays(anchor, closes);
  const after = cryptoDays(anchor + 3 * DAY, closes.slice(-3));
  const grade = (daily: readonly Bar[], known = NO_ACTIONS_KNOWN) =>
    evaluated(
      { path: [...daily, ...after], daily },
      { instrument: BTC, size: '1d', anchor, end: anchor + 2 * DAY, known },
    );

  test('of 20 pairs begins 21 days before', () => {
    expect(outcomeOf(grade(coin)).facts.history_from).toBe(utcDate(anchor - 21 * DAY));
  });

  test('begins after the last stretch of more than five days without a trade, and within 60 days', () => {
    const relisted = coin.filter(({ start }) => start < anchor - 40 * DAY || start >= anchor - 9 * DAY);
    expect(reason(grade(relisted))).toBe('data_unavailable: insufficient_history');
    const gap = coin.filter(({ start }) => start < anchor - 20 * DAY || start >= anchor - 15 * DAY);
    expect(outcomeOf(grade(gap)).facts.history_from < utcDate(anchor - 20 * DAY)).toBe(true);
  });

  test('does not begin before the listing that somebody states', () => {
    const listed_on = utcDate(anchor - 8 * DAY);
    expect(reason(grade(coin, { ...NO_ACTIONS_KNOWN, listed_on }))).toBe('data_unavailable: insufficient_history');
  });
});

describe('GME and AMC of January and February 2021', () => {
  const bars = Object.fromEntries(['gme', 'amc'].map((name) => [name, yearOf(name)]));
  const leaps = new Set<string>();
  const grades = (name: string, known: KnownActions) => {
    const all = bars[name] ?? [];
    const first = all.findIndex(({ start }) => start >= at('2021-01-04'));
    return [1, 5, 10].flatMap((n) =>
      all.slice(first, all.length - n - 3).map((_, i) => {
        const window = { ...sessions(all, first + i, n), instrument: { ...MSFT, symbol: name, venue: 'NYSE' }, known };
        return outcomeOf(evaluated({ path: all, daily: all }, window)).facts;
      }),
    );
  };

  test.each(['gme', 'amc'])('%s with a list, or with none: nothing is left out or suspected, and all count', (name) => {
    const listed = { ...NO_ACTIONS_KNOWN, lists: [{ source: 'test', from: '2020-12-01', until: '2021-03-05' }] };
    const none = { ...NO_ACTIONS_KNOWN, none: (bars[name] ?? []).map(({ start }) => utcDate(start)) };
    for (const known of [listed, none]) {
      const facts = grades(name, known);
      expect(facts.length).toBeGreaterThan(90);
      for (const each of facts) {
        expect(each).toMatchObject({ suspected_split: false, suspected_price: false });
        expect(each.prices_left_out).toEqual({ path: 0, history: 0 });
        if (each.night_leap !== null) leaps.add(`${name} ${each.night_leap.toFixed(2)}`);
      }
    }
  });

  test('without either, windows with a leap over a night are suspected', () => {
    const suspected = ['gme', 'amc'].map((name) => {
      return grades(name, NO_ACTIONS_KNOWN).filter(({ suspected_split }) => suspected_split).length;
    });
    expect(suspected.every((count) => count > 10)).toBe(true);
    expect([...leaps].toSorted()).toEqual([
      'amc 0.60',
      'amc 0.71',
      'amc 1.66',
      'amc 4.10',
      'gme 0.63',
      'gme 1.49',
      'gme 1.85',
      'gme 1.96',
      'gme 2.40',
    ]);
  });

  function yearOf(name: string): Bar[] {
    const text = readFileSync(new URL(`../../fixtures/prices/${name}-2021.csv`, import.meta.url), 'utf8');
    const rows = text.trim().split('\n').slice(1);
    return rows.map((row) => {
      const [date = '', ...numbers] = row.split(',');
      const [open = 0, high = 0, low = 0, close = 0, volume = 0] = numbers.map(Number);
      const session = calendarOf(MSFT).currentOrNext(at(date));
      return { start: session.open, end: session.close, open, high, low, close, volume, split: 1, total: 1 };
    });
  }
});

test('a loss of everything is no outcome', () => {
  const first = 1_500;
  const bars = msft.slice(first - 120, first + 9).map((bar, i) => (i < 121 ? bar : { ...bar, total: -1 }));
  const result = evaluated({ path: bars, daily: bars.slice(0, 120) }, sessions(msft, first, 3));
  expect(result.kind).not.toBe('evaluated');
});

test('a window that eval/2 grades is graded alike, to the last digit, MSFT over five sessions', () => {
  for (let first = 100; first < 3_600; first += 7) {
    const window = sessions(msft, first, 5);
    const call: EvaluationCall = {
      ...{ instrument: MSFT, direction: 'bullish', horizon_kind: 'trading_days', horizon_value: 5 },
      ...{ data_cutoff: window.anchor, anchor_time: window.anchor, end_time: window.end },
    };
    const bars = msft.slice(first - 100, first + 10);
    const needed = EVAL_2.barsNeeded(call, ['1d']);
    if (needed.kind !== 'bars') throw new Error(needed.detail);
    const path = bars.filter(({ start, end }) => start >= needed.path.from && end <= needed.path.to);
    const daily = bars.filter(({ end }) => end <= window.anchor);
    const old = outcomeOf(
      EVAL_2.evaluate(call, { path: series(path), daily: series(daily), listing: { delisted_at: null } }, later),
    );
    const found = outcomeOf(evaluated({ path: bars, daily: bars }, window));
    expect(found.facts).toMatchObject({ ...old.facts, method: 'eval/3' });
    expect(found.result_bucket).toBe(old.result_bucket);
  }
});
