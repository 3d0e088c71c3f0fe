import { z } from 'zod';
import { refreshInstrument } from '../../../../application/market/refresh-symbols.ts';
import { listInstruments } from '../../../../application/operators/operator-lists.ts';
import type { Ports } from '../../../../application/ports.ts';
import { INSTRUMENT_LISTS, type ListedInstrument } from '../../../../domain/market/instrument-store.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { identity } from '../../shapes/decisions/decision-parts.ts';
import { instrumentPage } from '../../shapes/operators/listings.ts';
import { paged } from '../../shapes/texts.ts';

const params = z.strictObject({
  market: z.string().meta({ description: '`stock` or `crypto`.', example: 'crypto' }),
  symbol: z.string().meta({ description: 'As submitted, in any spelling; a slash as `%2F`.', example: 'BTC' }),
  venue: z.string().meta({ description: 'Where it trades.', example: 'BINANCE' }),
  asset_class: z.string().meta({ description: '`spot` or `perp`.', example: 'spot' }),
  quote_currency: z.string().meta({ description: 'The currency of its price.', example: 'USDT' }),
});

const instrumentQuery = z.strictObject({
  status: z
    .enum(INSTRUMENT_LISTS)
    .optional()
    .describe('`queued`: those with a queued refresh; `unreachable`: no source could be asked.'),
  symbol: z.string().min(1).max(64).optional().describe('Only this symbol, as it is stored.'),
  ...paged('Instruments'),
});

const instrumentExample = {
  instrument: { market: 'stock', symbol: 'ZZZZ', venue: 'NYSE', asset_class: 'spot', quote_currency: 'USD' },
  status: 'rejected',
  checked_at: new Date('2026-01-30T14:30:00.000Z'),
  retry_at: null,
  attempts: 0,
  last_error: 'unknown to all sources',
  refresh: null,
} as const;

export const listInstrumentsEndpoint = (ports: Pick<Ports, 'instrumentList' | 'settings'>) =>
  endpoint({
    id: 'listInstruments',
    method: 'GET',
    path: '/api/v1/admin/instruments',
    isAddition: true,
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

function listedInstrumentOf({ key: _, ...instrument }: ListedInstrument) {
  return instrument;
}

export function refreshInstrumentEndpoint(ports: Ports) {
  return endpoint({
    id: 'refreshInstrument',
    method: 'POST',
    path: '/api/v1/admin/instruments/{market}/{symbol}/{venue}/{asset_class}/{quote_currency}/refresh',
    summary: 'Verify an instrument again',
    description:
      'Asks the sources at once, even when the instrument is known, and retries its failed records: `rejected` ' +
      'records are verified again, `data_unavailable` records are evaluated again. An unknown instrument is queued too, ' +
      'also on a venue or in a quote currency that is not supported here. An unknown market or asset class is refused.',
    tag: 'Admin',
    auth: 'admin',
    params,
    replies: {
      202: {
        description: 'The verification is queued, or was already queued.',
        schema: z
          .strictObject({
            instrument: z.strictObject(identity).meta({ id: 'Instrument' }),
            status: z.enum(['queued', 'already_queued']),
            job_id: z.uuid(),
          })
          .meta({ id: 'InstrumentRefresh' }),
        example: {
          instrument: {
            market: 'crypto',
            symbol: 'BTC',
            venue: 'BINANCE',
            asset_class: 'spot',
            quote_currency: 'USDT',
          },
          status: 'queued',
          job_id: '0b9e1c6e-7d0f-4c55-9a43-6a1f3b0c8a11',
        },
      },
    },
    problems: ['SERVICE_UNAVAILABLE'],
    async handle({ caller, params: sent }) {
      return { status: 202, body: await refreshInstrument(ports, sent, caller.owner_id) };
    },
  });
}
