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
      'similar. It knows tickers and coins, not the names of companies. A crypto pair that it does not list may be ' +
      'submitted: a price source verifies it later. It takes no unit of a pool.',
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
    problems: ['SERVICE_UNAVAILABLE'],
    async handle({ query }) {
      return { status: 200, body: viewOf(await findInstruments(ports, query)) };
    },
  });
}

function viewOf({ items, venues }: FoundInstruments) {
  return {
    items: items.map(({ verified, ...item }) => ({
      ...item,
      verified: verified.map(({ venue, asset_class, quote_currency }) => ({ venue, asset_class, quote_currency })),
    })),
    venues: venues.map(({ name, quotes: { spot = [], perp = [] } }) => ({ venue: name, spot, perp })),
  };
}
