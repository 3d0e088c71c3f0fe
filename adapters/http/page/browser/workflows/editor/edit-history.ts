/** The states that a value had, with the way back and forth. */
export interface EditHistory<State> {
  readonly past: readonly State[];
  readonly now: State;
  readonly future: readonly State[];
}

/** States that one can go back to; older ones are forgotten. */
const MOST = 200;

export function begun<State>(now: State): EditHistory<State> {
  return { past: [], now, future: [] };
}

export function edited<State>({ past, now }: EditHistory<State>, next: State): EditHistory<State> {
  return { past: [...past, now].slice(-MOST), now: next, future: [] };
}

/** One state back; the same history if there is none. */
export function undone<State>(history: EditHistory<State>): EditHistory<State> {
  const before = history.past.at(-1);
  if (history.past.length === 0) return history;
  return { past: history.past.slice(0, -1), now: before as State, future: [history.now, ...history.future] };
}

/** One state forth again; the same history if there is none. */
export function redone<State>(history: EditHistory<State>): EditHistory<State> {
  const [next, ...future] = history.future;
  if (history.future.length === 0) return history;
  return { past: [...history.past, history.now], now: next as State, future };
}
