import { expect, test } from '@jest/globals';
import { type CircuitSnapshot, type CircuitStore, stateAfterSnapshot } from '../../../domain/circuits/circuit.ts';
import { aCircuit } from '../../builders/circuits.ts';
import { NOON } from '../decisions/adapters.ts';
import { brokenLinks } from './circuit-store.ts';

// The race must be able to fail: a store that reads, then writes breaks the chain.

test('a store that reads, then writes makes snapshots that do not follow from one another', async () => {
  expect(await brokenLinks(naive(), 20)).toBeGreaterThan(0);
});

function naive(): Pick<CircuitStore, 'transition' | 'history'> {
  const snapshots: CircuitSnapshot[] = [];
  return {
    async transition(_, rule) {
      const newest = snapshots.at(-1) ?? null;
      const circuit = aCircuit(stateAfterSnapshot(newest, newest?.at ?? null));
      await new Promise((resolve) => setImmediate(resolve));
      const step = rule(circuit, NOON);
      if (step.snapshot) snapshots.push(step.snapshot);
      return step;
    },
    history: async (_coin, _before, limit) => snapshots.toReversed().slice(0, limit),
  };
}
