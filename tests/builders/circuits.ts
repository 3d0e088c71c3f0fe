import { randomUUID } from 'node:crypto';
import {
  type Change,
  type Circuit,
  type CircuitState,
  type CircuitStore,
  changed,
  NO_RUNS,
} from '../../domain/circuits/circuit.ts';
import type { Coin } from '../../domain/circuits/coin.ts';
import type { Peg, PegQuote } from '../../domain/circuits/peg.ts';

const TRIPPED = { to: 'tripped', cause: 'trip', reason: 'to be tripped' } as const;
const WARMING = { to: 'warming', cause: 'recovery', reason: 'to be warming' } as const;
const RESOLVED = {
  to: 'normal',
  cause: 'resolve',
  reason: null,
  justification: 'to be normal',
  evidence_urls: ['https://example.com/peg'],
} as const;

/** The transitions that bring any circuit to a state. */
const WAYS: Readonly<Record<CircuitState, readonly Omit<Change, 'id' | 'actor'>[]>> = {
  tripped: [TRIPPED],
  warming: [TRIPPED, WARMING],
  normal: [TRIPPED, WARMING, RESOLVED],
};

/** Brings a coin's circuit from any state to a state; returns the id of its newest snapshot. */
export async function bringTo({ transition }: Pick<CircuitStore, 'transition'>, coin: Coin, state: CircuitState) {
  let id = '';
  for (const change of WAYS[state]) {
    id = randomUUID();
    const doing = { id, actor: 'test' };
    await transition(coin, (circuit, now) => changed(circuit, { ...doing, ...change }, now));
  }
  return id;
}

export function aCircuit(changes: Partial<Circuit> = {}): Circuit {
  const normal = { state: 'normal', since: null, snapshot_id: null, reason: null } as const;
  const snapshot_at = changes.since ?? null;
  return { coin: 'USDT', ...normal, snapshot_at, peg: null, looked_at: null, runs: NO_RUNS, ...changes };
}

/** Quotes of three sources with the same drift below the dollar, at that time. */
export function quotesOf(drift_bps: number, at: Date): PegQuote[] {
  const price = 1 - drift_bps / 10_000;
  return ['kraken', 'coinbase', 'bitstamp'].map((source) => ({ source, price, at }));
}

export function aPeg(drift_bps: number, observed_at: Date): Peg {
  return { price: 1 - drift_bps / 10_000, drift_bps, sources: quotesOf(drift_bps, observed_at), observed_at };
}
