import { lengthOf } from '../../../domain/market/bar-size.ts';
import type { Bar, BarSize } from '../../../domain/market/bars.ts';
import type { Calendar, Segment } from '../../../domain/market/calendar.ts';
import { soundBars } from '../../../domain/market/sound-bars.ts';
import { tradedBars } from '../../../domain/market/traded-bars.ts';
import { DAY, type Millis } from '../../../domain/time.ts';
import type { Candle } from '../candles.ts';

/** Prices as the source sends them, before any factor. */
export type SessionBar = Omit<Bar, 'split' | 'total'>;

export interface SessionBars {
  readonly bars: readonly SessionBar[];
  /** Where bars were that break evaluation.md section 6. */
  readonly lost: readonly Span[];
}

type Span = Pick<Bar, 'start' | 'end'>;

/**
 * A stock source's candles as the bars of its sessions. Hours are counted from the open, so that none mixes in what was
 * traded before it; candles of `step` are put together where they are shorter than the bar. What lies outside the
 * sessions, or begins between two steps, is left out; of two candles for one instant the one sent last counts.
 * @param volumeIsKnown whether a candle of volume 0 with one price had no trade: then it is no part of a longer bar that
 *   has trades (evaluation-2.md section 1)
 */
export function sessionBars(
  calendar: Calendar,
  { size, step, volumeIsKnown }: { readonly size: BarSize; readonly step: Millis; readonly volumeIsKnown: boolean },
  candles: readonly Candle[],
): SessionBars {
  const each = [...new Map(candles.map((candle) => [candle.start, candle])).values()];
  const slots = new Map<Millis, { slot: Segment; candles: Candle[] }>();
  for (const candle of each.sort((a, b) => a.start - b.start)) {
    const slot = size === '1d' ? sessionOf(calendar, candle) : slotOf(calendar, lengthOf(size), step, candle);
    if (!slot) continue;
    const held = slots.get(slot.open);
    if (held) held.candles.push(candle);
    else slots.set(slot.open, { slot, candles: [candle] });
  }
  const all = [...slots.values()].map(({ slot, candles }) => {
    const traded = tradedBars(candles, volumeIsKnown);
    return merged(slot, traded.length > 0 ? traded : candles);
  });
  const { bars } = soundBars(all);
  const sound = new Set(bars);
  return { bars, lost: all.filter((bar) => !sound.has(bar)) };
}

/** Those with start >= from and end <= to. */
export function spansWithin<T extends Span>(spans: readonly T[], from: Millis, to: Millis): readonly T[] {
  return spans.filter(({ start, end }) => start >= from && end <= to);
}

/** The session on the UTC date that a day's candle begins on: at midnight in New York, at the open, or later. */
function sessionOf(calendar: Calendar, { start }: Candle): Segment | undefined {
  const day = Math.floor(start / DAY) * DAY;
  return calendar.sessions(day, day + DAY)[0];
}

function slotOf(calendar: Calendar, length: Millis, step: Millis, { start }: Candle): Segment | undefined {
  const { segments } = calendar.currentOrNext(start);
  const segment = segments.find(({ open, close }) => open <= start && start < close);
  if (!segment || (start - segment.open) % step !== 0) return undefined;
  const open = segment.open + Math.floor((start - segment.open) / length) * length;
  return { open, close: Math.min(open + length, segment.close) };
}

/** One price that cannot be read makes the whole bar unsound: nobody knows whether it was the highest. */
function merged(slot: Segment, candles: readonly Candle[]): SessionBar {
  const volume = candles.reduce((sum, candle) => sum + candle.volume, 0);
  return {
    start: slot.open,
    end: slot.close,
    open: candles[0]?.open ?? Number.NaN,
    high: Math.max(...candles.map(({ high }) => high)),
    low: volume < 0 ? Number.NaN : Math.min(...candles.map(({ low }) => low)),
    close: candles.at(-1)?.close ?? Number.NaN,
    volume: Number.isNaN(volume) ? null : volume,
  };
}
