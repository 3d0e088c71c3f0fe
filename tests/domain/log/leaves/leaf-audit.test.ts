import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LIFECYCLE_STATES, type LifecycleState, TRANSITIONS } from '../../../../domain/decisions/lifecycle.ts';
import { CLOSING_REASONS, type LogLeaf, leafBytes } from '../../../../domain/log/leaves/leaf.ts';
import { leafAudit } from '../../../../domain/log/leaves/leaf-audit.ts';

const HEX = '0f'.repeat(32);

type Event = 'outcome' | 'reopened' | (typeof CLOSING_REASONS)[number];

const LOG: LogLeaf = { t: 'log', last: null, v: 1 };
const DECISION: LogLeaf = { t: 'decision', c: HEX, v: 1 };

function eventLeaf(event: Event, of: number): LogLeaf {
  if (event === 'outcome') return { t: event, o: HEX, of, v: 1 };
  return event === 'reopened' ? { t: event, of, v: 1 } : { t: 'closed', of, reason: event, v: 1 };
}

/** The first fault of a log with one decision, at index 1, and these leaves about it. */
function firstFault(...events: readonly Event[]): string | undefined {
  const audit = leafAudit();
  const leaves = [LOG, DECISION, ...events.map((event) => eventLeaf(event, 1))];
  return leaves.map((leaf) => audit.next(leafBytes(leaf))).find((fault) => fault !== null) ?? undefined;
}

describe('the rules of leaves', () => {
  test.each<readonly Event[]>([
    [],
    ['outcome'],
    ['outcome', 'quarantined', 'reopened', 'quarantined', 'reopened'],
    ['rejected', 'quarantined', 'reopened', 'outcome'],
    ['rejected', 'reopened', 'data_unavailable', 'reopened', 'outcome', 'quarantined'],
    ['data_unavailable', 'quarantined'],
  ])('allow %j %j %j %j %j', (...events) => {
    expect(firstFault(...events)).toBeUndefined();
  });

  test.each<readonly [string, ...Event[]]>([
    ['outcome of 1 is not possible: that leaf is graded before its batch.', 'outcome', 'outcome'],
    ['outcome of 1 is not possible: that leaf is closed before its batch.', 'rejected', 'outcome'],
    [
      'outcome of 1 is not possible: that leaf is graded and closed before its batch.',
      'outcome',
      'quarantined',
      'outcome',
    ],
    [
      'outcome of 1 is not possible: that leaf is graded before its batch.',
      'outcome',
      'quarantined',
      'reopened',
      'outcome',
    ],
    ['reopened of 1 is not possible: that leaf is open before its batch.', 'reopened'],
    ['reopened of 1 is not possible: that leaf is graded before its batch.', 'outcome', 'reopened'],
  ])('name the fault: %s', (fault, ...events) => {
    expect(firstFault(...events)).toBe(fault);
  });

  test.each([
    ['a log that starts otherwise', [DECISION]],
    ['a second first leaf', [LOG, LOG]],
    ['an outcome of a leaf that is no decision', [LOG, eventLeaf('outcome', 0)]],
    ['an outcome of itself', [LOG, eventLeaf('outcome', 1)]],
    ['an outcome before its decision', [LOG, eventLeaf('outcome', 2), DECISION]],
    ['an outcome of a plan', [LOG, { t: 'plan', c: HEX, v: 1 } as const, eventLeaf('outcome', 1)]],
  ])('refuse %s', (_, leaves) => {
    const audit = leafAudit();
    expect(leaves.map((leaf) => audit.next(leafBytes(leaf))).filter((fault) => fault !== null)).toHaveLength(1);
  });

  test('refuse an outcome in the batch of its decision, and allow it in the next', () => {
    const audit = leafAudit();
    for (const leaf of [LOG, DECISION]) audit.next(leafBytes(leaf), 0);
    const outcome = leafBytes(eventLeaf('outcome', 1));
    expect(audit.next(outcome, 0)).toBe('outcome of 1 is not possible: that leaf is no decision before its batch.');
    expect(audit.next(outcome, 3)).toBeNull();
  });

  test('allow every path of the lifecycle', () => {
    const walk = fc.array(fc.nat(), { minLength: 1, maxLength: 40 });
    fc.assert(fc.property(walk, (choices) => expect(firstFault(...eventsOf(choices))).toBeUndefined()));
  });
});

const CLOSED: readonly LifecycleState[] = CLOSING_REASONS;

/**
 * What a walk through the lifecycle writes: `outcome` on a grade, `closed` on entering a closed state, `reopened` on
 * leaving them. A release returns a record to the side that it was on: graded, or not.
 */
function eventsOf(choices: readonly number[]): readonly Event[] {
  const events: Event[] = [];
  let [state, isGraded]: [LifecycleState, boolean] = ['pending_verify', false];
  for (const choice of choices) {
    const moves = TRANSITIONS.filter(({ by, from, to }) => {
      const isPossible = (from as readonly LifecycleState[]).includes(state);
      return isPossible && (by !== 'release' || (to === 'evaluated') === isGraded);
    });
    const move = moves[choice % moves.length];
    if (!move) continue;
    if (CLOSED.includes(state) && !CLOSED.includes(move.to)) events.push('reopened');
    if (move.by === 'grade') events.push('outcome');
    const reason = CLOSING_REASONS.find((each) => each === move.to);
    if (reason) events.push(reason);
    isGraded ||= move.by === 'grade';
    state = move.to;
  }
  return events;
}

describe('the counts of an audit', () => {
  const kinds = fc.constantFrom('decision', 'imported', 'outcome', 'closed', 'reopened', 'snapshot', 'dataset', 'plan');
  const leaves = fc.array(fc.tuple(kinds, fc.nat({ max: 40 })), { maxLength: 200 });

  function leafOfKind([kind, of]: readonly [LogLeaf['t'], number]): LogLeaf {
    if (kind === 'snapshot' || kind === 'dataset') return { t: kind, sha256: HEX, v: 1 };
    if (kind === 'closed') return eventLeaf('quarantined', of);
    return kind === 'outcome' || kind === 'reopened' ? eventLeaf(kind, of) : ({ t: kind, c: HEX, v: 1 } as LogLeaf);
  }

  test('add up, whatever the leaves, and a reading goes on from the states of an earlier one', () => {
    const property = fc.property(leaves, (drawn) => {
      const bytes = [LOG, ...drawn.map(leafOfKind)].map(leafBytes);
      const [whole, first] = [leafAudit(), leafAudit()];
      const faults = bytes.map((each) => whole.next(each));
      const half = bytes.length >> 1;
      for (const each of bytes.slice(0, half)) first.next(each);
      const second = leafAudit(first.states());
      expect(bytes.slice(half).map((each) => second.next(each))).toEqual(faults.slice(half));
      const { leaves: count, decisions, imported, open, graded, closed } = second.counts();
      expect(second.counts()).toEqual(whole.counts());
      expect([count, decisions + imported]).toEqual([bytes.length, open + graded + closed]);
      expect(decisions).toBe(drawn.filter(([kind]) => kind === 'decision').length);
      expect(imported).toBe(drawn.filter(([kind]) => kind === 'imported').length);
    });
    fc.assert(property, { numRuns: 100 });
  });

  test('cover the states of the lifecycle in which a decision is closed', () => {
    expect(LIFECYCLE_STATES).toEqual(expect.arrayContaining([...CLOSING_REASONS]));
  });
});

describe('a log that goes on with the leaves of another one', () => {
  const continued = (of: string, size: number): LogLeaf => ({ t: 'continues', of, root: HEX, size, v: 1 });
  const read = (audit: ReturnType<typeof leafAudit>, ...leaves: readonly LogLeaf[]) =>
    leaves.map((leaf) => audit.next(leafBytes(leaf))).filter((fault) => fault !== null);

  test('says so in a leaf of its own, which changes no decision', () => {
    const audit = leafAudit();
    expect(
      read(audit, LOG, DECISION, continued('a/log/1', 2), eventLeaf('outcome', 1), continued('a/log/2', 9)),
    ).toEqual([]);
    expect(audit.continuations()).toEqual([
      { index: 2, of: 'a/log/1', root: HEX, size: 2 },
      { index: 4, of: 'a/log/2', root: HEX, size: 9 },
    ]);
    expect(audit.counts()).toMatchObject({ leaves: 5, decisions: 1, graded: 1 });
    expect(read(audit, eventLeaf('outcome', 2))).toEqual([expect.stringContaining('that leaf is no decision')]);
  });

  test('says it once for each log, also to an audit that goes on where another one ended', () => {
    const first = leafAudit();
    read(first, LOG, continued('a/log/1', 1));
    const second = leafAudit(first.states(), first.continuations());
    expect(read(second, continued('a/log/1', 1))).toEqual(['a/log/1 is continued a second time; leaf 1 did it first.']);
    expect(second.continuations()).toHaveLength(1);
  });

  test('does not begin with that leaf', () => {
    expect(read(leafAudit(), continued('a/log/1', 0))).toEqual(['A leaf of the type continues has the index 0.']);
  });
});
