import { type LifecycleState, type Move, statesBefore } from '../../../domain/decisions/lifecycle.ts';

/** A condition on the state of a row of app.decisions: one that the move may take records out of. */
export function stateBefore(by: Move, to?: LifecycleState): string {
  return stateIn(statesBefore(by, to));
}

/** A condition on the state of a row of app.decisions: one of these. Literals, so that partial indexes are used. */
export function stateIn(states: readonly LifecycleState[]): string {
  return `lifecycle_state in (${states.map((state) => `'${state}'`).join(', ')})`;
}
