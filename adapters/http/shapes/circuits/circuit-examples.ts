import type { z } from 'zod';
import type { circuitView, publicCircuit, snapshotPage } from './circuits.ts';

const SNAPSHOT_ID = '019cadb4-3c00-7a1b-8c2d-3e4f5a6b7c8d';
const OPERATOR = '019ca000-0000-7000-8000-00000000abcd';

export const trippedExample: z.input<typeof circuitView> = {
  coin: 'USDC',
  state: 'tripped',
  since: new Date('2026-03-02T12:00:00Z'),
  snapshot_id: SNAPSHOT_ID,
  reason: 'The issuer has paused redemptions.',
  peg: {
    price: 0.9987,
    drift_bps: 13,
    sources: [
      { source: 'bitstamp', price: 0.9986, at: new Date('2026-03-02T12:00:41Z') },
      { source: 'gemini', price: 0.9987, at: new Date('2026-03-02T12:00:12Z') },
      { source: 'kraken', price: 0.9988, at: new Date('2026-03-02T12:00:52Z') },
    ],
    observed_at: new Date('2026-03-02T12:01:00Z'),
  },
  recovery: {
    sub_threshold_since: new Date('2026-03-02T12:01:00Z'),
    warming_at: new Date('2026-03-03T12:01:00Z'),
  },
};

export const publicCircuitExample: z.input<typeof publicCircuit> = {
  coin: 'USDC',
  state: 'tripped',
  since: new Date('2026-03-02T12:00:00Z'),
  peg: { price: 0.9987, drift_bps: 13, observed_at: new Date('2026-03-02T12:01:00Z') },
};

export const unobservedExample: z.input<typeof circuitView> = {
  coin: 'USDT',
  state: 'normal',
  since: null,
  snapshot_id: null,
  reason: null,
  peg: null,
  recovery: null,
};

export const resolutionExample = {
  justification: 'The issuer redeems at par again; 24 hours and more without drift.',
  evidence_urls: ['https://example.com/attestations/2026-03'],
};

export const resolvedExample: z.input<typeof circuitView> = {
  ...unobservedExample,
  coin: 'USDC',
  since: new Date('2026-03-03T14:20:00Z'),
  snapshot_id: SNAPSHOT_ID,
  reason: resolutionExample.justification,
};

export const snapshotPageExample: z.input<typeof snapshotPage> = {
  items: [
    {
      id: SNAPSHOT_ID,
      coin: 'USDC',
      from: 'warming',
      to: 'normal',
      cause: 'resolve',
      actor: OPERATOR,
      reason: null,
      ...resolutionExample,
      at: new Date('2026-03-03T14:20:00Z'),
    },
  ],
  next_cursor: null,
};
