import { LOG } from '../../../domain/limits.ts';
import type { Opening, PlanOpening } from '../../../domain/log/leaves/opening.ts';
import type { PublicStatement } from '../../../domain/log/leaves/public-statement.ts';
import { isPlan, isStated } from '../../../domain/log/leaves/verify-opening.ts';
import type { CheckpointTrust } from '../../../domain/log/notes/checkpoint-trust.ts';
import type { PlanStatement } from '../../../domain/plans/plan.ts';
import { rfc3339 } from '../../../domain/time.ts';
import { isApproximate, statedWindows } from './stated-window.ts';
import { type Line, line } from './verdict.ts';

/**
 * When a witness first saw the leaf of a realtime decision, or of a plan. A decision that is first proved after the end of
 * its window proves no foresight; a plan was stated when it was seen at the latest.
 */
export function timeLine(opening: Opening, { signed, cosignatures }: CheckpointTrust): readonly Line[] {
  if (!isPlan(opening) && !(isStated(opening) && opening.public_statement.submission_origin === 'realtime')) return [];
  if (opening.leaf.t === 'imported')
    return [line('not checked', 'time', 'imported: its age before the log is not proved')];
  if (!signed || cosignatures.length === 0) return [line('not checked', 'time', 'no known witness saw the checkpoint')];
  const seen = Math.min(...cosignatures.map(({ time }) => time)) * 1_000;
  try {
    return [isPlan(opening) ? statedLine(opening, seen) : seenLine(opening.public_statement, seen)];
  } catch {
    return [line('FAILS', 'time', `the statement has no possible ${isPlan(opening) ? 'time' : 'window'}`)];
  }
}

/** Nobody but a witness says when a plan was stated, so that is its time. */
function statedLine({ statement }: PlanOpening, seen: number): Line {
  const stated_at = Date.parse((JSON.parse(statement) as PlanStatement).stated_at);
  const promise = seen <= stated_at + LOG.includedWithin ? 'within 5 minutes' : 'more than 5 minutes later';
  return line('holds', 'time', `seen at ${rfc3339(seen)}, stated at ${rfc3339(stated_at)}: ${promise}`);
}

/** The receipt is known to the minute, and so is the end of a window of seconds. */
function seenLine(statement: PublicStatement, seen: number): Line {
  const { submission_time } = statement;
  const [first, last] = statedWindows(statement);
  if (!first || !last) throw new TypeError('A realtime decision has an earliest and a latest window.');
  const isPrompt = seen <= last.anchor_time + LOG.includedWithin;
  const promise = isPrompt ? 'within the 5 minutes of the receipt' : 'later than the 5 minutes of the receipt';
  const detail = `seen at ${rfc3339(seen)}, submitted in the minute of ${submission_time}: ${promise}`;
  if (seen <= first.end_time) return line('holds', 'time', `${detail}, before the end of its window`);
  if (seen <= last.end_time) return line('not checked', 'time', `${detail}; its window ended in the same minute`);
  if (isApproximate(statement, last)) return line('not checked', 'time', `${detail}; its calendar is not known here`);
  return line('FAILS', 'time', `${detail}, after the end of its window`);
}
