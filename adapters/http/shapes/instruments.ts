import { z } from 'zod';
import { INSTRUMENT_SEARCH } from '../../../domain/limits.ts';
import { queryInteger } from '../kit/input/query-values.ts';
import { market } from './words.ts';

export const instrumentQuery = z.strictObject({
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

export const foundInstruments = z
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

export const foundInstrumentsExample: z.input<typeof foundInstruments> = {
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
