import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Circuit, CircuitState } from '../../../domain/circuits/circuit.ts';
import { MINUTE, type Millis, SECOND } from '../../../domain/time.ts';
import { aCircuit } from '../../builders/circuits.ts';
import { modelStates } from './model.ts';
import { type Happening, play, START } from './played.ts';

/** On and around every edge of the rules. */
const drift = fc.constantFrom(0, 0, 49.999, 50, 99.999, 100, 199.999, 200, 1_200, null);
const spacing = fc.constantFrom(SECOND, 44 * SECOND, 45 * SECOND, MINUTE, 5 * MINUTE, 10 * MINUTE, 10 * MINUTE + 1);

/** Equal looks, and sometimes an operator before them. */
const stretch = fc.record({
  looks: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 100, max: 200 })),
  drift,
  spacing,
  operator: fc.constantFrom<'trip' | 'resolve' | null>(null, null, 'trip', 'resolve', 'resolve'),
});

/** A trip and 25 hours of calm. */
const RECOVERY = { looks: 151, drift: 0, spacing: 10 * MINUTE, operator: 'trip' } as const;

/** Half of them begin with a recovery, since warming circuits are too rare otherwise for every run to cover all paths. */
const stretches = fc
  .tuple(fc.boolean(), fc.array(stretch, { minLength: 1, maxLength: 12 }))
  .map(([recovered, drawn]) => (recovered ? [RECOVERY, ...drawn] : drawn));

const happenings = stretches.map((list) => {
  let at: Millis = 0;
  return list.flatMap(({ looks, spacing: apart, drift: each, operator }): Happening[] => {
    const from = at + SECOND;
    at = from + looks * apart;
    const before: Happening[] = operator ? [{ at: from, operator }] : [];
    return [
      ...before,
      ...Array.from({ length: looks }, (_, index) => ({ at: from + (index + 1) * apart, drift: each })),
    ];
  });
});

test('the states are those of a model that reads the whole list each time', () => {
  const reached = new Map<string, number>();
  fc.assert(
    fc.property(happenings, (list) => {
      const { states } = play(list);
      expect(states).toEqual(modelStates(list));
      note(reached, states);
    }),
    { numRuns: 150 },
  );
  for (const way of ['normal tripped', 'tripped warming', 'warming tripped', 'warming normal']) {
    expect([way, (reached.get(way) ?? 0) > 0]).toEqual([way, true]);
  }
});

test('snapshots chain, each is newer than the last, and the newest is the state', () => {
  fc.assert(
    fc.property(happenings, (list) => {
      const { circuit, snapshots } = play(list);
      const states = ['normal', ...snapshots.map(({ to }) => to)];
      expect(snapshots.map(({ from }) => from)).toEqual(states.slice(0, -1));
      expect(circuit).toMatchObject({ state: states.at(-1), snapshot_id: snapshots.at(-1)?.id ?? null });
      for (const [index, { at }] of snapshots.entries()) {
        expect(at.getTime()).toBeGreaterThanOrEqual(snapshots[index - 1]?.at.getTime() ?? 0);
      }
    }),
    { numRuns: 40 },
  );
});

test('a process that ends midway loses nothing: rules depend only on the circuit', () => {
  fc.assert(
    fc.property(happenings, fc.nat(), (list, cut) => {
      const half = cut % list.length;
      const restored = JSON.parse(JSON.stringify(play(list.slice(0, half)).circuit), withDates);
      expect(play(list.slice(half), restored).states).toEqual(play(list).states.slice(half));
    }),
    { numRuns: 40 },
  );
});

test('only an operator makes a circuit normal, and the monitor trips none with auto-trip off', () => {
  fc.assert(
    fc.property(happenings, (list) => {
      const { snapshots } = play(list, aCircuit(), false);
      const causes = snapshots.map(({ to, cause, actor }) => `${to} ${cause} ${actor}`);
      const allowed = ['tripped trip operator', 'warming recovery monitor', 'normal resolve operator'];
      expect(causes.filter((cause) => !allowed.includes(cause))).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

test.each([
  ['forgets gaps', (circuit: Circuit, at: Millis) => withPegAt(circuit, at - MINUTE)],
  ['counts twins', (circuit: Circuit, at: Millis) => withPegAt(circuit, Math.min(seenAt(circuit), at - MINUTE))],
  ['lets operators’ trips count for nothing', (circuit: Circuit) => withRunSinceEver(circuit)],
])('a rule that %s is caught by the model', (_, plant) => {
  const wrong = (list: readonly Happening[]) => {
    let circuit = aCircuit();
    return list.map((happening) => {
      circuit = play([happening], plant(circuit, happening.at)).circuit;
      return circuit.state;
    });
  };
  const property = fc.property(happenings, (list) => expect(wrong(list)).toEqual(modelStates(list)));
  expect(fc.check(property, { numRuns: 400 }).failed).toBe(true);
});

function withPegAt(circuit: Circuit, at: Millis): Circuit {
  return circuit.peg ? { ...circuit, peg: { ...circuit.peg, observed_at: new Date(START + at) } } : circuit;
}

function seenAt({ peg }: Circuit): Millis {
  return peg ? peg.observed_at.getTime() - START : 0;
}

/** As if the run had begun before the trip. */
function withRunSinceEver(circuit: Circuit): Circuit {
  const { below_since } = circuit.runs;
  return below_since ? { ...circuit, runs: { ...circuit.runs, below_since: new Date(START) } } : circuit;
}

function note(reached: Map<string, number>, states: readonly CircuitState[]): void {
  for (const [index, state] of states.entries()) {
    const way = `${states[index - 1] ?? 'normal'} ${state}`;
    reached.set(way, (reached.get(way) ?? 0) + 1);
  }
}

/** Every time as the Date it was. */
function withDates(key: string, value: unknown): unknown {
  return typeof value === 'string' && (key === 'at' || key.endsWith('_at') || key.endsWith('since'))
    ? new Date(value)
    : value;
}
