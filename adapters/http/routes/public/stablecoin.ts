import { z } from 'zod';
import { listPublicCircuits } from '../../../../application/circuits/change-circuit.ts';
import type { Ports } from '../../../../application/ports.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { publicCircuit, publicCircuitExample } from '../../shapes/circuits/circuits.ts';

export function publicCircuitsEndpoint(ports: Pick<Ports, 'circuits'>) {
  return endpoint({
    id: 'listPublicCircuits',
    method: 'GET',
    path: '/api/v1/public/stablecoin',
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
