import type { EvaluationEnd } from './evaluation-store.ts';
import type { LifecycleState, Move } from './lifecycle.ts';

/** The moves that end an evaluation. */
export type EndingMove = Extract<Move, 'grade' | 'defer' | 'give_up' | 'postpone'>;

/** What an evaluation without an outcome changes of its record, besides the state. */
export interface Continuation {
  /** When a sweep processes the record next; null when none will. */
  readonly due_at: Date | null;
  /** What is added to the record's attempts: only a deferral counts as one (evaluation.md section 6). */
  readonly attempted: 0 | 1;
  readonly last_error: string;
}

/** The move that ends an evaluation: a deferral without a time for another try gives up. */
export function moveOf({ result, retry_at }: Pick<EvaluationEnd, 'result' | 'retry_at'>): EndingMove {
  switch (result.kind) {
    case 'evaluated':
      return 'grade';
    case 'postponed':
      return 'postpone';
    case 'deferred':
      return retry_at === null ? 'give_up' : 'defer';
    case 'data_unavailable':
      return 'give_up';
  }
}

/**
 * The state after the end of an evaluation. A postponed record returns to its earlier state: `deferred` once it has
 * been deferred, `verified` before.
 * @param attempts how often the record was deferred before this evaluation
 */
export function stateAfter(move: EndingMove, attempts: number): LifecycleState {
  switch (move) {
    case 'grade':
      return 'evaluated';
    case 'postpone':
      return attempts > 0 ? 'deferred' : 'verified';
    case 'defer':
      return 'deferred';
    case 'give_up':
      return 'data_unavailable';
  }
}

/**
 * How a record continues after an evaluation without an outcome.
 * @throws TypeError for an end with an outcome
 */
export function continuationOf(end: Pick<EvaluationEnd, 'result' | 'retry_at'>): Continuation {
  const { result, retry_at } = end;
  if (result.kind === 'evaluated') throw new TypeError('An evaluated record has an outcome');
  const due_at = result.kind === 'postponed' ? result.until : moveOf(end) === 'defer' ? retry_at : null;
  return {
    due_at,
    attempted: result.kind === 'deferred' ? 1 : 0,
    last_error: `${result.reason}: ${result.detail}`,
  };
}
