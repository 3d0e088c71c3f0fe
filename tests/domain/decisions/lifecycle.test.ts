import { expect, test } from '@jest/globals';
import {
  canMove,
  DUE_STATES,
  firstState,
  LIFECYCLE_STATES,
  type LifecycleState,
  type Move,
  progress,
  statesBefore,
  TRANSITIONS,
  UNAVAILABLE_STATES,
} from '../../../domain/decisions/lifecycle.ts';

/** settled.md section 5 and its amendment in section 14, each line as written there. */
const CONTRACT: readonly (readonly [from: LifecycleState, to: LifecycleState])[] = [
  ['pending_verify', 'verified'],
  ['pending_verify', 'rejected'],
  ['verified', 'evaluating'],
  ['evaluating', 'evaluated'],
  ['evaluating', 'deferred'],
  ['evaluating', 'data_unavailable'],
  ['deferred', 'evaluating'],
  ['data_unavailable', 'evaluating'],
  ['rejected', 'pending_verify'],
  ['pending_verify', 'quarantined'],
  ['verified', 'quarantined'],
  ['rejected', 'quarantined'],
  ['deferred', 'quarantined'],
  ['data_unavailable', 'quarantined'],
  ['evaluated', 'quarantined'],
  ['quarantined', 'evaluated'],
  ['quarantined', 'pending_verify'],
];

/** An evaluation that did not end within its lease, or came too early. */
const OF_LEASES: typeof CONTRACT = [
  ['evaluating', 'evaluating'],
  ['evaluating', 'quarantined'],
  ['evaluating', 'verified'],
];

test('the transitions are those of the contract, and those of an evaluation that lost or gave back its lease', () => {
  const pairs = TRANSITIONS.flatMap(({ from, to }) => from.map((state) => `${state} -> ${to}`));
  const expected = [...CONTRACT, ...OF_LEASES].map(([from, to]) => `${from} -> ${to}`);
  expect([...new Set(pairs)].sort()).toEqual(expected.sort());
});

test('every state is reached from the first ones, and no state is terminal', () => {
  const reached = new Set<LifecycleState>([firstState(true), firstState(false)]);
  for (const _ of LIFECYCLE_STATES) {
    for (const { from, to } of TRANSITIONS) if (from.some((state) => reached.has(state))) reached.add(to);
  }
  expect([...reached].sort()).toEqual([...LIFECYCLE_STATES].sort());
  for (const state of LIFECYCLE_STATES) {
    expect(TRANSITIONS.some(({ from, to }) => to !== state && (from as readonly string[]).includes(state))).toBe(true);
  }
});

test.each<[Move, LifecycleState | undefined, readonly LifecycleState[]]>([
  ['verify', 'verified', ['pending_verify']],
  ['expire', 'rejected', ['pending_verify']],
  ['refresh', undefined, ['rejected', 'data_unavailable']],
  ['refresh', 'evaluating', ['data_unavailable']],
  ['claim', undefined, ['verified', 'deferred', 'evaluating']],
  ['release', undefined, ['quarantined']],
])('the states before %s to %s', (by, to, states) => {
  expect(statesBefore(by, to)).toEqual(states);
  for (const state of LIFECYCLE_STATES) if (!to) expect(canMove(state, by)).toBe(states.includes(state));
});

test('the due states are those that a claim accepts', () => {
  expect(DUE_STATES).toEqual(['verified', 'deferred', 'evaluating']);
});

test('the progress of a record follows from its state, and of a verified one from the end of its window', () => {
  expect(UNAVAILABLE_STATES).toEqual(['rejected', 'data_unavailable', 'quarantined']);
  const [end, before] = [new Date(1_000), new Date(999)];
  expect(progress('verified', end, before)).toBe('tracking');
  expect(progress('verified', end, end)).toBe('awaiting_evaluation');
  expect(progress('pending_verify', end, end)).toBe('awaiting_verification');
  expect(progress('evaluating', end, before)).toBe('awaiting_evaluation');
  expect(progress('deferred', end, before)).toBe('awaiting_evaluation');
  expect(progress('evaluated', end, before)).toBe('closed');
});
