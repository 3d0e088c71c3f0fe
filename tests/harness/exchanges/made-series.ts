import type { Millis } from '../../../domain/time.ts';

/** A candle as any exchange has it, prices as text. */
export interface MadeCandle {
  readonly start: Millis;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

/** What a made exchange knows: from when on it trades, and where it does not. */
export interface MadeSeries {
  readonly since: Millis;
  /** The clock of the exchange: a bucket that has begun is there, though it is not final. */
  now: Millis;
  /** From then on it trades no more. */
  until: Millis;
  /** Starts of buckets without trades. */
  readonly quiet: Set<Millis>;
  /** What a bucket shows instead of its price. */
  readonly wrong: Map<Millis, Partial<MadeCandle>>;
}

/** The candles of a length whose start lies in [from, to), oldest first. */
export function candlesWithin(series: MadeSeries, length: Millis, from: Millis, to: Millis): MadeCandle[] {
  const first = Math.ceil(Math.max(from, series.since) / length) * length;
  const candles: MadeCandle[] = [];
  for (let start = first; start < Math.min(to, series.until) && start <= series.now; start += length) {
    if (!series.quiet.has(start)) candles.push({ ...candleAt(start, length), ...series.wrong.get(start) });
  }
  return candles;
}

/** A price from which a test can compute its instant. */
export function priceAt(at: Millis): number {
  return 100 + (at % (400 * 86_400_000)) / 86_400_000;
}

/** So that no method finds the prices too coarse. */
const STEP = 1e-5;

function candleAt(start: Millis, length: Millis): MadeCandle {
  const [open, close] = [priceAt(start), priceAt(start + length)];
  const [low, high] = [Math.min(open, close), Math.max(open, close) * (1 + STEP)];
  return {
    start,
    open: open.toFixed(8),
    high: high.toFixed(8),
    low: low.toFixed(8),
    close: close.toFixed(8),
    volume: '1.50000000',
  };
}
