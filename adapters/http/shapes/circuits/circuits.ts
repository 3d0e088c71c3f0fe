import { z } from 'zod';
import { CIRCUIT_CAUSES } from '../../../../domain/circuits/circuit.ts';
import { CIRCUIT } from '../../../../domain/limits.ts';
import { instant } from '../../kit/input/query-values.ts';
import { circuitState, coin, nameText, nextCursor, paged, reasonText } from '../texts.ts';

export const coinPath = z.strictObject({ coin: coin.describe('The stablecoin.') });

export const tripRequest = z
  .strictObject({
    reason: reasonText(CIRCUIT.reasonLength).describe('Stored in the history and in the audit log.'),
  })
  .meta({ id: 'TripRequest' });

export const resolveRequest = z
  .strictObject({
    justification: reasonText(CIRCUIT.justificationLength).describe('Why the coin is sound again.'),
    evidence_urls: z
      .array(nameText(CIRCUIT.evidenceUrlLength))
      .min(1)
      .max(CIRCUIT.evidenceUrls)
      .describe('https, without user name and password. It is stored and never fetched.'),
  })
  .meta({ id: 'ResolveRequest' });

export const historyQuery = z.strictObject(paged('Snapshots'));

const peg = z
  .strictObject({
    price: z.number().describe('The median of the sources, in USD.'),
    drift_bps: z.number().describe('|price - 1| in basis points.'),
    sources: z.array(z.strictObject({ source: z.string(), price: z.number(), at: instant() })).readonly(),
    observed_at: instant().describe(
      'When it is older than five minutes, too few sources answer and the state does not change.',
    ),
  })
  .meta({ id: 'PegObservation' });

const recovery = z
  .strictObject({
    sub_threshold_since: instant()
      .nullable()
      .describe(
        `Since when every observation has been below ${CIRCUIT.subThresholdBps} bps; null while warming ones are not.`,
      ),
    warming_at: instant().describe(
      'When a tripped circuit starts warming if the peg holds; for a warming circuit, when it started.',
    ),
  })
  .meta({ id: 'CircuitRecovery' });

export const circuitView = z
  .strictObject({
    coin,
    state: circuitState,
    since: instant()
      .nullable()
      .describe(
        'Since when the circuit has been in this state; null if it never changed. A repeated trip does not move it.',
      ),
    snapshot_id: z.uuid().nullable(),
    reason: z.string().nullable().describe('The reason, or the justification, of the newest snapshot.'),
    peg: peg.nullable().describe('The newest observation of at least two sources.'),
    recovery: recovery.nullable(),
  })
  .meta({ id: 'Circuit' });

/** The public form of a circuit. */
export const publicCircuit = z
  .strictObject({
    coin,
    state: circuitState.describe(
      'While `peg` is null, `normal` says only that the circuit has not been tripped, and not that the coin holds its peg.',
    ),
    since: instant().nullable().describe('When it entered this state; null when it was never changed.'),
    peg: peg
      .omit({ sources: true })
      .meta({ id: 'PublicPegObservation' })
      .nullable()
      .describe('The newest observation of at least two sources; null while there has been none.'),
  })
  .meta({ id: 'PublicCircuit' });

export const snapshotPage = z
  .strictObject({
    items: z
      .array(
        z
          .strictObject({
            id: z.uuid(),
            coin,
            from: circuitState,
            to: circuitState,
            cause: z.enum(CIRCUIT_CAUSES),
            actor: z
              .string()
              .describe('An owner_id, `command line: ` with the user of the operating system, or `monitor`.'),
            reason: z.string().nullable(),
            justification: z.string().nullable(),
            evidence_urls: z.array(z.string()).readonly().nullable(),
            at: instant(),
          })
          .meta({ id: 'CircuitSnapshot' }),
      )
      .readonly(),
    next_cursor: nextCursor(),
  })
  .meta({ id: 'CircuitSnapshotPage' });

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

export const pegHistoryView = z
  .strictObject({
    coin: z.string(),
    from: instant(),
    until: instant(),
    step_seconds: z.int().min(1).describe('The length of a stretch.'),
    stretches: z
      .array(
        z
          .strictObject({
            from: instant().describe('The stretch begins here.'),
            low: z.number().describe('The lowest price of it, in USD.'),
            high: z.number(),
            last: z.number(),
            drift_bps: z.number().describe('The largest |price - 1| of it, in basis points.'),
            observations: z.int().min(1),
          })
          .meta({ id: 'PegStretch' }),
      )
      .readonly()
      .describe('At most 289; a stretch without an observation is left out.'),
  })
  .meta({ id: 'PegHistory' });
