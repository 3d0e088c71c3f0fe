import { z } from 'zod';
import {
  circuitHistory,
  listCircuits,
  listPublicCircuits,
  pegHistory,
  resolveCircuit,
  tripCircuit,
} from '../../../application/circuits/change-circuit.ts';
import type { Ports } from '../../../application/ports.ts';
import { CIRCUIT } from '../../../domain/limits.ts';
import { HOUR } from '../../../domain/time.ts';
import { type Endpoint, endpoint } from '../kit/endpoint.ts';
import { queryInteger } from '../kit/input/query-values.ts';
import {
  circuitView,
  coinPath,
  historyQuery,
  pegHistoryView,
  publicCircuit,
  publicCircuitExample,
  resolutionExample,
  resolvedExample,
  resolveRequest,
  snapshotPage,
  snapshotPageExample,
  trippedExample,
  tripRequest,
  unobservedExample,
} from '../shapes/circuits/circuits.ts';

export function circuitEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    listCircuitsEndpoint(ports),
    tripCircuitEndpoint(ports),
    resolveCircuitEndpoint(ports),
    circuitHistoryEndpoint(ports),
  ];
}

const pegQuery = z.strictObject({
  hours: queryInteger(1, 192).optional().describe('How far back; default 24.'),
});

const pegHistoryExample = {
  coin: 'USDC',
  from: new Date('2026-01-29T14:30:00.000Z'),
  until: new Date('2026-01-30T14:30:00.000Z'),
  step_seconds: 300,
  stretches: [
    {
      from: new Date('2026-01-29T14:30:00.000Z'),
      low: 0.9997,
      high: 1.0001,
      last: 1,
      drift_bps: 3,
      observations: 5,
    },
  ],
};

function listCircuitsEndpoint(ports: Pick<Ports, 'circuits' | 'clock'>) {
  return endpoint({
    id: 'listCircuits',
    method: 'GET',
    path: '/api/v1/admin/stablecoin',
    summary: 'See the circuits of the stablecoins',
    description:
      'Lists every watched coin with its newest observation and the progress of its recovery. Before the first ' +
      'observation `peg` is null. A circuit that was never changed is `normal`.',
    tag: 'Admin',
    auth: 'admin',
    replies: {
      200: {
        description: 'The circuits.',
        schema: z.array(circuitView),
        example: [unobservedExample, trippedExample],
      },
    },
    problems: [],
    async handle() {
      return { status: 200, body: await listCircuits(ports) };
    },
  });
}

function tripCircuitEndpoint(ports: Pick<Ports, 'transaction' | 'announce'>) {
  return endpoint({
    id: 'tripCircuit',
    method: 'POST',
    path: '/api/v1/admin/stablecoin/{coin}/trip',
    summary: 'Trip the circuit of a stablecoin',
    description:
      'Works from any state. Every submission sent after the reply and quoted in the coin is isolated: it keeps the ' +
      "coin's own name in its cohort. Tripping a tripped circuit restarts its recovery.",
    tag: 'Admin',
    auth: 'admin',
    params: coinPath,
    body: { schema: tripRequest, example: { reason: 'The issuer has paused redemptions.' } },
    replies: {
      200: { description: 'The circuit is tripped.', schema: circuitView, example: trippedExample },
    },
    problems: [],
    async handle({ caller, params: { coin }, body: { reason } }) {
      return { status: 200, body: await tripCircuit(ports, coin, reason, caller.owner_id) };
    },
  });
}

function resolveCircuitEndpoint(ports: Pick<Ports, 'transaction' | 'announce'>) {
  return endpoint({
    id: 'resolveCircuit',
    method: 'POST',
    path: '/api/v1/admin/stablecoin/{coin}/resolve',
    summary: 'Resolve the circuit of a stablecoin',
    description:
      `Works only while the circuit is \`warming\`, which takes ${CIRCUIT.recovery / HOUR} hours of observations below the ` +
      'threshold. After the reply ' +
      'the coin counts as the dollar again; earlier records keep their cohorts.',
    tag: 'Admin',
    auth: 'admin',
    params: coinPath,
    body: { schema: resolveRequest, example: resolutionExample },
    replies: {
      200: { description: 'The circuit is normal.', schema: circuitView, example: resolvedExample },
    },
    problems: ['CIRCUIT_NOT_WARMING'],
    async handle({ caller, params: { coin }, body }) {
      return { status: 200, body: await resolveCircuit(ports, coin, body, caller.owner_id) };
    },
  });
}

function circuitHistoryEndpoint(ports: Pick<Ports, 'circuits' | 'settings'>) {
  return endpoint({
    id: 'circuitHistory',
    method: 'GET',
    path: '/api/v1/admin/stablecoin/{coin}/history',
    isAddition: true,
    summary: 'List the changes of a circuit',
    description: 'Lists every snapshot of the coin, newest first. Snapshots are never changed or removed.',
    tag: 'Admin',
    auth: 'admin',
    params: coinPath,
    query: historyQuery,
    replies: {
      200: { description: 'A page of the history.', schema: snapshotPage, example: snapshotPageExample },
    },
    problems: [],
    async handle({ params: { coin }, query }) {
      return { status: 200, body: await circuitHistory(ports, coin, query) };
    },
  });
}

export function pegHistoryEndpoint(ports: Pick<Ports, 'circuits' | 'clock'>) {
  return endpoint({
    id: 'pegHistory',
    method: 'GET',
    path: '/api/v1/admin/stablecoin/{coin}/observations',
    isAddition: true,
    summary: "Read the history of a stablecoin's peg",
    description:
      'The observations of the last hours, as the lowest, highest and last price of each stretch of equal length. They are ' +
      'kept for 8 days.',
    tag: 'Admin',
    auth: 'admin',
    params: coinPath,
    query: pegQuery,
    replies: { 200: { description: 'The history.', schema: pegHistoryView, example: pegHistoryExample } },
    problems: [],
    async handle({ params: { coin }, query: { hours = 24 } }) {
      return { status: 200, body: await pegHistory(ports, coin, hours) };
    },
  });
}

export function publicCircuitsEndpoint(ports: Pick<Ports, 'circuits'>) {
  return endpoint({
    id: 'listPublicCircuits',
    method: 'GET',
    path: '/api/v1/public/stablecoin',
    isAddition: true,
    summary: 'See whether stablecoins hold their peg',
    description:
      'Lists every watched coin with the state of its circuit and its newest observation. Decisions quoted in a coin that ' +
      'is not `normal` keep its own name in their cohort. Only operators see the reason of a change.',
    tag: 'Cohorts',
    auth: 'none',
    replies: {
      200: {
        description: 'The circuits.',
        schema: z.array(publicCircuit),
        example: [{ coin: 'USDT', state: 'normal', since: null, peg: null }, publicCircuitExample],
      },
    },
    problems: ['SERVICE_UNAVAILABLE'],
    async handle() {
      return { status: 200, body: await listPublicCircuits(ports) };
    },
  });
}
