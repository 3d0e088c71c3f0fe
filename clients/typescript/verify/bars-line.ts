import type { EvaluationCall } from '../../../domain/grading/evaluation.ts';
import { type EvidenceDocument, type SeenEvidence, seenEvidence } from '../../../domain/grading/evidence.ts';
import { methodNamed } from '../../../domain/grading/method.ts';
import { endTime, horizonFault } from '../../../domain/grading/windows/window.ts';
import { bytesOfHex, hexOf } from '../../../domain/log/encoding.ts';
import type { OutcomeOpening } from '../../../domain/log/leaves/opening.ts';
import {
  evidenceDigest,
  type PublicOutcome,
  type PublicStatement,
  publicOutcome,
} from '../../../domain/log/leaves/public-statement.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { identityOf } from '../../../domain/market/instrument.ts';
import { MINUTE, type Millis, rfc3339, SECOND } from '../../../domain/time.ts';
import { firstDifference } from './outcome-lines.ts';
import { sha256 } from './sha256.ts';
import { type Line, line } from './verdict.ts';

/**
 * Whether bucket and facts of an outcome follow from the bars that it was computed from, by its method. Whether these are
 * the true prices is not judged.
 * @param statement of the decision that it grades; null when that is not among the files
 */
export function barsLine({ leaf, public_outcome, evidence }: OutcomeOpening, statement: PublicStatement | null): Line {
  if (!evidence) return line('not checked', 'bars', 'the file does not contain what the outcome was computed from');
  const digest = hexOf(evidenceDigest(bytesOfHex(evidence.salt), evidence.document, sha256));
  if (digest !== public_outcome.evidence) return line('FAILS', 'bars', 'the evidence is not that of the outcome');
  try {
    const document = JSON.parse(evidence.document) as EvidenceDocument;
    const contents = new Map(evidence.bars.map((text) => [hexOf(sha256(text)), text]));
    const missing = [...document.path.bars, ...document.daily.bars].find((name) => !contents.has(name));
    if (missing !== undefined) return line('FAILS', 'bars', `the bars ${missing} are missing, or were changed`);
    if (!statement) return line('not checked', 'bars', `the proof of leaf ${leaf.of} is not among the files`);
    return recomputed(public_outcome, document, seenEvidence(document, contents), statement);
  } catch (error) {
    return line('FAILS', 'bars', `the evidence cannot be evaluated: ${error instanceof Error ? error.message : error}`);
  }
}

function recomputed(
  shown: PublicOutcome,
  { record_id, method }: EvidenceDocument,
  seen: SeenEvidence,
  statement: PublicStatement,
): Line {
  if (record_id !== statement.record_id) return line('FAILS', 'bars', `the evidence is that of ${record_id}`);
  if (method !== statement.method) {
    return line('FAILS', 'bars', `the evidence is of ${method}, the decision of ${statement.method}`);
  }
  const windows = windowsOf(statement, seen.end_time);
  if (windows.length === 0) {
    const ended = `the evidence is of a window that ends at ${rfc3339(seen.end_time)}`;
    return statement.horizon_kind === 'trading_days'
      ? line('not checked', 'bars', `${ended}, which is another session than in the calendar of this verifier`)
      : line('FAILS', 'bars', `${ended}, not that of the decision`);
  }
  const differences = windows.map((window) => differenceOf(shown, statement, seen, window));
  if (!differences.includes(null)) return line('FAILS', 'bars', differences[0] ?? '');
  const count = seen.path.bars.length + seen.daily.bars.length;
  return line('holds', 'bars', `${method} gives the bucket and the facts from ${count} bars`);
}

/**
 * The windows of the statement that end at a time. A window of seconds shows its exact anchor; one of sessions has the
 * same bars from every anchor of a minute but the first.
 */
function windowsOf(statement: PublicStatement, end_time: Millis): readonly StatedWindow[] {
  const windows = statedWindows(statement);
  if (statement.horizon_kind === 'trading_days') return windows.filter((window) => window.end_time === end_time);
  const anchor_time = end_time - statement.horizon_value * SECOND;
  const [first = { anchor_time: 0 }, last = first] = windows;
  const isStated = first.anchor_time <= anchor_time && anchor_time <= last.anchor_time;
  return isStated ? [{ anchor_time, end_time }] : [];
}

/** What differs between the outcome that is shown and the one that its method computes; null for nothing. */
function differenceOf(
  shown: PublicOutcome,
  statement: PublicStatement,
  seen: SeenEvidence,
  window: StatedWindow,
): string | null {
  const { direction, horizon_kind, horizon_value, data_cutoff, submission_origin } = statement;
  const call: EvaluationCall = {
    instrument: identityOf(statement),
    ...{ direction, horizon_kind, horizon_value, data_cutoff: Date.parse(data_cutoff), ...window },
  };
  const result = methodNamed(statement.method)?.evaluate(call, seen, seen.now);
  if (!result) return `this verifier does not know the method ${statement.method}`;
  if (result.kind !== 'evaluated') return `the bars give no outcome: ${result.detail}`;
  const graded = {
    ...{ ...result.outcome, ...identityOf(statement), submission_origin },
    anchor_time: new Date(window.anchor_time),
    end_time: new Date(window.end_time),
    evaluated_at: new Date(shown.evaluated_at),
  };
  return firstDifference(shown, publicOutcome(graded, shown.evidence));
}

/** A window that a statement may have. Others see the receipt of a realtime decision to the minute only. */
interface StatedWindow {
  readonly anchor_time: Millis;
  readonly end_time: Millis;
}

/**
 * The window from each time at which the decision may be anchored, as far as these times differ in what they mean: the
 * start of the minute of its receipt, and the latest millisecond of it.
 * @throws TypeError for a statement without a time or a possible horizon
 */
export function statedWindows(statement: PublicStatement): readonly StatedWindow[] {
  const { submission_origin, data_cutoff, submission_time } = statement;
  const fault = horizonFault(statement);
  const from = Date.parse(submission_origin === 'retroactive' ? data_cutoff : submission_time);
  if (fault || !Number.isFinite(from)) throw new TypeError('The statement has no possible window.');
  const anchors = submission_origin === 'retroactive' ? [from] : [from, from + MINUTE - 1];
  const call = { ...statement, instrument: identityOf(statement) };
  return anchors.map((anchor_time) => ({ anchor_time, end_time: endTime(call, anchor_time) }));
}

/** Whether holidays may move the end of the window: the calendar of its year is not known here. */
export function isApproximate(statement: PublicStatement, { end_time }: StatedWindow): boolean {
  return statement.horizon_kind === 'trading_days' && calendarOf(statement).isGeneric(end_time);
}
