import { describe, expect, test } from '@jest/globals';
import type { PricedWindow } from '../../../../domain/grading/bars/price-gap.ts';
import * as gaps from '../../../../domain/grading/bars/price-gap.ts';
import { EVAL_2 } from '../../../../domain/grading/eval-2.ts';
import type { EvaluationMethod } from '../../../../domain/grading/evaluation.ts';
import { EVAL_1 } from '../../../../domain/grading/method.ts';
import { endTime } from '../../../../domain/grading/windows/window.ts';
import type { BarSize } from '../../../../domain/market/bars.ts';
import type { Instrument } from '../../../../domain/market/instrument.ts';
import { openCoverage, type SourceCoverage } from '../../../../domain/market/market-data.ts';
import { HOUR } from '../../../../domain/time.ts';

const MSFT: Instrument = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
};
const BTC: Instrument = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'COINBASE',
  asset_class: 'spot',
  quote_currency: 'USD',
};

function windowOf(instrument: Instrument, anchor: string, sessions: number): PricedWindow {
  return windowFrom(instrument, anchor, { horizon_kind: 'trading_days', horizon_value: sessions });
}

function windowFrom(
  instrument: Instrument,
  anchor: string,
  horizon: Pick<PricedWindow, 'horizon_kind' | 'horizon_value'>,
): PricedWindow {
  const anchor_time = Date.parse(anchor);
  return { instrument, ...horizon, anchor_time, end_time: endTime({ instrument, ...horizon }, anchor_time) };
}

function files(
  ranges: Partial<Record<BarSize, readonly [string, string]>>,
  delisted_at: string | null = null,
): SourceCoverage {
  const spans = Object.entries(ranges).map(([size, [from, to]]) => [
    size,
    { from: Date.parse(from), to: Date.parse(to) },
  ]);
  return {
    source: 'bar-files',
    spans: Object.fromEntries(spans),
    delisted_at: delisted_at === null ? null : Date.parse(delisted_at),
  };
}

/** As packaged: 2000-01-03 to 2014-08-08. */
const PACKAGED = files({ '1d': ['2000-01-03T14:30:00Z', '2014-08-08T20:00:00Z'] });
const LIVE = openCoverage('live', () => Number.NEGATIVE_INFINITY);

/** The judgements of a method on windows and sources. */
function judgedBy(method: EvaluationMethod) {
  return {
    priceGap: (window: PricedWindow, sources: readonly SourceCoverage[]) => gaps.priceGap(window, sources, method),
    provenGap: (window: PricedWindow, sources: readonly SourceCoverage[]) => gaps.provenGap(window, sources, method),
    canGrade: (window: PricedWindow, source: SourceCoverage) => gaps.canGrade(window, source, method),
    usableSizes: (window: PricedWindow, source: SourceCoverage) => gaps.usableSizes(window, source, method),
  };
}

describe.each([EVAL_1, EVAL_2])('by $name', (method: EvaluationMethod) => {
  const { priceGap, provenGap, canGrade, usableSizes } = judgedBy(method);

  describe('the gap between a window and the prices of the sources', () => {
    test.each([
      ['no source', '2003-02-13T14:00:00Z', 5, [], 'NO_PRICE_SOURCE'],
      ['within the file', '2003-02-13T14:00:00Z', 5, [PACKAGED], null],
      ['to the last bar of the file', '2014-08-01T21:00:00Z', 5, [PACKAGED], null],
      ['a session past it', '2014-08-04T21:00:00Z', 5, [PACKAGED], 'PRICES_END_BEFORE_WINDOW'],
      ['years after it', '2026-11-23T15:00:00Z', 5, [PACKAGED], 'PRICES_END_BEFORE_WINDOW'],
      ['from the first bar of the file', '2000-01-03T14:30:00Z', 5, [PACKAGED], null],
      ['from a session before it', '1999-12-30T14:00:00Z', 5, [PACKAGED], 'NO_PRICE_SOURCE'],
      ['years before it', '1995-02-13T14:00:00Z', 5, [PACKAGED], 'NO_PRICE_SOURCE'],
      ['years after it, with a live source', '2026-11-23T15:00:00Z', 5, [PACKAGED, LIVE], null],
    ])('%s', (_, anchor, sessions, sources, gap) => {
      expect(priceGap(windowOf(MSFT, anchor, sessions), sources)).toBe(gap);
    });

    test('a live source without bars of that age has no prices of the window', () => {
      const recent = openCoverage('kraken', () => Date.parse('2026-11-22T12:00:00Z'));
      expect(priceGap(windowOf(BTC, '2026-11-20T00:00:00Z', 1), [recent])).toBe('NO_PRICE_SOURCE');
      expect(priceGap(windowOf(BTC, '2026-11-23T00:00:00Z', 1), [recent])).toBeNull();
    });

    test('bars too long for the window are no prices of it, and the text gives their sizes', () => {
      const hour = windowFrom(BTC, '2017-06-05T12:00:00Z', { horizon_kind: 'holding_seconds', horizon_value: 3_600 });
      const days = files({ '1d': ['2016-07-04T00:00:00Z', '2017-07-04T00:00:00Z'] });
      expect([priceGap(hour, [days]), canGrade(hour, days)]).toEqual(['NO_PRICE_SOURCE', false]);
      expect(gaps.gapText(hour, [days], method)).toBe(
        'bar-files has 1d bars from 2016-07-04T00:00:00.000Z to 2017-07-04T00:00:00.000Z. The window is from ' +
          '2017-06-05T12:00:00.000Z to 2017-06-05T13:00:00.000Z. Bars of 1d are too long for it. An operator can import ' +
          'bars or set a source.',
      );
      const threeDays = windowOf(BTC, '2017-06-05T12:00:00Z', 3);
      expect([priceGap(threeDays, [days]), canGrade(threeDays, days)]).toEqual([null, true]);
    });

    test('bars too long for the window do not matter with a source of shorter ones', () => {
      const hour = windowFrom(BTC, '2017-06-05T12:00:00Z', { horizon_kind: 'holding_seconds', horizon_value: 3_600 });
      const days = files({ '1d': ['2016-07-04T00:00:00Z', '2017-07-04T00:00:00Z'] });
      expect(priceGap(hour, [days, LIVE])).toBeNull();
      const endless: SourceCoverage = { source: 'live', spans: { '1d': { from: 0, to: Infinity } }, delisted_at: null };
      expect([priceGap(hour, [endless]), provenGap(hour, [days])]).toEqual(['NO_PRICE_SOURCE', null]);
    });

    test('quiet minutes at the end of a file are not its end, a missing hour is', () => {
      const hours = windowFrom(BTC, '2024-01-02T12:00:00Z', { horizon_kind: 'holding_seconds', horizon_value: 7_200 });
      const minutesUntil = (to: string) => files({ '1m': ['2024-01-01T00:00:00Z', to] });
      expect(priceGap(hours, [minutesUntil('2024-01-02T13:45:00Z')])).toBeNull();
      expect(priceGap(hours, [minutesUntil('2024-01-02T13:44:00Z')])).toBe('PRICES_END_BEFORE_WINDOW');
    });

    test('an instrument that was delisted within the window is graded by its last print, and not after it', () => {
      const gone = files({ '1d': ['2000-01-03T14:30:00Z', '2014-08-08T20:00:00Z'] }, '2014-08-08T20:00:00Z');
      expect(priceGap(windowOf(MSFT, '2014-08-04T21:00:00Z', 5), [gone])).toBeNull();
      expect(priceGap(windowOf(MSFT, '2014-08-11T13:00:00Z', 5), [gone])).toBe('PRICES_END_BEFORE_WINDOW');
    });
  });

  describe('a size of a file', () => {
    const MINUTES_OF_A_MONTH = files({
      '1m': ['2024-06-14T14:30:00Z', '2024-07-12T20:00:00Z'],
      '1d': ['2022-09-01T14:30:00Z', '2024-09-19T20:00:00Z'],
    });

    test('is used only for windows within its own range', () => {
      const sizesOn = (anchor: string) => usableSizes(windowOf(MSFT, anchor, 1), MINUTES_OF_A_MONTH);
      expect(sizesOn('2024-06-17T12:00:00Z')).toEqual(['1m', '1d']);
      expect(sizesOn('2024-08-05T12:00:00Z')).toEqual(['1d']);
      expect(sizesOn('2025-08-05T12:00:00Z')).toEqual([]);
    });

    test('that ends before a short window leaves it without prices, although longer bars go on', () => {
      const short = windowFrom(MSFT, '2024-08-05T15:00:00Z', { horizon_kind: 'holding_seconds', horizon_value: 7_200 });
      expect(priceGap(short, [MINUTES_OF_A_MONTH])).toBe('PRICES_END_BEFORE_WINDOW');
    });
  });

  test('a gap is proved only where no source may have further bars', () => {
    const late = windowOf(MSFT, '2026-11-23T15:00:00Z', 5);
    const reaching = openCoverage('yahoo', () => late.anchor_time + HOUR * 100);
    expect(provenGap(late, [PACKAGED])).toBe('PRICES_END_BEFORE_WINDOW');
    expect(priceGap(late, [PACKAGED, reaching])).toBe('PRICES_END_BEFORE_WINDOW');
    expect(provenGap(late, [PACKAGED, reaching])).toBeNull();
    expect(provenGap(late, [])).toBeNull();
  });

  describe('a source that keeps its newest 720 bars alone', () => {
    const NOW = Date.parse('2026-03-02T12:00:00Z');
    const depth = { '1m': 12 * HOUR, '5m': 60 * HOUR, '1h': 720 * HOUR, '1d': 720 * 24 * HOUR };
    const KRAKEN: SourceCoverage = { ...openCoverage('kraken', (size) => NOW - depth[size]), depth };
    const gap = (hoursAgo: number, horizon: Pick<PricedWindow, 'horizon_kind' | 'horizon_value'>) =>
      priceGap(windowFrom(BTC, new Date(NOW - hoursAgo * HOUR).toISOString(), horizon), [KRAKEN]);
    const seconds = (hours: number) => ({ horizon_kind: 'holding_seconds', horizon_value: hours * 3_600 }) as const;
    const days = (horizon_value: number) => ({ horizon_kind: 'trading_days', horizon_value }) as const;

    test('covers windows of now, whose bars it still has when they end', () => {
      expect([seconds(6), seconds(48), seconds(300), days(30), days(300)].map((each) => gap(0, each))).toEqual(
        Array(5).fill(null),
      );
    });

    test('does not cover a window whose first bars it drops before it can be graded', () => {
      expect([gap(0, seconds(340 * 24)), gap(11.5, seconds(1)), gap(12.1, seconds(1))]).toEqual([
        'NO_PRICE_SOURCE',
        null,
        'NO_PRICE_SOURCE',
      ]);
    });

    test('does not cover a window whose days of history it has dropped', () => {
      expect([gap(300 * 24, days(30)), gap(330 * 24, days(30))]).toEqual([null, 'NO_PRICE_SOURCE']);
      const window = windowFrom(BTC, new Date(NOW - 330 * 24 * HOUR).toISOString(), days(30));
      expect(gaps.gapText(window, [KRAKEN], method)).toContain(
        ', and its grade needs 1d bars from 2024-02-26T00:00:00.000Z. An operator',
      );
    });
  });
});

describe('where the methods differ', () => {
  const [first, second] = [judgedBy(EVAL_1), judgedBy(EVAL_2)];
  const seconds = (instrument: Instrument, anchor: string, horizon_value: number) =>
    windowFrom(instrument, anchor, { horizon_kind: 'holding_seconds', horizon_value });

  test('eval/2 needs one whole bar within the window, eval/1 two prices', () => {
    const days = files({ '1d': ['2022-09-01T13:30:00Z', '2024-09-19T20:00:00Z'] });
    // From one close to the middle of the second session after it.
    const window = seconds(MSFT, '2024-08-05T20:00:00Z', 46 * 3_600);
    expect([first.canGrade(window, days), second.canGrade(window, days)]).toEqual([true, true]);
    const within = seconds(MSFT, '2024-08-05T20:00:00Z', 20 * 3_600);
    expect([first.canGrade(within, days), second.canGrade(within, days)]).toEqual([false, false]);
  });

  test('an entry on minutes of a stock comes within a quarter of an hour of the open by eval/2, within one bar by eval/1', () => {
    const window = seconds(MSFT, '2024-08-05T11:30:00Z', 4 * 3_600);
    const from = (time: string) => files({ '1m': [time, '2024-09-19T20:00:00Z'] });
    const gapsAt = (time: string) => [first.priceGap(window, [from(time)]), second.priceGap(window, [from(time)])];
    expect(gapsAt('2024-08-05T13:31:00Z')).toEqual([null, null]);
    expect(gapsAt('2024-08-05T13:45:00Z')).toEqual(['NO_PRICE_SOURCE', null]);
    expect(gapsAt('2024-08-05T13:46:00Z')).toEqual(['NO_PRICE_SOURCE', 'NO_PRICE_SOURCE']);
  });

  test('bars that end at the last close before an open serve a window that ends at the open by eval/2 alone', () => {
    const window = seconds(MSFT, '2024-08-05T15:00:00Z', 22.5 * 3_600);
    const hours = files({ '1h': ['2022-09-01T13:30:00Z', '2024-08-05T20:00:00Z'] });
    expect(first.priceGap(window, [hours])).toBe('PRICES_END_BEFORE_WINDOW');
    expect(second.priceGap(window, [hours])).toBeNull();
  });

  test('bars that end before a window of a few minutes never serve it', () => {
    const window = seconds(BTC, '2024-01-02T12:00:00Z', 600);
    const minutes = files({ '1m': ['2024-01-01T00:00:00Z', '2024-01-02T11:57:00Z'] });
    expect(first.priceGap(window, [minutes])).toBeNull();
    expect(second.priceGap(window, [minutes])).toBe('PRICES_END_BEFORE_WINDOW');
  });
});
