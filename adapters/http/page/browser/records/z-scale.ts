import type { ResultBucket } from '../../../../../domain/grading/outcome.ts';
import { bucketOf, DIRECTIONS, GRADING } from '../kit/domain.ts';
import type { WireDirection } from '../kit/wire.ts';

/** A range of moves in which one direction gets one bucket. */
export interface ZPart {
  readonly from: number;
  readonly to: number;
  readonly bucket: ResultBucket;
}

export interface ZRow {
  readonly direction: WireDirection;
  readonly parts: readonly ZPart[];
}

export interface ZScale {
  /** The ends of what is drawn. */
  readonly from: number;
  readonly to: number;
  /** Every edge of a bucket of any direction, ascending. */
  readonly edges: readonly number[];
  readonly rows: readonly ZRow[];
}

const { signedQuartile, absoluteQuartiles } = GRADING;
const SIZES = [...new Set([...absoluteQuartiles, signedQuartile])].toSorted((a, b) => a - b);

/** The edges of all buckets on a scale of moves, in sigmas of the window, signed by the price. */
export const Z_EDGES: readonly number[] = [...SIZES.map((size) => -size).reverse(), 0, ...SIZES];

const LEAST_END = 2;
const ROOM = 0.25;

/** The scale that contains these moves, the same on both sides of 0. */
export function zScale(moves: readonly number[]): ZScale {
  const end = Math.max(LEAST_END, ...moves.map((move) => Math.abs(move) + ROOM));
  const rows = DIRECTIONS.map((direction) => ({ direction, parts: partsOf(direction, end) }));
  return { from: -end, to: end, edges: Z_EDGES, rows };
}

/** The place of a move on a drawing of this width. */
export function zPlace({ from, to }: Pick<ZScale, 'from' | 'to'>, move: number, width: number): number {
  return ((move - from) / (to - from)) * width;
}

/** The buckets follow from the rule of the service itself. */
function partsOf(direction: WireDirection, end: number): readonly ZPart[] {
  const ends = [-end, ...Z_EDGES, end];
  const parts: ZPart[] = [];
  for (const [at, to] of ends.slice(1).entries()) {
    const from = ends[at] ?? to;
    const bucket = bucketOf(direction, (from + to) / 2);
    const last = parts.at(-1);
    if (last?.bucket === bucket) parts[parts.length - 1] = { ...last, to };
    else parts.push({ from, to, bucket });
  }
  return parts;
}

/** Those of the edges whose numbers have room next to each other; the outer ones before the inner ones. */
export function numberedEdges(
  edges: readonly number[],
  place: (edge: number) => number,
  room: number,
): readonly number[] {
  const kept: number[] = [];
  for (const edge of edges.toSorted((a, b) => Math.abs(b) - Math.abs(a))) {
    if (kept.every((other) => Math.abs(place(edge) - place(other)) >= room)) kept.push(edge);
  }
  return kept;
}
