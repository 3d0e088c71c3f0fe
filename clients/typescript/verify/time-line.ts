import type { CheckpointTrust } from '../../../domain/log/checkpoint-trust.ts';
import type { Opening } from '../../../domain/log/opening.ts';
import { type Line, line } from './verdict.ts';

/** Seconds from the receipt of a submission to the time at which it is logged, as the service promises. */
const INCLUDED_WITHIN = 300;
/** Others see the receipt to the minute. */
const MINUTE = 60;

/**
 * When witnesses first saw the leaf of a realtime decision. A decision that is first proved after the end of its window
 * proves no foresight.
 */
export function timeLine(opening: Opening, { signed, cosignatures }: CheckpointTrust): readonly Line[] {
  if ('public_outcome' in opening || opening.public_statement.submission_origin !== 'realtime') return [];
  if (opening.leaf.t === 'imported')
    return [line('not checked', 'time', 'imported: its age before the log is not proved')];
  if (!signed || cosignatures.length === 0) return [line('not checked', 'time', 'no known witness saw the checkpoint')];
  const { submission_time, horizon_kind, horizon_value } = opening.public_statement;
  const seen = Math.min(...cosignatures.map(({ time }) => time));
  const delay = seen - Date.parse(submission_time) / 1_000 - MINUTE;
  const detail = `seen at ${new Date(seen * 1_000).toISOString()}, submitted in the minute of ${submission_time}`;
  if (delay <= INCLUDED_WITHIN) return [line('holds', 'time', detail)];
  if (horizon_kind === 'trading_days') return [line('not checked', 'time', `${detail}; the calendar is not at hand`)];
  const isWithin = delay <= horizon_value;
  return [
    line(isWithin ? 'holds' : 'FAILS', 'time', `${detail}, ${isWithin ? 'before' : 'after'} the end of its window`),
  ];
}
