import { calendarOf } from './calendars/by-venue.ts';
import type { Instrument } from './instrument.ts';

/**
 * The instruments whose move stands for that of a venue's market, in the order of preference (evaluation-3.md section 7):
 * those that are preferred, the S&P 500 or its fund, the index of Shanghai, and BTC of the same venue and quote.
 */
export function referencesOf(instrument: Instrument, preferred: readonly Instrument[] = []): readonly Instrument[] {
  return [...preferred.filter((each) => isOfMarket(each, instrument)), ...usualOf(instrument)];
}

/** Of the same calendar; of the same venue where trading never stops. */
function isOfMarket(reference: Instrument, instrument: Instrument): boolean {
  if (reference.market !== instrument.market) return false;
  if (instrument.market === 'crypto') return reference.venue === instrument.venue;
  return calendarOf(reference).name === calendarOf(instrument).name;
}

function usualOf({ market, venue, asset_class, quote_currency }: Instrument): readonly Instrument[] {
  if (market === 'crypto') return [{ market, venue, asset_class, quote_currency, symbol: 'BTC' }];
  const { name } = calendarOf({ market, venue });
  const stock = { market, asset_class: 'spot' } as const;
  if (name === 'us') {
    return [
      { ...stock, symbol: 'SPX', venue: 'NYSE', quote_currency: 'USD' },
      { ...stock, symbol: 'SPY', venue: 'ARCA', quote_currency: 'USD' },
    ];
  }
  return name === 'china' ? [{ ...stock, symbol: '000001', venue: 'SSE', quote_currency: 'CNY' }] : [];
}
