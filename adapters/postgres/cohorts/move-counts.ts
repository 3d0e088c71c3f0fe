import { MOVE_RANGES } from '../../../domain/grading/had-said.ts';

/** The number of records in each range of moves, as `app.cohort_cells.moves` has them. @param row counts `n` by `move` */
export function movesOfCounts(row: string): string {
  return eachRange((place) => `coalesce(sum(${row}.n) filter (where ${row}.move = ${place}), 0)`);
}

/** The same of one record. */
export function movesOfRow(row: string): string {
  return eachRange((place) => `(${row}.move is not distinct from ${place})::int`);
}

/** The sum of such counts over a group. */
export function sumOfMoves(column: string): string {
  return eachRange((place) => `sum(${column}[${place + 1}])::bigint`);
}

function eachRange(count: (place: number) => string): string {
  return `array[${Array.from({ length: MOVE_RANGES }, (_, place) => count(place)).join(', ')}]::bigint[]`;
}
