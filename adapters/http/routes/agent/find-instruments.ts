import { z } from 'zod';
import { type FoundInstruments, findInstruments } from '../../../../application/market/find-instruments.ts';
import type { Ports } from '../../../../application/ports.ts';
import { INSTRUMENT_SEARCH } from '../../../../domain/limits.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { queryInteger } from '../../kit/input/query-values.ts';
import { market } from '../../shapes/texts.ts';

const instrumentQuery = z.strictObject({
  query: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,40}$/, 'must be a symbol of up to 40 letters, digits and signs')
    .toUpperCase()
    .meta({ description: 'A symbol or its beginning, in any case.', example: 'BTC' }),
  market: market.optional().describe('Only this market.'),
  limit: queryInteger(1, INSTRUMENT_SEARCH.most)
    .optional()
    .describe(`Symbols returned; default ${INSTRUMENT_SEARCH.byDefault}.`),
});

const name = z.string().max(40);

const foundSymbol = z
  .strictObject({
    market,
    symbol: name,
    match: z.enum(['exact', 'prefix', 'similar', 'unlisted']),
    venues: z.array(name).readonly().describe('What `venue` of a submission may be.'),
  })
  .meta({ id: 'FoundSymbol' });

const foundInstruments = z
  .strictObject({
    items: z.array(foundSymbol).readonly(),
    venues: z
      .array(
        z.strictObject({
          venue: name,
          spot: z.array(name).readonly().describe('The quote currencies of spot.'),
          perp: z.array(name).readonly().describe('The quote currencies of perpetuals.'),
        }),
      )
      .readonly()
      .describe('The venues that the items name.'),
  })
  .meta({ id: 'FoundInstruments' });

const foundInstrumentsExample: z.input<typeof foundInstruments> = {
  items: [
    {
      market: 'stock',
      symbol: 'MSFT',
      match: 'exact',
      venues: ['NASDAQ'],
    },
  ],
  venues: [{ venue: 'NASDAQ', spot: ['USD'], perp: [] }],
};

export function findInstrumentsEndpoint(ports: Ports) {
  return endpoint({
    id: 'findInstruments',
    method: 'GET',
    path: '/api/v1/agent/instruments',
    isAddition: true,
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
