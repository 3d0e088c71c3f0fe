import type { Decision, DecisionStatus, TabledDecision } from '../decision.ts';
import type { Submission } from '../submission/submission.ts';
import type { ReplyForm } from './decision-reader.ts';
import { areBars, areFacts, areOwnerFacts, isNumber, isRegime, WORD_CHECKS, WORD_NAMES } from './stored-shapes.ts';

/**
 * What of a stored record can be beyond reading: a number that is none, a member or a row that is missing. `path`: the
 * figures of a row in a list; `statement`: the factors, what only the owner sees, and the commitment; `bars`: the path.
 */
export const FAULT_PARTS = ['outcome', 'created_regime', 'path', 'statement', 'bars'] as const;
export type FaultPart = (typeof FAULT_PARTS)[number];

/** Why a view leaves out parts of a record that its state would let it show. */
export interface RecordFault {
  readonly parts: readonly FaultPart[];
  readonly message: string;
}

/** A view, or a record, that may lack parts. */
export interface Faulted {
  readonly fault?: RecordFault;
}

/** Undefined members for no parts, to be spread. */
export function faultOf(parts: readonly FaultPart[]): Faulted {
  if (parts.length === 0) return {};
  const message =
    `The service cannot read what it stored of this record (${parts.join(', ')}), and leaves that out here. ` +
    'A repeated request gets the same reply: the operator has to repair the record.';
  return { fault: { parts, message } };
}

/**
 * The status with null for what cannot be read, so that every view of it can be made. Of the public form the fault names
 * nothing that only the owner sees.
 */
export function readableStatus<Status extends ReadStatus>(status: Status, form: ReplyForm): Status & Faulted {
  const { facts, owner_facts, bars, created_regime, evaluated_at } = status;
  const isGraded = evaluated_at !== null;
  const hasOutcome = isGraded && areFacts(facts) && (form === 'public' || areOwnerFacts(owner_facts));
  const hasRegime = created_regime === null || isRegime(created_regime);
  const hasBars = form === 'public' || !hasOutcome || bars === undefined || areBars(bars);
  if (isGraded === hasOutcome && hasRegime && hasBars) return status;
  const parts = [
    ...(isGraded && !hasOutcome ? ['outcome' as const] : []),
    ...(hasRegime ? [] : ['created_regime' as const]),
    ...(hasBars ? [] : ['bars' as const]),
  ];
  return {
    ...status,
    facts: hasOutcome ? facts : null,
    owner_facts: hasOutcome ? owner_facts : null,
    ...(bars === undefined ? {} : { bars: hasOutcome && hasBars ? bars : null }),
    created_regime: hasRegime ? created_regime : null,
    ...faultOf(parts),
  };
}

/** A status, of which the bars may not have been read. */
type ReadStatus = Omit<DecisionStatus, 'bars'> & Partial<Pick<DecisionStatus, 'bars'>>;

/** The same of a whole record, without the words of its statement that cannot be read. */
export function readable<Read extends TabledDecision>(decision: Read, form: ReplyForm): Read & Faulted {
  const status = readableStatus(decision, form);
  const { submission } = decision;
  const shown = form === 'public' ? (['key_factors'] as const) : WORD_NAMES;
  const unreadable = shown.filter((name) => submission[name] !== undefined && !WORD_CHECKS[name](submission[name]));
  if (unreadable.length === 0 && hasStatement(decision)) return status;
  const sound = Object.entries(submission).filter(([name]) => !unreadable.some((each) => each === name));
  const submitted = Object.fromEntries(sound) as unknown as Submission;
  return { ...status, submission: submitted, ...faultOf([...(status.fault?.parts ?? []), 'statement']) };
}

/** Whether the record has its document: without, its statement and its commitment are empty. */
export function hasStatement({ commitment }: Pick<Decision, 'commitment'>): boolean {
  return commitment !== '';
}

/** The figures of the path in the row of a record, null before its grade. */
export interface RowFigures {
  readonly raw_return: number | null;
  readonly directional_return: number | null;
  readonly mfe: number | null;
  readonly mae: number | null;
}

/** Whether the figures in the row of a graded record can be shown. */
export function hasFigures<Row extends RowFigures>(
  row: Row,
): row is Row & { readonly raw_return: number; readonly mae: number } {
  const { raw_return, directional_return, mfe, mae } = row;
  return (
    isNumber(raw_return) && isNumber(mae) && [directional_return, mfe].every((each) => each === null || isNumber(each))
  );
}

/** What of the row of a record cannot be shown in a list. */
export function faultyInRow(row: RowFigures & Pick<Decision, 'created_regime' | 'evaluated_at'>): readonly FaultPart[] {
  const { created_regime, evaluated_at } = row;
  return [
    ...(evaluated_at === null || hasFigures(row) ? [] : ['path' as const]),
    ...(created_regime === null || isRegime(created_regime) ? [] : ['created_regime' as const]),
  ];
}
