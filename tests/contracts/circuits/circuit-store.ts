import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  type Circuit,
  type CircuitStep,
  type CircuitStore,
  changed,
  NO_RUNS,
  resolve,
  trip,
} from '../../../domain/circuits/circuit.ts';
import { observe } from '../../../domain/circuits/observe.ts';
import { CIRCUIT } from '../../../domain/limits.ts';
import { DAY, MINUTE, type Millis, SECOND } from '../../../domain/time.ts';
import { aCircuit, aPeg, bringTo, quotesOf } from '../../builders/circuits.ts';
import { race } from '../adapters.ts';
import { type DecisionAdapter, NOON, type OpenedDecisions } from '../decisions/adapters.ts';

/** The promises of a store of circuits, by a clock that the test moves. */
export function circuitStoreContract(adapter: DecisionAdapter): void {
  let opened: OpenedDecisions;
  let circuits: CircuitStore;
  let time = NOON.getTime();
  beforeAll(async () => {
    opened = await adapter.open();
    circuits = opened.storage.circuits;
  });
  beforeEach(async () => {
    time += 30 * DAY;
    await opened.arrange.freeze(new Date(time));
  });
  afterAll(() => opened.close());

  const at = (millis: Millis) => new Date(time + millis);
  const moveTo = (millis: Millis) => opened.arrange.freeze(at(millis));
  const read = async () => {
    const [tether] = await circuits.all();
    if (!tether) throw new Error('There is no circuit');
    return tether;
  };
  const look = (drift: number, autoTrip = true) =>
    circuits.transition('USDT', (circuit, now) => {
      return observe(circuit, quotesOf(drift, now), now, { id: randomUUID(), autoTrip });
    });
  const untouched = (circuit: Circuit): CircuitStep => ({ circuit, snapshot: null, observation: null });

  test('a coin that nobody has touched is normal, unobserved and without history', async () => {
    const [, usdc] = await circuits.all();
    expect(usdc).toEqual(aCircuit({ coin: 'USDC' }));
    expect(await circuits.history('USDC', null, 10)).toEqual([]);
    expect(await circuits.observations('USDC', new Date(0))).toEqual([]);
  });

  test('a rule sees the time of the storage, and what it makes of the circuit is what others read', async () => {
    await moveTo(MINUTE);
    const step = await circuits.transition('USDT', (circuit, now) => trip(circuit, doing(), 'paused', now));
    expect(step.circuit).toMatchObject({ state: 'tripped', since: at(MINUTE), reason: 'paused' });
    expect(await read()).toEqual(step.circuit);
    expect(await circuits.history('USDT', null, 1)).toEqual([step.snapshot]);
    const passed: unknown[] = [];
    await circuits.transition('USDT', (circuit, now) => {
      passed.push(circuit, now);
      return untouched(circuit);
    });
    expect(passed).toEqual([step.circuit, at(MINUTE)]);
  });

  test('a repeated trip is a snapshot of its own, and does not move since', async () => {
    await bringTo(circuits, 'USDT', 'normal');
    for (const minute of [1, 2]) {
      await moveTo(minute * MINUTE);
      await circuits.transition('USDT', (circuit, now) => trip(circuit, doing(), `trip ${minute}`, now));
    }
    expect(await read()).toMatchObject({ since: at(MINUTE), snapshot_at: at(2 * MINUTE), reason: 'trip 2' });
    expect((await circuits.history('USDT', null, 2)).map(({ from }) => from)).toEqual(['tripped', 'normal']);
  });

  test('observations and runs are kept to the last digit, of a look that failed its time alone', async () => {
    const { circuit } = await look(123.456);
    expect(circuit.peg).toMatchObject({ drift_bps: 123.456, observed_at: at(0) });
    expect(circuit.peg?.sources).toEqual(quotesOf(123.456, at(0)));
    expect(await read()).toEqual(circuit);
    await moveTo(MINUTE);
    await circuits.transition('USDT', (before, now) => observe(before, [], now, { id: randomUUID(), autoTrip: true }));
    expect(await read()).toEqual({ ...circuit, looked_at: at(MINUTE) });
    await moveTo(2 * MINUTE);
    const { circuit: calm } = await look(0);
    expect(await read()).toEqual(calm);
    expect(calm.runs).toEqual({ ...NO_RUNS, below_since: at(2 * MINUTE) });
    expect((await circuits.observations('USDT', at(0))).map(({ drift_bps }) => drift_bps)).toEqual([123.456, 0]);
    expect(await circuits.observations('USDT', at(1))).toHaveLength(1);
  });

  test('a coin’s changes are not the other’s', async () => {
    const before = await circuits.all();
    await bringTo(circuits, 'USDC', 'warming');
    const [tether, usdc] = await circuits.all();
    expect([tether, usdc?.state]).toEqual([before[0], 'warming']);
    expect((await circuits.history('USDC', null, 10)).map(({ to }) => to)).toEqual(['warming', 'tripped']);
  });

  test('a resolution is kept with its justification and its evidence', async () => {
    await bringTo(circuits, 'USDT', 'warming');
    const said = { justification: 'sound', evidence_urls: ['https://example.com/a', 'https://example.com/b'] };
    await circuits.transition('USDT', (circuit, now) => resolve(circuit, doing(), said, now));
    expect(await circuits.history('USDT', null, 1)).toMatchObject([{ ...said, reason: null, to: 'normal' }]);
    expect(await read()).toMatchObject({ state: 'normal', reason: 'sound' });
  });

  test('a rule that throws changes nothing, and neither does one within a transaction that is undone', async () => {
    const before = await read();
    const fault = new Error('the rule failed');
    const failing = circuits.transition('USDT', () => {
      throw fault;
    });
    await expect(failing).rejects.toBe(fault);
    const undone = opened.storage.transaction(async (stores) => {
      await stores.circuits.transition('USDT', (circuit, now) => trip(circuit, doing(), 'paused', now));
      const [inside] = await stores.circuits.all();
      expect(inside?.reason).toBe('paused');
      throw fault;
    });
    await expect(undone).rejects.toBe(fault);
    expect(await read()).toEqual(before);
  });

  test('the history goes back page by page, skips nothing and repeats nothing', async () => {
    const ids = await race(25, () => bringTo(circuits, 'USDT', 'tripped'));
    const paged: string[] = [];
    for (let before: string | null = null; paged.length < 25; before = paged.at(-1) ?? null) {
      const page = await circuits.history('USDT', before, 7);
      paged.push(...page.map(({ id }) => id));
    }
    expect(paged.slice(0, 25).toSorted()).toEqual(ids.toSorted());
    expect(paged).toEqual((await circuits.history('USDT', null, paged.length)).map(({ id }) => id));
    expect(await circuits.history('USDT', randomUUID(), 5)).toEqual([]);
    expect(await circuits.history('USDC', paged[0] ?? '', 5)).toEqual([]);
  });

  test('isolations are the times between snapshots that are not normal', async () => {
    const tripped = await bringTo(circuits, 'USDT', 'tripped');
    await moveTo(10 * MINUTE);
    const second = await bringTo(circuits, 'USDT', 'tripped');
    const warm = randomUUID();
    await moveTo(20 * MINUTE);
    const recovered = { id: warm, actor: 'monitor', to: 'warming', cause: 'recovery', reason: 'calm' } as const;
    await circuits.transition('USDT', (circuit, now) => changed(circuit, recovered, now));
    await moveTo(30 * MINUTE);
    const open = [
      { snapshot_id: tripped, state: 'tripped', from: time, until: time + 10 * MINUTE },
      { snapshot_id: second, state: 'tripped', from: time + 10 * MINUTE, until: time + 20 * MINUTE },
      { snapshot_id: warm, state: 'warming', from: time + 20 * MINUTE, until: null },
    ];
    const isolationsIn = (from: Millis, to: Millis) => circuits.isolations('USDT', time + from, time + to);
    expect(await isolationsIn(0, DAY)).toEqual(open);
    expect(await isolationsIn(10 * MINUTE - 1, 20 * MINUTE - 1)).toEqual(open.slice(0, 2));
    expect(await isolationsIn(10 * MINUTE, 20 * MINUTE)).toEqual(open.slice(1));
    expect(await isolationsIn(DAY, 2 * DAY)).toEqual(open.slice(2));
    const sound = { justification: 'sound', evidence_urls: ['https://example.com'] };
    await circuits.transition('USDT', (circuit, now) => resolve(circuit, doing(), sound, now));
    expect(await isolationsIn(20 * MINUTE, DAY)).toEqual([{ ...open[2], until: time + 30 * MINUTE }]);
    expect(await isolationsIn(30 * MINUTE, DAY)).toEqual([]);
  });

  test('an isolation that lasted no time is none', async () => {
    await bringTo(circuits, 'USDT', 'normal');
    expect(await circuits.isolations('USDT', time - 1, time + 1)).toEqual([]);
  });

  test('of 20 trips at once each appends, and the snapshots chain', async () => {
    await bringTo(circuits, 'USDT', 'normal');
    expect(await brokenLinks(circuits, 20)).toBe(0);
  });

  test('a trip and a resolution at once are one after the other', async () => {
    for (let round = 0; round < 10; round += 1) {
      await bringTo(circuits, 'USDT', 'warming');
      const resolved = await tripAgainstResolve(circuits);
      const [newest, before] = await circuits.history('USDT', null, 2);
      expect([newest?.cause, newest?.from]).toEqual(['trip', resolved ? 'normal' : 'warming']);
      expect(before?.cause).toBe(resolved ? 'resolve' : 'recovery');
      expect((await read()).state).toBe('tripped');
    }
  });

  test('of 20 monitors that look at once, one writes its observation, and a due trip comes once', async () => {
    await bringTo(circuits, 'USDT', 'normal');
    for (let minute = 0; minute < 3; minute += 1) {
      await moveTo(minute * MINUTE);
      const steps = await race(20, () => look(300));
      expect(steps.filter(({ observation }) => observation)).toHaveLength(1);
    }
    const [newest, before] = await circuits.history('USDT', null, 2);
    expect([newest?.cause, before?.cause]).toEqual(['auto_trip', 'resolve']);
    expect(await circuits.observations('USDT', at(0))).toHaveLength(3);
  });

  test('observations against trips: the recovery never begins before the last trip', async () => {
    for (let round = 0; round < 10; round += 1) {
      await moveTo(round * MINUTE);
      await race<unknown>(10, (worker) => (worker % 2 === 0 ? look(0) : bringTo(circuits, 'USDT', 'tripped')));
      const { runs, since } = await read();
      expect(runs.below_since?.getTime() ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(since?.getTime() ?? 0);
    }
  });

  test('within a transaction the circuit is nobody else’s until that ends', async () => {
    await bringTo(circuits, 'USDT', 'normal');
    const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const order: string[] = [];
    const first = opened.storage.transaction(async (stores) => {
      await stores.circuits.transition('USDT', (circuit, now) => trip(circuit, doing(), 'first', now));
      locked.resolve();
      await release.promise;
      order.push('first');
    });
    await locked.promise;
    const second = circuits.transition('USDT', (circuit, now) => {
      order.push(`second after ${circuit.reason}`);
      return trip(circuit, doing(), 'second', now);
    });
    // Time enough for a store that does not wait.
    await sleep(50);
    release.resolve();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second after first']);
  });

  test('pruning removes what is eight days old, and nothing else', async () => {
    await moveTo(20 * DAY);
    await circuits.prune();
    await moveTo(0);
    await look(1);
    await moveTo(SECOND * 60);
    await look(2);
    await moveTo(CIRCUIT.keepObservations - 1);
    expect(await circuits.prune()).toBe(0);
    await moveTo(CIRCUIT.keepObservations);
    expect(await circuits.prune()).toBe(1);
    expect((await read()).peg).toEqual(aPeg(2, at(MINUTE)));
    await moveTo(CIRCUIT.keepObservations + MINUTE);
    expect(await circuits.prune()).toBe(1);
    expect((await read()).peg).toBeNull();
    expect(await circuits.observations('USDT', new Date(0))).toEqual([]);
  });
}

const doing = () => ({ id: randomUUID(), actor: 'an operator' });

/** After so many trips at once: snapshots whose `from` is not the state of the one before them, and missing ones. */
export async function brokenLinks(circuits: Pick<CircuitStore, 'transition' | 'history'>, trips: number) {
  const [last] = await circuits.history('USDT', null, 1);
  await race(trips, (worker) =>
    circuits.transition('USDT', (circuit, now) =>
      worker % 2 === 0 || circuit.state !== 'tripped'
        ? trip(circuit, doing(), `trip ${worker}`, now)
        : changed(circuit, { ...doing(), to: 'warming', cause: 'recovery', reason: 'calm' }, now),
    ),
  );
  const snapshots = (await circuits.history('USDT', null, trips + 5)).toReversed();
  const made = snapshots.slice(snapshots.findIndex(({ id }) => id === last?.id) + 1);
  const states = [last?.to ?? 'normal', ...made.map(({ to }) => to)];
  return trips - made.length + made.filter(({ from }, index) => from !== states[index]).length;
}

/** Whether the resolution of a warming circuit was taken, while somebody trips it. */
async function tripAgainstResolve(circuits: Pick<CircuitStore, 'transition'>): Promise<boolean> {
  const resolution = { justification: 'sound', evidence_urls: ['https://example.com'] };
  const [resolved] = await Promise.allSettled([
    circuits.transition('USDT', (circuit, now) => resolve(circuit, doing(), resolution, now)),
    circuits.transition('USDT', (circuit, now) => trip(circuit, doing(), 'paused', now)),
  ]);
  if (resolved?.status === 'rejected') expect(resolved.reason).toMatchObject({ code: 'CIRCUIT_NOT_WARMING' });
  return resolved?.status === 'fulfilled';
}
