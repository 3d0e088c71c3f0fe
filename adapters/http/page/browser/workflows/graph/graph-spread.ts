/** A box or a lane in its row, with the cells of other rows that lines lead to. */
export interface Cell {
  readonly row: number;
  readonly width: number;
  /** The room to its left and to its right. */
  readonly room: number;
  readonly links: CellLink[];
}

interface CellLink {
  readonly to: number;
  /** Where the line ends, from the left side of this cell, and of the other one. */
  readonly offset: number;
  readonly otherOffset: number;
}

const ROUNDS = 12;
/** The last rounds keep the order of each row and only move its cells. */
const ORDERING = 8;

/** The left side of each cell: cells of a row never overlap, and lines are as upright as the order of the cells allows. */
export function spread(cells: readonly Cell[]): readonly number[] {
  const rows = [...Map.groupBy(cells.keys(), (at) => cells[at]?.row ?? 0)].sort(([a], [b]) => a - b);
  const lefts = cells.map(() => 0);
  for (const [, members] of rows) stack(members, cells, lefts, null);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [, members] of round % 2 === 0 ? rows : rows.toReversed()) {
      const wishes = new Map(members.map((at) => [at, wishOf(at, cells, lefts)]));
      if (round < ORDERING) members.sort((a, b) => middle(a, wishes, cells) - middle(b, wishes, cells));
      stack(members, cells, lefts, wishes);
    }
  }
  const first = Math.min(...lefts);
  return lefts.map((left) => Math.round(left - first));
}

/** The left side that would make the lines of a cell upright on average; without lines, where it is. */
function wishOf(at: number, cells: readonly Cell[], lefts: readonly number[]): number {
  const links = cells[at]?.links ?? [];
  if (links.length === 0) return lefts[at] ?? 0;
  return (
    links.reduce((sum, { to, offset, otherOffset }) => sum + (lefts[to] ?? 0) + otherOffset - offset, 0) / links.length
  );
}

function middle(at: number, wishes: ReadonlyMap<number, number>, cells: readonly Cell[]): number {
  return (wishes.get(at) ?? 0) + (cells[at]?.width ?? 0) / 2;
}

/** Places the cells of a row next to each other, as near to their wishes as they can be. */
function stack(
  members: readonly number[],
  cells: readonly Cell[],
  lefts: number[],
  wishes: ReadonlyMap<number, number> | null,
): void {
  let next = wishes ? Number.NEGATIVE_INFINITY : 0;
  let shift = 0;
  for (const at of members) {
    const { width = 0, room = 0 } = cells[at] ?? {};
    const wish = wishes?.get(at) ?? next + room;
    const left = Math.max(wish, next + room);
    lefts[at] = left;
    shift += wish - left;
    next = left + width + room;
  }
  for (const at of members) lefts[at] = (lefts[at] ?? 0) + shift / members.length;
}
