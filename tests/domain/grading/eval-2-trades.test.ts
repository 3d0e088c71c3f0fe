import { describe, expect, test } from '@jest/globals';
import { EVAL_2 } from '../../../domain/grading/eval-2.ts';
import type { EvaluationCall } from '../../../domain/grading/evaluation.ts';
import { EVAL_1 } from '../../../domain/grading/method.ts';
import { HOUR, MINUTE, rfc3339 } from '../../../domain/time.ts';
import { amchartsBars, at, MSFT, PUFA, pufaBars, series } from '../market/real-bars.ts';
import { noon, outcomeOf, reason } from './evaluations.ts';
import { fine, printed, repeat, rising, tenMinutes } from './traded-minutes.ts';

describe('only trades are prices', () => {
  const callOf = (from: number, to: number) => ({
    call: { anchor_time: noon + from * MINUTE, data_cutoff: noon + from * MINUTE, end_time: noon + to * MINUTE },
  });
  // Trades at 100 until noon, nothing until 12:28, then trades at 90.
  const stale = (silence: null | undefined, first = 90) => {
    const bars = printed([...repeat(100, 10), ...repeat(silence, 28), ...repeat(90, 30)]);
    return bars.map((bar) =>
      bar.start === noon + 28 * MINUTE ? { ...bar, open: first, high: Math.max(90, first) } : bar,
    );
  };

  test.each([
    ['flat bars', stale(null)],
    ['missing bars', stale(undefined)],
  ])('a stale price cannot be entered at: %s', (_, bars) => {
    const { facts } = outcomeOf(tenMinutes(bars, callOf(15, 45)));
    expect([facts.entry.time, facts.entry.price]).toEqual([rfc3339(noon + 28 * MINUTE), 90]);
    expect(facts).toMatchObject({ seconds_to_entry: 780, seconds_after_exit: 0, bars_traded: 17, bars_expected: 30 });
  });

  test.each([
    ['flat bars', stale(null, 100)],
    ['missing bars', stale(undefined, 100)],
  ])('nor where the first bar opens at the price that was carried: %s', (_, bars) => {
    const { facts } = outcomeOf(tenMinutes(bars, callOf(15, 45)));
    expect([facts.entry.time, facts.entry.price]).toEqual([rfc3339(noon + 29 * MINUTE), 90]);
    expect(facts).toMatchObject({ seconds_to_entry: 840, bars_traded: 16 });
  });

  test('an open that repeats the close of a bar that traded is a price', () => {
    const bars = printed([...repeat(100, 30)]);
    expect(outcomeOf(tenMinutes(bars)).facts.entry).toMatchObject({ time: rfc3339(noon), price: 100 });
  });

  test('an open without any earlier bar may be carried: the close is the price', () => {
    const bars = rising.filter(({ start }) => start >= noon);
    expect(outcomeOf(tenMinutes(bars)).facts.entry.time).toBe(rfc3339(noon + MINUTE));
  });

  test('ten silent minutes are no neutral success', () => {
    const call = { direction: 'neutral' } as const;
    const silent = printed([...repeat(100, 10), ...repeat(null, 12), ...repeat(100, 5)]);
    expect(reason(tenMinutes(silent, { call }))).toBe('data_unavailable: no_trade');
    const missing = printed([...repeat(100, 10), ...repeat(undefined, 12), ...repeat(100, 5)]);
    expect(reason(tenMinutes(missing, { call }))).toBe('data_unavailable: no_trade');
  });

  test('too few trades are final once a bar after the window, or time, shows that the source is not late', () => {
    const until = (...after: (number | undefined)[]) =>
      printed([...repeat(100, 11), ...repeat(undefined, 9), ...after]);
    const soon = { now: noon + 15 * MINUTE };
    expect(reason(tenMinutes(until(), soon))).toBe('deferred: source_behind');
    expect(reason(tenMinutes(until(100), soon))).toBe('data_unavailable: no_trade');
    expect(reason(tenMinutes(until(), { now: noon + 73 * HOUR }))).toBe('data_unavailable: no_trade');
  });

  test('an instrument that has left its list is waited for where no bar of the window comes, and given up as delisted', () => {
    const before = { path: series(printed([...repeat(100, 10)]), '1m'), daily: series([]) };
    const left = { listing: { delisted_at: null, leftList: true } };
    const late = { now: noon + 96 * HOUR };
    const result = tenMinutes([], { ...late, evidence: { ...before, ...left } });
    expect(reason(result)).toBe('deferred: out_of_reach');
    if (result.kind !== 'deferred') throw new Error('It is deferred');
    expect(EVAL_2.givenUp(result, true)).toMatchObject({ kind: 'data_unavailable', reason: 'delisted' });
    expect([EVAL_2.givenUp(result, false), EVAL_1.givenUp(result, true)]).toEqual([result, result]);
    expect(reason(tenMinutes([], { ...late, evidence: before }))).toBe('data_unavailable: insufficient_history');
    expect(outcomeOf(tenMinutes(rising, { evidence: left })).facts).toEqual(outcomeOf(tenMinutes(rising)).facts);
  });

  test('where the source knows no volume, a flat bar is a trade', () => {
    const silent = printed([...repeat(100, 10), ...repeat(null, 12)]);
    const daily = series(fine.map((bar) => ({ ...bar, volume: 0 })));
    expect(outcomeOf(tenMinutes(silent, { evidence: { daily } })).facts.bars_traded).toBe(10);
  });

  test('a volume of 0 with a range is unknown: such a bar is a price, and touches levels', () => {
    const path = rising.map((bar) => ({ ...bar, volume: 0 }));
    const call = { price_targets: { targets: [{ price: 108, size_pct: 100 }] } };
    const { facts, owner_facts } = outcomeOf(tenMinutes(path, { call }));
    expect([facts.bars_traded, owner_facts.levels?.touches.length]).toEqual([10, 1]);
  });

  test('a bar without trades touches no level', () => {
    const path = rising.map((bar, i) =>
      i === 8 ? { ...bar, open: 500, high: 500, low: 500, close: 500, volume: 0 } : bar,
    );
    const call = { price_targets: { targets: [{ price: 400, size_pct: 100 }] } };
    expect(outcomeOf(tenMinutes(path, { call })).owner_facts.levels?.touches).toEqual([]);
  });

  test.each([
    ['a night', '2024-06-18T10:00Z', '2024-06-19T01:30Z'],
    ['a lunch break', '2024-06-18T04:00Z', '2024-06-18T05:00Z'],
  ])('the first open after %s is a price in minutes unless it repeats the close before', (_, anchor, opens) => {
    const [anchor_time, open] = [at(anchor), at(opens)];
    const call = { instrument: PUFA, data_cutoff: anchor_time, anchor_time, end_time: open + (3 * HOUR) / 2 };
    const minutes = pufaBars('1m').filter(({ start }) => start >= at('2024-06-18') && start < at('2024-06-20'));
    const last = minutes.findLast(({ end }) => end <= open)?.close ?? 0;
    const entryOf = (first: number) => {
      const path = minutes.map((bar) => {
        const prices = { open: first, high: Math.max(first, bar.high), low: Math.min(first, bar.low) };
        return bar.start === open ? { ...bar, ...prices } : bar;
      });
      const evidence = { path: series(path, '1m'), daily: series(pufaBars('1d')) };
      return outcomeOf(tenMinutes([], { call, evidence, now: at('2024-06-25') })).facts.entry.time;
    };
    expect([entryOf(last + 0.01), entryOf(last)]).toEqual([rfc3339(open), rfc3339(open + MINUTE)]);
  });

  test('an entry comes within a quarter of an hour', () => {
    const late = (minutes: number) => printed([...repeat(100, 10), ...repeat(undefined, minutes), ...repeat(90, 40)]);
    expect(outcomeOf(tenMinutes(late(15), callOf(0, 35))).facts.seconds_to_entry).toBe(900);
    expect(reason(tenMinutes(late(16), callOf(0, 35)))).toBe('data_unavailable: no_trade');
  });

  test('entry to exit is half of the window at least', () => {
    const early = (minutes: number) => printed([...repeat(100, 10), ...repeat(90, minutes), ...repeat(undefined, 30)]);
    const later = printed([...repeat(undefined, 50), 90]);
    const of = (minutes: number) =>
      tenMinutes([...early(minutes), ...later], { ...callOf(0, 30), now: noon + 2 * HOUR });
    expect(outcomeOf(of(15)).facts).toMatchObject({ bars_traded: 15, seconds_after_exit: 900, tau: 15 / 1_440 });
    expect(reason(of(14))).toBe('data_unavailable: no_trade');
  });

  test('a path has two bars, or one where only one fits, which has moved', () => {
    const two = callOf(0, 2);
    expect(outcomeOf(tenMinutes(rising, two)).facts).toMatchObject({ bars_traded: 2, bars_expected: 2 });
    const one = rising.filter(({ start }) => start < noon + MINUTE || start > noon + 2 * MINUTE);
    expect(reason(tenMinutes(one, two))).toBe('data_unavailable: no_trade');
    const half = callOf(0.5, 2.5);
    expect(outcomeOf(tenMinutes(rising, half)).facts).toMatchObject({ bars_traded: 1, bars_expected: 1 });
    const still = rising.map((bar) => ({ ...bar, open: 100, high: 100, low: 100, close: 100 }));
    expect(reason(tenMinutes(still, half))).toBe('data_unavailable: no_trade');
  });

  test('every two minutes of traded minutes are graded, wherever they start', () => {
    const starts = Array.from({ length: 120 }, (_, second) => 2 + second / 60);
    const graded = starts.map((from) => reason(tenMinutes(rising, callOf(from, from + 2))));
    expect(new Set(graded)).toEqual(new Set(['evaluated']));
  });

  test('in the midst of a session daily bars are entered at the next open', () => {
    const bars = amchartsBars('MSFT').slice(-60);
    const next = bars[40];
    const anchor_time = (next?.start ?? 0) - 20 * HOUR;
    const call: EvaluationCall = {
      ...{ instrument: MSFT, direction: 'bullish', horizon_kind: 'trading_days', horizon_value: 3 },
      ...{ anchor_time, data_cutoff: anchor_time, end_time: bars[42]?.end ?? 0 },
    };
    const evidence = { path: series(bars), daily: series(bars.slice(0, 39)), listing: { delisted_at: null } };
    const { facts } = outcomeOf(EVAL_2.evaluate(call, evidence, at('2026-01-01')));
    expect([facts.entry.time, facts.entry.price]).toEqual([rfc3339(next?.start ?? 0), next?.open]);
  });
});
