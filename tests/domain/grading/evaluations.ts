import type { Evaluation, EvaluationCall, EvaluationMethod, Evidence } from '../../../domain/grading/evaluation.ts';
import { EVAL_1 } from '../../../domain/grading/method.ts';
import type { FactsOf, MethodName } from '../../../domain/grading/method-facts.ts';
import type { Outcome } from '../../../domain/grading/outcome.ts';
import type { PathFacts } from '../../../domain/grading/paths/path-facts.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import { HOUR, MINUTE } from '../../../domain/time.ts';
import { at, BTC, compounded, cryptoDays, SPX, series, spxBars } from '../market/real-bars.ts';

export const noon = at('2024-03-09T12:00Z');
/** A month of crypto days that move by one percent each. */
export const history = cryptoDays(
  at('2024-03-09'),
  compounded(Array.from({ length: 30 }, (_, i) => (i % 2 ? 0.01 : -0.01))),
);

export function reason(evaluation: Evaluation<PathFacts>): string {
  return evaluation.kind === 'evaluated' ? 'evaluated' : `${evaluation.kind}: ${evaluation.reason}`;
}

export function outcomeOf<Facts extends PathFacts>(evaluation: Evaluation<Facts>): Outcome<Facts> {
  if (evaluation.kind !== 'evaluated') throw new Error(`${evaluation.reason}: ${evaluation.detail}`);
  return evaluation.outcome;
}

/** Minutes of crypto from noon on with the given closes, each opening where the one before closed. */
export function minutesOf(closes: readonly number[], from = noon): Bar[] {
  return closes.map((close, i) => {
    const open = closes[i - 1] ?? close;
    const start = from + i * MINUTE;
    const [high, low] = [Math.max(open, close) + 1, Math.min(open, close) - 1];
    return { start, end: start + MINUTE, open, high, low, close, volume: 1, split: 1, total: 1 };
  });
}

/** Ten minutes of crypto from noon, evaluated at one o'clock by `eval/1`. */
export function tenMinutes(path: readonly Bar[], changes: Changes = {}): Evaluation {
  return tenMinutesBy(EVAL_1, path, changes);
}

/** The same by any method. */
export function tenMinutesBy<Name extends MethodName>(
  method: EvaluationMethod<Name>,
  path: readonly Bar[],
  { call = {}, evidence = {}, now = noon + HOUR }: Changes = {},
): Evaluation<FactsOf[Name]> {
  const decision: EvaluationCall = {
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
  return method.evaluate(decision, all, now);
}

export interface Changes {
  readonly call?: Partial<EvaluationCall>;
  readonly evidence?: Partial<Evidence>;
  readonly now?: number;
}

/** So many sessions of the S&P 500 from the open of a date, by `eval/1`. */
export function sessionsOfSpx(n: number, from: string, path: readonly Bar[], changes: Changes = {}): Evaluation {
  return sessionsOfSpxBy(EVAL_1, n, from, path, changes);
}

/** The same by any method. */
export function sessionsOfSpxBy<Name extends MethodName>(
  method: EvaluationMethod<Name>,
  n: number,
  from: string,
  path: readonly Bar[],
  changes: Changes = {},
): Evaluation<FactsOf[Name]> {
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
  return method.evaluate(call, evidence, changes.now ?? at('2026-01-01'));
}
