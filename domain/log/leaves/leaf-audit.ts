import { Malformed } from '../encoding.ts';
import { CLOSING_REASONS, type ClosingReason, type Continues, type LogLeaf, leafOf } from './leaf.ts';

/**
 * The state of an index, one byte: what follows, `IMPORTED` in addition for a decision that is older than its log, and of a
 * closed one the reason. A closed decision remembers what it was before its first closing.
 */
export const LEAF_STATE = { other: 0, open: 1, graded: 2, closedOpen: 3, closedGraded: 4 } as const;
const KIND = 0x0f;
const IMPORTED = 0x10;
/** From this bit on: the number of the reason, from 1; 0 in what earlier versions kept. */
const REASON = 5;

/** How many leaves there are, and how many decisions are in each state. */
export interface LeafCounts {
  readonly leaves: number;
  readonly decisions: number;
  readonly imported: number;
  readonly open: number;
  readonly graded: number;
  readonly closed: number;
  /** Those that are closed without a grade, by their reasons. */
  readonly closedUngraded: ReadonlyMap<ClosingReason | 'unknown', number>;
}

/** A leaf that says that its log goes on with the leaves of another one. */
export interface Continuation extends Pick<Continues, 'of' | 'size' | 'root'> {
  readonly index: number;
}

/** A reading of a log from its first leaf on, or from where an earlier one ended. */
export interface LeafAudit {
  /**
   * Reads the next leaf.
   * @param batchStart the first index of its batch, if it is known: an outcome is in a later batch than its decision
   * @returns what is wrong with it, in words; null for nothing. A faulty leaf changes no state
   */
  next(bytes: Uint8Array, batchStart?: number): string | null;
  /** The state of an index, one of `LEAF_STATE`. */
  stateOf(index: number): number;
  /** Why the decision of an index is closed; null where it is not, or its reading did not keep the reason. */
  reasonOf(index: number): ClosingReason | null;
  /** One byte per index that was read. */
  states(): Uint8Array;
  /** The leaves `continues` by their indexes. Whether their roots are those of the tree is for who has the tree to check. */
  continuations(): readonly Continuation[];
  /** `decisions + imported = open + graded + closed`. */
  counts(): LeafCounts;
}

/** @param before the states where an earlier reading ended @param continued the leaves `continues` that it read */
export function leafAudit(before: Uint8Array = Uint8Array.of(), continued: readonly Continuation[] = []): LeafAudit {
  const continuations = [...continued];
  let states = before.slice();
  let size = before.length;

  function append(state: number): void {
    if (size === states.length) {
      const longer = new Uint8Array(Math.max(256, 2 * size));
      longer.set(states);
      states = longer;
    }
    states[size] = state;
    size += 1;
  }

  function next(bytes: Uint8Array, batchStart = size): string | null {
    const index = size;
    const leaf = readLeaf(bytes);
    append(typeof leaf === 'string' ? LEAF_STATE.other : firstState(leaf));
    if (typeof leaf === 'string') return leaf;
    if ((leaf.t === 'log') !== (index === 0)) return `A leaf of the type ${leaf.t} has the index ${index}.`;
    if (leaf.t === 'continues') return continuedBy(leaf, index);
    if (!('of' in leaf)) return null;
    const state = leaf.of < batchStart ? (states[leaf.of] ?? LEAF_STATE.other) : LEAF_STATE.other;
    const after = stateAfter(leaf, state & KIND);
    if (after === null)
      return `${leaf.t} of ${leaf.of} is not possible: that leaf is ${nameOf(state)} before its batch.`;
    const reason = leaf.t === 'closed' ? CLOSING_REASONS.indexOf(leaf.reason) + 1 : 0;
    states[leaf.of] = after | (state & IMPORTED) | (reason << REASON);
    return null;
  }

  function continuedBy({ of, size: signed, root }: Continues, index: number): string | null {
    const before = continuations.find((each) => each.of === of);
    if (before) return `${of} is continued a second time; leaf ${before.index} did it first.`;
    continuations.push({ index, of, size: signed, root });
    return null;
  }

  const stateOf = (index: number) => (index < size ? (states[index] ?? 0) & KIND : LEAF_STATE.other);

  const reasonOf = (index: number) =>
    index < size ? (CLOSING_REASONS[((states[index] ?? 0) >> REASON) - 1] ?? null) : null;

  return {
    next,
    stateOf,
    reasonOf,
    states: () => states.slice(0, size),
    continuations: () => [...continuations],
    counts: () => countsOf(states.subarray(0, size)),
  };
}

function readLeaf(bytes: Uint8Array): LogLeaf | string {
  try {
    return leafOf(bytes);
  } catch (error) {
    if (error instanceof Malformed) return error.message;
    throw error;
  }
}

function firstState({ t }: LogLeaf): number {
  if (t === 'imported') return LEAF_STATE.open | IMPORTED;
  return t === 'decision' ? LEAF_STATE.open : LEAF_STATE.other;
}

/** The state of a decision after a leaf about it; null when the leaf is not possible. Being graded is for good. */
function stateAfter({ t }: LogLeaf, state: number): number | null {
  const { open, graded, closedOpen, closedGraded } = LEAF_STATE;
  const isOpen = state === open || state === closedOpen;
  if (state === LEAF_STATE.other) return null;
  if (t === 'closed') return isOpen ? closedOpen : closedGraded;
  if (t === 'outcome') return state === open ? graded : null;
  if (state === open || state === graded) return null;
  return isOpen ? open : graded;
}

/** Whether the byte of an index says that its decision is graded, and not closed. */
export function isGraded(state: number): boolean {
  return (state & KIND) === LEAF_STATE.graded;
}

function nameOf(state: number): string {
  const names = ['no decision', 'open', 'graded', 'closed', 'graded and closed'];
  return names[state & KIND] ?? 'unknown';
}

function countsOf(states: Uint8Array): LeafCounts {
  const count = (isCounted: (state: number) => boolean) => states.reduce((n, state) => n + Number(isCounted(state)), 0);
  const inState = (...of: readonly number[]) => count((state) => of.includes(state & KIND));
  return {
    leaves: states.length,
    decisions: count((state) => state !== LEAF_STATE.other && (state & IMPORTED) === 0),
    imported: count((state) => (state & IMPORTED) !== 0),
    open: inState(LEAF_STATE.open),
    graded: inState(LEAF_STATE.graded),
    closed: inState(LEAF_STATE.closedOpen, LEAF_STATE.closedGraded),
    closedUngraded: new Map(
      (['unknown', ...CLOSING_REASONS] as const).flatMap((reason, number) => {
        const closed = count((state) => (state & KIND) === LEAF_STATE.closedOpen && state >> REASON === number);
        return closed > 0 ? [[reason, closed] as const] : [];
      }),
    ),
  };
}
