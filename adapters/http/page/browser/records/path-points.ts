import type { EvidenceDocument } from '../../../../../domain/grading/evidence.ts';
import type { OutcomeFacts } from '../../../../../domain/grading/outcome.ts';
import type { OutcomeOpening } from '../../../../../domain/log/leaves/opening.ts';
import type { Bar } from '../../../../../domain/market/bars.ts';
import { barsOfText, proofOf } from '../kit/domain.ts';
import { percent } from '../kit/value-texts.ts';
import type { WireDirection } from '../kit/wire.ts';

const GAP = 8;

const BETWEEN = 2;

/** How far the label of a level moves along it at a time. */
const STEP = 12;

const LEAST = 20;

const MOST = 60;

/** The digits of a price on the axis of a chart. */
export const PRICE_DIGITS = 6;

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

/**
 * The daily bars that ended before a time, oldest first, from the receipt of a grade that contains its evidence: those
 * that the volatility was computed from. None where the receipt has no evidence.
 * @param receipt the text of the receipt, whose proof is not checked here
 * @throws Malformed or TypeError for a text that is no receipt
 */
export function barsBefore(receipt: string, time: number, most: number): readonly Bar[] {
  const { extra } = proofOf(receipt);
  if (extra === null) return [];
  const { evidence } = JSON.parse(new TextDecoder().decode(extra)) as Partial<OutcomeOpening>;
  if (!evidence) return [];
  const document = JSON.parse(evidence.document) as EvidenceDocument;
  // The texts are in the order in which the document names them, each once: first those of the path.
  const names = [...new Set([...document.path.bars, ...document.daily.bars])];
  const daily = document.daily.bars.flatMap((name) => barsOfText(evidence.bars[names.indexOf(name)] ?? ''));
  return daily.filter(({ end }) => end <= time).slice(-most);
}

/** How many bars are shown before a path: about as many as it has, and not fewer than its volatility came from. */
export function barsOfContext(path: number): number {
  return Math.min(MOST, Math.max(LEAST, path));
}

/** The steps in which the axis counts: fine enough for a price, however small. @param price the entry's */
export function priceSteps(price: number): {
  readonly type: 'price';
  readonly minMove: number;
  readonly precision: number;
} {
  const precision = Math.max(2, PRICE_DIGITS - 1 - Math.floor(Math.log10(Math.abs(price) || 1)));
  return { type: 'price', minMove: 10 ** -precision, precision };
}

/** A label that wants to be above or below a point, or on a level that ends there: then it is nowhere else. */
export interface LabelWish {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly side: 'above' | 'below' | 'on';
}

/** From its left upper corner. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Area {
  readonly width: number;
  readonly height: number;
}

/**
 * A box for each label, in the order of the wishes: as near to its point as possible, within the area, and over no
 * earlier label and none of the obstacles, unless the area is full. The label of a level moves along it alone.
 */
export function labelPlaces(wishes: readonly LabelWish[], area: Area, obstacles: readonly Box[] = []): readonly Box[] {
  const placed: Box[] = [];
  for (const wish of wishes) {
    const candidates = candidatesOf(wish, area);
    const free = (box: Box) => ![...placed, ...obstacles].some((other) => overlaps(box, other));
    placed.push(candidates.find(free) ?? candidates[0] ?? boxAt(wish, area, wish.y));
  }
  return placed;
}

/** The nearest first, on the wanted side before the other one. */
function candidatesOf(wish: LabelWish, area: Area): readonly Box[] {
  if (wish.side === 'on') return alongLevel(wish, area);
  const step = wish.height + BETWEEN;
  const steps = Array.from({ length: Math.ceil(area.height / step) }, (_, n) => n * step);
  const tops = steps.flatMap((away) => {
    const [above, below] = [wish.y - GAP - wish.height - away, wish.y + GAP + away];
    return wish.side === 'above' ? [above, below] : [below, above];
  });
  return tops.filter((top) => top >= 0 && top + wish.height <= area.height).map((top) => boxAt(wish, area, top));
}

/** From the right end of a level to its left one. */
function alongLevel({ x, y, width, height }: LabelWish, area: Area): readonly Box[] {
  const right = Math.min(x + width / 2, area.width) - width;
  const steps = Array.from({ length: Math.max(1, Math.ceil(right / STEP)) }, (_, n) => right - n * STEP);
  const top = Math.min(Math.max(y - height / 2, 0), area.height - height);
  return steps.map((left) => ({ x: Math.max(left, 0), y: top, width, height }));
}

function boxAt({ x, width, height }: LabelWish, area: Area, y: number): Box {
  const left = Math.min(Math.max(x - width / 2, 0), Math.max(area.width - width, 0));
  return { x: left, y, width, height };
}

export function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width + BETWEEN && b.x < a.x + a.width + BETWEEN && a.y < b.y + b.height && b.y < a.y + a.height;
}
