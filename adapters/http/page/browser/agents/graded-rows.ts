import type { ResultBucket } from '../../../../../domain/grading/outcome.ts';
import { horizon, instant, instrument } from '../kit/value-texts.ts';
import type { WireDirection, WireIdentity } from '../kit/wire.ts';

/** A row of the owner's list, as far as a track record draws it. */
export interface ListedRow extends WireIdentity {
  readonly window: { readonly anchor_time: string; readonly end_time: string };
  readonly result_bucket: ResultBucket | null;
  readonly path: { readonly raw_return: number; readonly z: number | null } | null;
}

/** A graded decision of a track record. */
export interface GradedRow {
  readonly record_id: string;
  readonly words: string;
  /** The instrument, whose windows are drawn together. */
  readonly group: string;
  readonly direction: WireDirection;
  readonly bucket: ResultBucket;
  readonly z: number;
  readonly raw_return: number;
  /** Milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** Those of the rows that have an outcome, of one origin. */
export function gradedRows(rows: readonly ListedRow[], origin: string): readonly GradedRow[] {
  return rows.flatMap((row) => {
    const { record_id, direction, result_bucket: bucket, path, window, submission_origin } = row;
    if (submission_origin !== origin || bucket === null || path === null || path.z === null) return [];
    const words = `${instrument(row)} ${direction} over ${horizon(row)}, from ${instant(window.anchor_time)}`;
    const [from, to] = [Date.parse(window.anchor_time), Date.parse(window.end_time)];
    const { z, raw_return } = path;
    return [{ record_id, words, group: instrument(row), direction, bucket, z, raw_return, from, to }];
  });
}
