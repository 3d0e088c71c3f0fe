import { type FoundInstruments, findInstruments } from '../../../../application/market/find-instruments.ts';
import type { Ports } from '../../../../application/ports.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { foundInstruments, foundInstrumentsExample, instrumentQuery } from '../../shapes/instruments.ts';

export function findInstrumentsEndpoint(ports: Ports) {
  return endpoint({
    id: 'findInstruments',
    method: 'GET',
    path: '/api/v1/agent/instruments',
    summary: 'Find an instrument by its symbol',
    description:
      'Returns the symbols that equal the text, then those that begin with it; without any, listed tickers that are ' +
      'similar. It knows tickers and the coins of the stored prices, not the names of companies. With market=crypto ' +
      'another coin is `unlisted`: it may be submitted, and a price source verifies it later. It takes no unit of a pool.',
    tag: 'Agent decisions',
    auth: ['api_key', 'owner_bearer', 'legacy_session'],
    query: instrumentQuery,
    replies: {
      200: {
        description: 'The symbols, the likeliest first.',
        schema: foundInstruments,
        example: foundInstrumentsExample,
      },
    },
    problems: [],
    async handle({ query }) {
      return { status: 200, body: viewOf(findInstruments(ports, query)) };
    },
  });
}

function viewOf({ items, venues }: FoundInstruments) {
  return {
    items,
    venues: venues.map(({ name, quotes: { spot = [], perp = [] } }) => ({ venue: name, spot, perp })),
  };
}
