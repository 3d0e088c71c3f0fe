import { describe, expect, test } from '@jest/globals';
import type { Bar } from '../../../domain/market/bars.ts';
import { DAY, HOUR, MINUTE, rfc3339 } from '../../../domain/time.ts';
import { at, cryptoDays, PUFA, pufaBars, series, spxBars } from '../market/real-bars.ts';
import { history, minutesOf, noon, outcomeOf, reason, sessionsOfSpx, tenMinutes } from './evaluations.ts';

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
