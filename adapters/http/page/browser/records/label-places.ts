/** A label that wants to be above or below a point. */
export interface LabelWish {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly side: 'above' | 'below';
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

const GAP = 8;
const BETWEEN = 2;

/**
 * A box for each label, in the order of the wishes: as near to its point as possible, within the area, and over no
 * earlier label and none of the obstacles, unless the area is full.
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
  const step = wish.height + BETWEEN;
  const steps = Array.from({ length: Math.ceil(area.height / step) }, (_, n) => n * step);
  const tops = steps.flatMap((away) => {
    const [above, below] = [wish.y - GAP - wish.height - away, wish.y + GAP + away];
    return wish.side === 'above' ? [above, below] : [below, above];
  });
  return tops.filter((top) => top >= 0 && top + wish.height <= area.height).map((top) => boxAt(wish, area, top));
}

function boxAt({ x, width, height }: LabelWish, area: Area, y: number): Box {
  const left = Math.min(Math.max(x - width / 2, 0), Math.max(area.width - width, 0));
  return { x: left, y, width, height };
}

export function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width + BETWEEN && b.x < a.x + a.width + BETWEEN && a.y < b.y + b.height && b.y < a.y + a.height;
}
