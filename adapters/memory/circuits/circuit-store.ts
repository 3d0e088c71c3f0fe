import {
  type Circuit,
  type CircuitSnapshot,
  type CircuitStep,
  type CircuitStore,
  type Isolation,
  isolationsWithin,
  NO_RUNS,
  type Runs,
  stateAfterSnapshot,
} from '../../../domain/circuits/circuit.ts';
import { COINS, type Coin } from '../../../domain/circuits/coin.ts';
import type { Peg } from '../../../domain/circuits/peg.ts';
import { CIRCUIT } from '../../../domain/limits.ts';
import type { Table } from '../kit/table.ts';

export interface CircuitTables {
  /** By their ids, in the order in which they came. */
  readonly circuitSnapshots: Table<string, CircuitSnapshot>;
  /** The newest of each coin. */
  readonly circuits: Table<string, CircuitSnapshot>;
  /** By coin. */
  readonly circuitMonitors: Table<string, StoredMonitor>;
  /** By coin and number, in the order in which they came. */
  readonly pegObservations: Table<string, ObservationRow>;
}

export interface StoredMonitor {
  readonly looked_at: Date | null;
  readonly runs: Runs;
  /** The newest observation that is kept, and how many there ever were. */
  readonly peg: Peg | null;
  readonly observations: number;
}

export interface ObservationRow extends Peg {
  readonly coin: Coin;
}

export function memoryCircuits(tables: CircuitTables, now: () => Date): CircuitStore {
  const { circuitSnapshots, circuitMonitors, pegObservations } = tables;
  const snapshotsOf = (coin: Coin) => circuitSnapshots.where((snapshot) => snapshot.coin === coin);
  return {
    all: async () => COINS.map((coin) => circuitOf(tables, coin)),

    async transition(coin, rule) {
      const step = rule(circuitOf(tables, coin), now());
      if (step.snapshot) append(tables, step.snapshot);
      remember(tables, coin, step);
      return step;
    },

    async history(coin, before, limit) {
      const newestFirst = snapshotsOf(coin).toReversed();
      const place = newestFirst.findIndex(({ id }) => id === before);
      if (before !== null && place < 0) return [];
      return newestFirst.slice(place + 1).slice(0, limit);
    },

    isolations: async (coin, from, to) =>
      isolationsWithin(isolationsOf(snapshotsOf(coin)), { anchor_time: from, end_time: to }),

    async observations(coin, from) {
      const rows = pegObservations.where((row) => row.coin === coin && row.observed_at >= from);
      return rows.map(({ coin: _, ...peg }) => peg);
    },

    async prune() {
      const until = new Date(now().getTime() - CIRCUIT.keepObservations);
      for (const coin of COINS) {
        const row = circuitMonitors.get(coin);
        if (row?.peg && row.peg.observed_at <= until) circuitMonitors.set(coin, { ...row, peg: null });
      }
      return pegObservations.deleteWhere(({ observed_at }) => observed_at <= until);
    },
  };
}

const UNWATCHED: StoredMonitor = { looked_at: null, runs: NO_RUNS, peg: null, observations: 0 };

function circuitOf({ circuits, circuitSnapshots, circuitMonitors }: CircuitTables, coin: Coin): Circuit {
  const { looked_at, runs, peg } = circuitMonitors.get(coin) ?? UNWATCHED;
  const changes = circuitSnapshots.where((snapshot) => snapshot.coin === coin && snapshot.from !== snapshot.to);
  const state = stateAfterSnapshot(circuits.get(coin) ?? null, changes.at(-1)?.at ?? null);
  return { coin, ...state, peg, looked_at, runs };
}

function append({ circuits, circuitSnapshots }: CircuitTables, snapshot: CircuitSnapshot): void {
  if (circuitSnapshots.get(snapshot.id)) throw new Error(`There is a snapshot ${snapshot.id} already.`);
  circuitSnapshots.set(snapshot.id, snapshot);
  circuits.set(snapshot.coin, snapshot);
}

function remember(
  { circuitMonitors, pegObservations }: CircuitTables,
  coin: Coin,
  { circuit: { looked_at, runs }, observation }: CircuitStep,
): void {
  const before = circuitMonitors.get(coin) ?? UNWATCHED;
  const observations = before.observations + (observation ? 1 : 0);
  if (observation) pegObservations.set(`${coin} ${observations}`, { ...observation, coin });
  circuitMonitors.set(coin, { looked_at, runs, peg: observation ?? before.peg, observations });
}

function isolationsOf(snapshots: readonly CircuitSnapshot[]): Isolation[] {
  return snapshots.flatMap(({ id, to, at }, place) => {
    const until = snapshots[place + 1]?.at.getTime() ?? null;
    return to === 'normal' ? [] : [{ snapshot_id: id, state: to, from: at.getTime(), until }];
  });
}
