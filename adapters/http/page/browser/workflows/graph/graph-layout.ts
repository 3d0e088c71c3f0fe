/**
 * The sizes of the drawing in its own units. Boxes of steps form rows, `gap` apart, and are as wide as their
 * ports need. Around boxes and lanes of a row is some room.
 */
export const SIZES = { height: 92, least: 204, port: 80, gap: 60, lane: 4, boxRoom: 14, laneRoom: 6 } as const;

/** A box to be placed: a step with its inputs along the top and its outputs along the bottom, from left to right. */
export interface Box {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** A line from an output of one box to an input of another, by their places. */
export interface Line {
  readonly from: number;
  readonly output: string;
  readonly to: number;
  readonly input: string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The top left corner of a box with its size; all boxes are of one height. */
export interface PlacedBox extends Point {
  readonly width: number;
}

export interface Layout {
  readonly boxes: readonly PlacedBox[];
  /** The points that each line bends towards on its way, without its ends. */
  readonly routes: readonly (readonly Point[])[];
}

/**
 * Places boxes in rows, so that lines lead downwards; lines that pass a row get a lane in it, those of one output the
 * same. The same boxes and lines have the same places.
 */
export function layoutOf(boxes: readonly Box[], lines: readonly Line[]): Layout {
  const rows = rowsOf(boxes.length, lines);
  const cells: Cell[] = boxes.map((box, at) => cellOf(rows[at] ?? 0, widthOf(box), SIZES.boxRoom));
  const shared = new Map<string, number>();
  const lanes = lines.map((line) => lanesOf(line, rows, { cells, shared }, boxes));
  const lefts = spread(cells);
  const placed = boxes.map((box, at) => ({ x: lefts[at] ?? 0, y: topOf(rows[at] ?? 0), width: widthOf(box) }));
  const routes = lines.map((line, at) =>
    routeOf(rows[line.from] ?? 0, rows[line.to] ?? 0, {
      start: (placed[line.from]?.x ?? 0) + startOf(boxes, line),
      end: (placed[line.to]?.x ?? 0) + endOf(boxes, line),
      lanes: (lanes[at] ?? []).map((lane) => (lefts[lane] ?? 0) + SIZES.lane / 2),
    }),
  );
  return { boxes: placed, routes };
}

function widthOf({ inputs, outputs }: Box): number {
  return Math.max(SIZES.least, SIZES.port * Math.max(inputs.length, outputs.length));
}

function topOf(row: number): number {
  return row * (SIZES.height + SIZES.gap);
}

/** The distance of a port from the left side of its box. */
export function portOffset(box: Box, side: 'inputs' | 'outputs', port: string): number {
  const ports = box[side];
  return (widthOf(box) * (Math.max(0, ports.indexOf(port)) + 0.5)) / Math.max(1, ports.length);
}

const NOTHING: Box = { inputs: [], outputs: [] };

function startOf(boxes: readonly Box[], { from, output }: Line): number {
  return portOffset(boxes[from] ?? NOTHING, 'outputs', output);
}

function endOf(boxes: readonly Box[], { to, input }: Line): number {
  return portOffset(boxes[to] ?? NOTHING, 'inputs', input);
}

function cellOf(row: number, width: number, room: number): Cell {
  return { row, width, room, links: [] };
}

interface Grid {
  readonly cells: Cell[];
  /** The places of lanes by the output that their lines begin at, and by row. */
  readonly shared: Map<string, number>;
}

/** Adds lanes in the rows that the line passes, and links the cells on its way; returns the places of its lanes. */
function lanesOf(line: Line, rows: readonly number[], grid: Grid, boxes: readonly Box[]): readonly number[] {
  const [first = 0, last = 0] = [rows[line.from], rows[line.to]];
  if (last <= first) return [];
  const passed = Array.from({ length: last - first - 1 }, (_, i) => first + 1 + i);
  const lanes = passed.map((row) => laneOf(`${line.from} ${line.output} ${row}`, row, grid));
  const offsets = [startOf(boxes, line), ...lanes.map(() => SIZES.lane / 2), endOf(boxes, line)];
  const way = [line.from, ...lanes, line.to];
  for (const [step, cell] of way.slice(0, -1).entries()) {
    const [other = 0, here = 0, there = 0] = [way[step + 1], offsets[step], offsets[step + 1]];
    grid.cells[cell]?.links.push({ to: other, offset: here, otherOffset: there });
    grid.cells[other]?.links.push({ to: cell, offset: there, otherOffset: here });
  }
  return lanes;
}

function laneOf(name: string, row: number, { cells, shared }: Grid): number {
  const lane = shared.get(name) ?? cells.push(cellOf(row, SIZES.lane, SIZES.laneRoom)) - 1;
  shared.set(name, lane);
  return lane;
}

interface Way {
  readonly start: number;
  readonly end: number;
  /** Where its lanes are, from top to bottom. */
  readonly lanes: readonly number[];
}

/** Bends half-way between rows; within a lane it is straight. */
function routeOf(from: number, to: number, { start, end, lanes }: Way): readonly Point[] {
  const half = SIZES.gap / 2;
  return [
    { x: start, y: topOf(from) + SIZES.height + half },
    ...lanes.flatMap((x, index) => {
      const top = topOf(from + index + 1);
      return [top - half, top, top + SIZES.height, top + SIZES.height + half].map((y) => ({ x, y }));
    }),
    { x: end, y: topOf(to) - half },
  ];
}

/** A line from one box to another, by their places. */
interface BoxLink {
  readonly from: number;
  readonly to: number;
}

/**
 * The row of each box: one more than the last of those that lead to it, 0 without any. Links that close a circle do
 * not count, so that every other link leads downwards.
 */
export function rowsOf(boxes: number, links: readonly BoxLink[]): readonly number[] {
  const next = Array.from({ length: boxes }, (_, from) =>
    links.filter((link) => link.from === from && link.to !== from).map(({ to }) => to),
  );
  const rows = Array.from({ length: boxes }, () => 0);
  for (const from of inOrder(next)) {
    for (const to of next[from] ?? []) rows[to] = Math.max(rows[to] ?? 0, (rows[from] ?? 0) + 1);
  }
  return rows;
}

/** The boxes so that each comes before those that it leads to; removes the links that close a circle from `next`. */
function inOrder(next: number[][]): readonly number[] {
  const state = next.map((): 'new' | 'open' | 'done' => 'new');
  const order: number[] = [];
  const visit = (box: number) => {
    state[box] = 'open';
    next[box] = (next[box] ?? []).filter((to) => {
      if (state[to] === 'open') return false;
      if (state[to] === 'new') visit(to);
      return true;
    });
    state[box] = 'done';
    order.unshift(box);
  };
  for (const box of next.keys()) if (state[box] === 'new') visit(box);
  return order;
}

/** A box or a lane in its row, with the cells of other rows that lines lead to. */
interface Cell {
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
function spread(cells: readonly Cell[]): readonly number[] {
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
