import { z } from 'zod';
import { INSTRUMENT_LISTS, type ListedInstrument } from '../../../../domain/market/instrument-list.ts';
import { instant } from '../../kit/input/query-values.ts';
import { identity } from '../decisions/decision-parts.ts';
import { paged, pageOf } from '../paging.ts';

export const instrumentQuery = z.strictObject({
  status: z
    .enum(INSTRUMENT_LISTS)
    .optional()
    .describe('`queued`: those with a queued refresh; `unreachable`: no source could be asked.'),
  symbol: z.string().min(1).max(64).optional().describe('Only this symbol, as it is stored.'),
  ...paged('Instruments'),
});

const listedInstrument = z
  .strictObject({
    instrument: z
      .strictObject({ ...identity, market: z.string(), asset_class: z.string() })
      .meta({ id: 'NamedInstrument' }),
    status: z.enum(['verified', 'rejected', 'unreachable']).nullable().describe('null: it was never verified.'),
    checked_at: instant().nullable(),
    retry_at: instant().nullable().describe('When an unreachable source is asked again.'),
    attempts: z.int().min(0).describe('How many times in a row no source could be asked.'),
    last_error: z.string().nullable(),
    refresh: z.strictObject({ job_id: z.uuid(), requested_at: instant() }).nullable().describe('The queued refresh.'),
  })
  .meta({ id: 'ListedInstrument' });

export const instrumentPage = pageOf(listedInstrument, 'InstrumentPage');

export function listedInstrumentOf({ key: _, ...instrument }: ListedInstrument) {
  return instrument;
}

export const instrumentExample = {
  instrument: { market: 'stock', symbol: 'ZZZZ', venue: 'NYSE', asset_class: 'spot', quote_currency: 'USD' },
  status: 'rejected',
  checked_at: new Date('2026-01-30T14:30:00.000Z'),
  retry_at: null,
  attempts: 0,
  last_error: 'unknown to all sources',
  refresh: null,
} as const;
