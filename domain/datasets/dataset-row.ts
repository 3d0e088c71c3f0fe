import type { CohortFilter } from '../cohorts/cohort-filter.ts';
import type { OwnerProof } from '../cohorts/cohort-reader.ts';
import type { CountedAs } from '../cohorts/counted-as.ts';
import { reasonToWithhold, type Thresholds } from '../cohorts/suppression.ts';
import type { Decision } from '../decisions/decision.ts';
import { hadSaidInRange, MOVE_RANGES } from '../grading/bucket.ts';
import type { Grid } from '../grading/grid.ts';
import type { ResultBucket } from '../grading/outcome.ts';
import type { Instrument } from '../market/instrument.ts';
import type { Cell, ColumnKind, TableColumn } from '../table.ts';

/** A cohort of a dataset: what `GET /public/cohorts` selects when all of these are given, of all times. */
export interface DatasetCohort extends Instrument, Pick<Decision, 'direction' | 'horizon_kind' | 'horizon_value'> {}

/** What a dataset shows of a record beyond its cohort; many records are alike in it. */
export interface CoarseOutcome {
  /** The UTC month of `data_cutoff`: `2026-03`. */
  readonly data_cutoff_month: string;
  readonly counted_as: CountedAs;
  readonly result_bucket: ResultBucket;
  /** The range of its move (`moveRange`); null for a record of an earlier release that is not counted by it yet. */
  readonly move: number | null;
  readonly method: string;
  readonly grid: Grid | null;
  /** Another horizon of its decision leads (`isFurtherHorizon`): it is in a file of its own. */
  readonly further_horizon: boolean;
}

export interface DatasetRow extends DatasetCohort, CoarseOutcome {}

type RowColumn = TableColumn<DatasetRow>;

/**
 * The columns of a dataset, its data dictionary. Nothing here is finer than what cohorts show, and nothing leads to a
 * record: no id, no time but a month, no price and no return (docs/snapshots.md).
 */
export const DATASET_COLUMNS: readonly RowColumn[] = [
  plain('text', 'market', '`stock` or `crypto`.'),
  plain('text', 'symbol', 'The ticker or base asset.'),
  plain('text', 'venue', 'Where it is traded.'),
  plain('text', 'asset_class', 'Such as `spot`.'),
  plain('text', 'quote_currency', 'The currency of its prices.'),
  plain('text', 'direction', 'What was decided: `bullish`, `bearish` or `neutral`.'),
  plain('text', 'horizon_kind', 'The unit of the horizon: `holding_seconds` or `trading_days`.'),
  plain('integer', 'horizon_value', 'The length of the horizon in that unit.'),
  plain('text', 'data_cutoff_month', 'The UTC month of the data that the agent had: `2026-03`.'),
  plain('text', 'counted_as', '`realtime`, `retroactive` or `carried_open`: how cohorts count it.'),
  plain('text', 'result_bucket', 'How it came out, from `strong_correct` to `strong_incorrect`.'),
  hadSaid('bullish'),
  hadSaid('bearish'),
  hadSaid('neutral'),
  plain('text', 'method', 'The evaluation method: `eval/1`, `eval/2` or `eval/3`.'),
  plain('text', 'grid', '`fine` or `coarse`: the width of a price step next to the buckets; missing by `eval/1`.'),
];

function plain<Name extends keyof DatasetRow>(
  kind: ColumnKind,
  name: DatasetRow[Name] extends Cell ? Name : never,
  description: string,
): RowColumn {
  return { name, kind, description, of: (row) => row[name] };
}

function hadSaid(direction: DatasetRow['direction']): RowColumn {
  return {
    name: `had_said_${direction}`,
    kind: 'text',
    description: `The bucket that a ${direction} decision would have got in the same window.`,
    // A place that is no range is of a row that cannot be read, and takes no other row with it.
    of: ({ move }) => (move !== null && move >= 0 && move < MOVE_RANGES ? hadSaidInRange(move)[direction] : null),
  };
}

/** Equal rows are alike in every column, so an order by all of them shows nothing of who made them. */
export function inDatasetOrder(a: CoarseOutcome, b: CoarseOutcome): number {
  return order(textOf(a), textOf(b));
}

export function inCohortOrder(a: DatasetCohort, b: DatasetCohort): number {
  return (
    order(`${a.direction} ${a.horizon_kind}`, `${b.direction} ${b.horizon_kind}`) || a.horizon_value - b.horizon_value
  );
}

function textOf({ data_cutoff_month, counted_as, result_bucket, move, method, grid }: CoarseOutcome): string {
  return [data_cutoff_month, counted_as, result_bucket, String(move ?? -1).padStart(2, '0'), method, grid].join(' ');
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A cohort as a dataset counts it. */
export interface TalliedCohort {
  readonly cohort: DatasetCohort;
  readonly samples: number;
  /** Whether at least the required number of owners that count made them. */
  readonly enoughProducers: boolean;
  /** Its records, by what is alike in them. */
  readonly alike: readonly { readonly outcome: CoarseOutcome; readonly records: number }[];
}

/**
 * Whether a dataset has the rows of a cohort: exactly where a query for the whole cohort shows it at that moment. So each
 * dataset reveals what the replies to these queries reveal, and nothing more.
 */
export function isPublished(tally: Pick<TalliedCohort, 'samples' | 'enoughProducers'>, rules: Thresholds): boolean {
  return reasonToWithhold({ result: tally, whole: tally }, rules) === null;
}

/** The query that shows the cohort. */
export function filterOf(
  { market, symbol, venue, ...rest }: DatasetCohort,
  include_retroactive: boolean,
): CohortFilter {
  const { asset_class, quote_currency, direction, horizon_kind, horizon_value } = rest;
  return {
    ...{ market, symbol, venue, asset_class, quote_currency },
    ...{ direction, horizon_kind, horizon_value, include_retroactive },
  };
}

/** A file of a dataset. */
export interface DatasetFile {
  /** ASCII, without folders. */
  readonly name: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** A public snapshot of the records that cohorts show, of one month. It is never changed. */
export interface Dataset {
  /** The UTC month in which it was made: `2026-03`. */
  readonly month: string;
  readonly made_at: Date;
  /** In the order in which they were written. */
  readonly files: readonly DatasetFile[];
  /** Where the evidence log has the digest of its SHA256SUMS; null until it has. */
  readonly leaf: { readonly origin: string; readonly index: number } | null;
}

/** The records of this moment that cohorts count. */
export interface DatasetSource {
  /** Up to `limit` instruments that have such records, in an order of their own; null: from the first. */
  instruments(after: string | null, limit: number): Promise<readonly string[]>;

  /**
   * Every cohort of an instrument, with at least `samples` records.
   * @param cohorts `producers`: how many owners that count are enough
   */
  cohorts(instrument: string, cohorts: WantedCohorts): Promise<readonly TalliedCohort[]>;
}

export interface WantedCohorts {
  readonly include_retroactive: boolean;
  readonly samples: number;
  readonly producers: number;
  readonly ownerProof: OwnerProof;
}

/** Adds bytes at the end of a file. */
export type WriteFilePart = (name: string, content: Uint8Array) => Promise<void>;

/** A part of a file by its number; null after the last one. */
export type ReadFilePart = (name: string, number: number) => Promise<Uint8Array | null>;

/** The datasets of the service, the same for all processes. */
export interface DatasetStore {
  /** The newest first. */
  list(): Promise<readonly Dataset[]>;

  find(month: string): Promise<Dataset | null>;

  /** The part of a file with this number, from 0 on; null after the last one, and for what is not there. */
  part(month: string, name: string, number: number): Promise<Uint8Array | null>;

  /**
   * Makes the dataset of a month. All that `work` reads is of one moment. When it throws, or this process dies, nothing is
   * kept. Returns false, without calling `work`, when there is one, and while another process makes one.
   * @param work returns the files that it wrote; it reads back what it wrote by `written`
   */
  make(
    month: string,
    work: (source: DatasetSource, write: WriteFilePart, written: ReadFilePart) => Promise<readonly DatasetFile[]>,
  ): Promise<boolean>;
}
