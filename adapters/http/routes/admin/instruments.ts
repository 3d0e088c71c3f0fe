import { listInstruments } from '../../../../application/operators/list-instruments.ts';
import type { Ports } from '../../../../application/ports.ts';
import { endpoint } from '../../kit/endpoint.ts';
import {
  instrumentExample,
  instrumentPage,
  instrumentQuery,
  listedInstrumentOf,
} from '../../shapes/operators/instruments.ts';

export const listInstrumentsEndpoint = (ports: Pick<Ports, 'instrumentList' | 'settings'>) =>
  endpoint({
    id: 'listInstruments',
    method: 'GET',
    path: '/api/v1/admin/instruments',
    summary: 'List known instruments and queued refreshes',
    description:
      'Every instrument that was verified or rejected, or that a refresh is queued for, in the order of market, symbol, ' +
      'venue, asset class and quote currency.',
    tag: 'Admin',
    auth: 'admin',
    query: instrumentQuery,
    replies: {
      200: {
        description: 'A page of instruments.',
        schema: instrumentPage,
        example: { items: [instrumentExample], next_cursor: null },
      },
    },
    problems: [],
    async handle({ query }) {
      const { items, next_cursor } = await listInstruments(ports, query);
      return { status: 200, body: { items: items.map(listedInstrumentOf), next_cursor } };
    },
  });
