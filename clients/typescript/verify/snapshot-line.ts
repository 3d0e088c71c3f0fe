import { countedAs } from '../../../domain/cohorts/counted-as.ts';
import { DATASET_COLUMNS, type DatasetRow } from '../../../domain/datasets/dataset-row.ts';
import { moveRange, moveZ } from '../../../domain/grading/bucket.ts';
import { gridOf } from '../../../domain/grading/grid.ts';
import { COHORT } from '../../../domain/limits.ts';
import { LEAF_STATE, leafAudit } from '../../../domain/log/leaves/leaf-audit.ts';
import type { DecisionOpening, OutcomeOpening } from '../../../domain/log/leaves/opening.ts';
import { type NameBook, NO_NAMES } from '../../../domain/market/name-book.ts';
import type { Cell } from '../../../domain/table.ts';
import { symbolsOf } from './named-decisions.ts';
import { counted, type Line, line } from './verdict.ts';

/** A public snapshot that is compared with the decisions of a log. */
export interface SnapshotReading {
  /** Takes a graded decision that was opened. */
  readonly add: (decision: DecisionOpening, outcome: OutcomeOpening) => void;
  /** @param states one byte per index, as `leafAudit` keeps it @param missing how many graded decisions are not shown */
  line(states: Uint8Array, missing: number): Line;
}

/**
 * Reads a file of rows of a public snapshot, in JSON lines. Its rows have no id, so each must be that of one opened
 * decision, as many times as it is there.
 * @param file its path: by the names of a snapshot only decisions that lead, or only further horizons, are in it
 * @param book what names mean: a snapshot counted by those that were known when it was made
 * @throws Error for a text of another form
 */
export function snapshotReading(text: string, file: string, book: NameBook = NO_NAMES): SnapshotReading {
  const [, kind] = /(?:^|[/\\])(decisions|further-horizons)(?:-with-retroactive)?\.jsonl$/.exec(file) ?? [];
  const rows = text.split('\n').flatMap((each, n) => (each === '' ? [] : [cellsOf(each, n + 1)]));
  const opened = new Map<string, OpenedRows>();
  return {
    add(decision, outcome) {
      const row = rowOf(decision, outcome);
      if (!row || (kind !== undefined && (kind === 'further-horizons') !== row.further)) return;
      const symbols = symbolsOf(book, decision, outcome);
      const key = symbols.length > 0 ? `${keyOf(row.cells)} ${symbols.join(' ')}` : keyOf(row.cells);
      const found = opened.get(key) ?? { cells: row.cells, symbols, exact: 0, either: 0 };
      found[row.eitherGrid ? 'either' : 'exact'] += 1;
      opened.set(key, found);
    },
    line: (states, missing) => lineOf(rows, unmatched(rows, opened), states, missing),
  };
}

type Cells = readonly Cell[];

/** How many opened decisions have these cells; of `either` the other grid may be the right one. */
interface OpenedRows {
  readonly cells: Cells;
  /** What they may have counted under, by names known at some time; empty where no name is about them. */
  readonly symbols: readonly string[];
  exact: number;
  either: number;
}

const NAMES = DATASET_COLUMNS.map(({ name }) => name);
const GRID = NAMES.indexOf('grid');
const SYMBOL = NAMES.indexOf('symbol');

function cellsOf(text: string, number: number): Cells {
  try {
    const row: unknown = JSON.parse(text);
    if (typeof row === 'object' && row !== null && NAMES.every((name) => Object.hasOwn(row, name))) {
      const cells: Readonly<Record<string, Cell>> = { ...row };
      return NAMES.map((name) => cells[name] ?? null);
    }
  } catch {
    // The message below says it.
  }
  throw new Error(`Line ${number} is no row of a public snapshot; --snapshot reads its decisions.jsonl.`);
}

function keyOf(cells: Cells): string {
  return JSON.stringify(cells);
}

/** The row of a graded decision; null for one that no snapshot has, and for facts that are none. */
function rowOf({ public_statement: stated }: DecisionOpening, { public_outcome }: OutcomeOpening) {
  const { result_bucket, outcome: facts } = public_outcome;
  const { submission_origin, method, direction, data_cutoff } = stated;
  try {
    const counted_as = countedAs({ submission_origin, facts });
    if (counted_as === null) return null;
    const data_cutoff_month = data_cutoff.slice(0, 'YYYY-MM'.length);
    const coarse = { data_cutoff_month, counted_as, result_bucket, method, grid: gridOf(facts) };
    const further_horizon = stated.v === 2;
    const row: DatasetRow = { ...stated, ...coarse, further_horizon, move: moveRange(moveZ(direction, facts)) };
    const cells = DATASET_COLUMNS.map(({ of }) => of(row));
    return { cells, further: further_horizon, eitherGrid: isNearGrid(submission_origin, facts) };
  } catch {
    return null;
  }
}

/** Others see the step of a realtime decision counted from its minute, so that it can fall on the other side. */
function isNearGrid(
  origin: DecisionOpening['public_statement']['submission_origin'],
  facts: OutcomeOpening['public_outcome']['outcome'],
): boolean {
  if (facts.method === 'eval/1' || origin !== 'realtime') return false;
  const ratio = facts.grid_z / COHORT.fineGrid;
  return ratio > 1 / 1.5 && ratio < 1.5;
}

/** The numbers of the rows that are of no opened decision: those that fit exactly are taken first. */
function unmatched(rows: readonly Cells[], opened: ReadonlyMap<string, OpenedRows>): readonly number[] {
  const remaining = rows.flatMap((cells, n) => (take(opened.get(keyOf(cells)), 'exact') ? [] : [n]));
  return remaining.filter((n) => {
    const cells = rows[n] ?? [];
    if (take(opened.get(keyOf(cells)), 'either')) return false;
    for (const each of opened.values()) {
      const isOther = each.symbols.includes(String(cells[SYMBOL]));
      const under = isOther ? each.cells.with(SYMBOL, cells[SYMBOL] ?? null) : each.cells;
      if (fits(cells, under, GRID) && take(each, 'either')) return false;
      if (fits(cells, under) && (take(each, 'exact') || take(each, 'either'))) return false;
    }
    return true;
  });
}

function take(rows: OpenedRows | undefined, kind: 'exact' | 'either'): boolean {
  if (!rows || rows[kind] === 0) return false;
  rows[kind] -= 1;
  return true;
}

/** Whether cells are equal but for one; records of earlier releases can lack what each direction would have got. */
function fits(row: Cells, opened: Cells, but = -1): boolean {
  return row.every((cell, n) => {
    const isUnknown = cell === null && (NAMES[n] ?? '').startsWith('had_said_');
    return n === but || isUnknown || cell === opened[n];
  });
}

function lineOf(rows: readonly Cells[], without: readonly number[], states: Uint8Array, missing: number): Line {
  const all = counted(rows.length, 'row');
  const [first] = without;
  if (first === undefined) return line('holds', 'snapshot', `${all}, each of a decision that was opened as logged`);
  const { stateOf } = leafAudit(states);
  const closed = [...states.keys()].filter((index) => stateOf(index) === LEAF_STATE.closedGraded).length;
  const found = `${without.length} of ${all} are of no decision that is shown, such as row ${first + 1}`;
  const since = `${closed} graded ones are closed, ${missing} are not shown`;
  if (without.length <= closed + missing)
    return line('not checked', 'snapshot', `${found}: quarantined since, or another row; ${since}`);
  return line('FAILS', 'snapshot', `${found}, ${JSON.stringify(rows[first])}; ${since}`);
}
