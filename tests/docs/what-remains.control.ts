import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { EVAL_2 } from '../../domain/grading/eval-2.ts';
import type { EvaluationCall } from '../../domain/grading/evaluation.ts';
import type { Horizon } from '../../domain/grading/windows/window.ts';
import type { Bar } from '../../domain/market/bars.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import { HOUR } from '../../domain/time.ts';
import { amchartsBars, at, MSFT, PUFA, pufaBars, SPX, series, spxBars } from '../domain/market/real-bars.ts';

const now = at('2026-01-02T12:00Z');
const text = readFileSync(join(import.meta.dirname, '../../docs/base-rates.md'), 'utf8').replaceAll(/\s+/g, ' ');
const TXN: Instrument = { ...MSFT, symbol: 'TXN' };
const [msft, txn, spx] = [amchartsBars('MSFT'), amchartsBars('TXN'), spxBars()];
const [minutes, days] = [pufaBars('1m'), pufaBars('1d')];

/** Whether a neutral decision is strong_correct; null where it is not graded. */
function isStrong(
  instrument: Instrument,
  horizon: Horizon,
  { path, daily }: { readonly path: readonly Bar[]; readonly daily: readonly Bar[] },
  [anchor_time, end_time]: readonly [number, number],
): boolean | null {
  const terms = { instrument, ...horizon, data_cutoff: anchor_time, anchor_time, end_time } as const;
  const call: EvaluationCall = { ...terms, direction: 'neutral' };
  const size = horizon.horizon_kind === 'trading_days' ? '1d' : '1m';
  const evidence = { path: series(path, size), daily: series(daily), listing: { delisted_at: null } };
  const result = EVAL_2.evaluate(call, evidence, now);
  return result.kind === 'evaluated' ? result.outcome.result_bucket === 'strong_correct' : null;
}

/** From the open of day `i` on. */
function strongFrom(instrument: Instrument, bars: readonly Bar[], i: number, n: number): boolean | null {
  const known = { path: bars.slice(i - 1, i + n + 1), daily: bars.slice(Math.max(0, i - 40), i) };
  const window = [bars[i]?.start ?? 0, bars[i + n - 1]?.end ?? 0] as const;
  return isStrong(instrument, { horizon_kind: 'trading_days', horizon_value: n }, known, window);
}

const percent = (strong: readonly (boolean | null)[]) => {
  const graded = strong.filter((each) => each !== null);
  return { share: `${Math.round((100 * graded.filter(Boolean).length) / graded.length)} %`, of: graded.length };
};
const move = (from: number, to: number) => Math.log(to / from) ** 2;
/** The mean square of the moves from close to close of the `count` days before day `i`. */
function variance(bars: readonly Bar[], i: number, count: number): number {
  const closes = bars.slice(i - count - 1, i).map(({ close, total }) => close * total);
  return closes.slice(1).reduce((sum, close, k) => sum + move(closes[k] ?? close, close), 0) / count;
}

const startsOf = (bars: readonly Bar[], first: number, n: number) =>
  Array.from({ length: bars.length - n - first }, (_, k) => first + k);

test('calm after storms', () => {
  const shareOf = (instrument: Instrument, bars: readonly Bar[]) => {
    const starts = startsOf(bars, 252, 20)
      .map((i) => ({ i, ratio: variance(bars, i, 20) / variance(bars, i, 250) }))
      .toSorted((a, b) => b.ratio - a.ratio);
    return percent(starts.slice(0, starts.length / 5).map(({ i }) => strongFrom(instrument, bars, i, 20))).share;
  };
  const words = `MSFT ${shareOf(MSFT, msft)}, TXN ${shareOf(TXN, txn)}, S&P 500 ${shareOf(SPX, spx)}.`;
  expect(text).toContain(words);
});

test('gaps', () => {
  const afterGaps = (instrument: Instrument, bars: readonly Bar[]) => {
    const gapOf = (day: number) => {
      const [before, bar] = [bars[day - 1], bars[day]];
      return before && bar ? move(before.close * before.total, bar.open * bar.total) : 0;
    };
    const starts = startsOf(bars, 27, 5).filter((i) => gapOf(i - 1) > 2.5 ** 2 * variance(bars, i - 1, 20));
    return percent(starts.map((i) => strongFrom(instrument, bars, i, 5)));
  };
  const [first, second] = [afterGaps(MSFT, msft), afterGaps(TXN, txn)];
  expect(text).toContain(`MSFT ${first.share} of ${first.of} windows, TXN ${second.share} of ${second.of}.`);
});

test('the time of day', () => {
  const strongIn = (from: string, to: string) => {
    const starts = minutes.filter(({ start }) => {
      const time = new Date(start).toISOString().slice(11, 16);
      return time >= from && time < to;
    });
    return percent(
      starts.map(({ start }) => {
        const path = minutes.filter((bar) => bar.start >= start - HOUR && bar.end <= start + 2 * HOUR);
        const daily = days.filter(({ end }) => end <= start).slice(-60);
        const horizon = { horizon_kind: 'holding_seconds', horizon_value: 3_600 } as const;
        return isStrong(PUFA, horizon, { path, daily }, [start, start + HOUR]);
      }),
    ).share;
  };
  const [morning, afternoon] = [strongIn('01:30', '02:00'), strongIn('05:30', '06:00')];
  expect(text).toContain(`${morning} from 09:30 to 10:00, ${afternoon} from 13:30 to 14:00.`);
});
