import { z } from 'zod';
import { refreshInstrument } from '../../../../application/market/refresh-instrument.ts';
import type { Ports } from '../../../../application/ports.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { identity } from '../../shapes/decisions/decision-parts.ts';

const params = z.strictObject({
  market: z.string().meta({ description: '`stock` or `crypto`.', example: 'crypto' }),
  symbol: z.string().meta({ description: 'As submitted, in any spelling; a slash as `%2F`.', example: 'BTC' }),
  venue: z.string().meta({ description: 'Where it trades.', example: 'BINANCE' }),
  asset_class: z.string().meta({ description: '`spot` or `perp`.', example: 'spot' }),
  quote_currency: z.string().meta({ description: 'The currency of its price.', example: 'USDT' }),
});

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
