import type { OutcomeFacts } from '../../../../../domain/grading/outcome.ts';
import { percent } from '../kit/value-texts.ts';
import type { WireDirection } from '../kit/wire.ts';

export type PointKind = 'entry' | 'mfe' | 'mae' | 'exit';

/** One public fact of a path as a place in its drawing. */
export interface PathPoint {
  readonly kinds: readonly PointKind[];
  /** Milliseconds. */
  readonly at: number;
  /** In the units of the exit, adjusted for splits and dividends. */
  readonly price: number;
  /** One for each kind. */
  readonly labels: readonly string[];
}

/**
 * Entry, excursions and exit in their order. An excursion's price follows from its size. The direction of the largest
 * move of a neutral decision is not public, so the move is not a point but the two levels of `reach`.
 */
export function pathPoints({ entry, exit, mfe, mae }: OutcomeFacts, direction: WireDirection): readonly PathPoint[] {
  const sign = direction === 'bearish' ? -1 : 1;
  const base = entry.adjusted_price;
  const excursions = direction === 'neutral' ? [] : [pointOf('mfe', mfe), pointOf('mae', mae)];
  return merged([
    { kinds: ['entry'], at: Date.parse(entry.time), price: base, labels: ['entry'] },
    ...excursions.flatMap((point) => point ?? []),
    { kinds: ['exit'], at: Date.parse(exit.time), price: exit.adjusted_price, labels: ['exit'] },
  ]).toSorted((a, b) => a.at - b.at || order(a) - order(b));

  function pointOf(kind: 'mfe' | 'mae', excursion: OutcomeFacts['mfe']): PathPoint | null {
    if (!excursion) return null;
    const { time, value } = excursion;
    const labels = [`${kind.toUpperCase()} ${percent(value)}`];
    return { kinds: [kind], at: Date.parse(time), price: base * (1 + sign * value), labels };
  }
}

/** For a neutral decision, two levels; its path reached at least one of them. */
export function reach({ entry, mae }: OutcomeFacts, direction: WireDirection): readonly number[] {
  if (direction !== 'neutral') return [];
  return [entry.adjusted_price * (1 + mae.value), entry.adjusted_price * (1 - mae.value)];
}

/** Slots of equal length from `from` to `to`, so that a drawing keeps the proportions of time. */
export function slotted<Point extends { readonly at: number }>(
  points: readonly Point[],
  from: number,
  to: number,
  slots: number,
): readonly { readonly slot: number; readonly point: Point }[] {
  let last = -1;
  return points.map((point) => {
    const nearest = Math.round(((point.at - from) / (to - from || 1)) * (slots - 1));
    last = Math.max(nearest, last + 1);
    return { slot: last, point };
  });
}

/** Two facts at one place, such as an exit at the largest favourable move, are one point. */
function merged(points: readonly PathPoint[]): readonly PathPoint[] {
  const places = Map.groupBy(points, ({ at, price }) => `${at} ${price.toPrecision(9)}`);
  return [...places.values()].map((group) => ({
    ...(group[0] as PathPoint),
    kinds: group.flatMap(({ kinds }) => kinds),
    labels: group.flatMap(({ labels }) => labels),
  }));
}

function order({ kinds }: PathPoint): number {
  if (kinds.includes('entry')) return 0;
  return kinds.includes('exit') ? 2 : 1;
}
