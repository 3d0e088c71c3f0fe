import { BACKTEST } from '../../../domain/limits.ts';
import { batchesOf, type RowBatch } from '../client/row-batches.ts';
import type { BacktestRow, Imported, Refused } from './rows.ts';

/** The body of one request. */
export type Batch = RowBatch<Imported['about'], BacktestRow>;

/** The reply to it, as far as it is read. */
export interface BatchReply {
  readonly accepted: number;
  readonly repeated: number;
  readonly refused: readonly {
    /** Its place in the request, from 0. */
    readonly row: number;
    readonly external_id: string | null;
    readonly details: readonly { readonly path: string; readonly message: string }[];
  }[];
}

/** How far the sending is. */
export interface Progress {
  readonly sent: number;
  readonly of: number;
  readonly accepted: number;
  readonly repeated: number;
  readonly refused: number;
}

/** The bodies in which the rows are sent, in their order; each is as large as may be. */
export function requestsOf({ about, rows }: Pick<Imported, 'about' | 'rows'>): readonly Batch[] {
  return batchesOf(
    { about, rows: rows.map(({ row }) => row) },
    { rows: BACKTEST.rowsAtOnce, bytes: BACKTEST.bodyBytes },
  );
}

/**
 * Sends the rows, one request after the other. Rows that the set has are repeated, so that an import that broke off goes on
 * by the same call.
 * @param post sends a body @param onReply what the service refused of it, and how far it is
 * @throws what `post` throws
 */
export async function sendRows(
  imported: Pick<Imported, 'about' | 'rows'>,
  post: (batch: Batch) => Promise<BatchReply>,
  onReply: (progress: Progress, refused: readonly Refused[]) => void,
): Promise<Progress> {
  const places = new Map(imported.rows.map(({ place, row }) => [row.external_id, place]));
  let progress: Progress = { sent: 0, of: imported.rows.length, accepted: 0, repeated: 0, refused: 0 };
  for (const batch of requestsOf(imported)) {
    const { accepted, repeated, refused } = await post(batch);
    progress = {
      ...progress,
      sent: progress.sent + batch.rows.length,
      accepted: progress.accepted + accepted,
      repeated: progress.repeated + repeated,
      refused: progress.refused + refused.length,
    };
    const named = refused.map(({ row, external_id, details }) => ({
      place: places.get(external_id ?? batch.rows[row]?.external_id ?? '') ?? `row ${row} of a request`,
      external_id,
      why: details.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; '),
    }));
    onReply(progress, named);
  }
  return progress;
}
