import { timeZoneOf } from './calendars/by-venue.ts';
import type { Instrument } from './instrument.ts';
import { numbersItsListings, stockVenue } from './venues.ts';

/**
 * The instruments whose move stands for that of a venue's market, in the order of preference (evaluation-3.md section 7):
 * those that are preferred, those that the file of the venue states, and BTC of the same venue and quote. None after the
 * instrument itself, in whatever currency or at whichever venue of its country it is quoted.
 */
export function referencesOf(instrument: Instrument, preferred: readonly Instrument[] = []): readonly Instrument[] {
  const references = [...preferred.filter((each) => isOfMarket(each, instrument)), ...usualOf(instrument)];
  const itself = references.findIndex((each) => isSame(each, instrument));
  return itself === -1 ? references : references.slice(0, itself);
}

/** Of the same country, which has one time zone here; of the same venue where trading never stops. */
function isOfMarket(reference: Instrument, instrument: Instrument): boolean {
  if (reference.market !== instrument.market) return false;
  if (instrument.market === 'crypto') return reference.venue === instrument.venue;
  return timeZoneOf(reference) === timeZoneOf(instrument);
}

/** NIFTYBEES.NS is NIFTYBEES.BO, and SPY is one stock at all venues; 000001 of Shanghai is not that of Shenzhen. */
function isSame(reference: Instrument, instrument: Instrument): boolean {
  const isOfVenue = reference.venue === instrument.venue || !numbersItsListings(instrument.venue);
  return isOfVenue && tickerOf(reference) === tickerOf(instrument);
}

function tickerOf({ venue, symbol }: Instrument): string {
  return suffixOf({ venue, symbol }) === undefined ? symbol : symbol.slice(0, symbol.lastIndexOf('.'));
}

function suffixOf({ venue, symbol }: Pick<Instrument, 'venue' | 'symbol'>): string | undefined {
  return stockVenue(venue)?.suffixes.find((suffix) => symbol.endsWith(`.${suffix}`));
}

/** Those of the instrument's own market, where a venue has several, else the first. */
function usualOf(instrument: Instrument): readonly Instrument[] {
  const { market, venue, asset_class, quote_currency } = instrument;
  if (market === 'crypto') return [{ market, venue, asset_class, quote_currency, symbol: 'BTC' }];
  const stated = stockVenue(venue)?.reference ?? [];
  const ofMarket = stated.filter((each) => suffixOf(each) === suffixOf(instrument));
  return (ofMarket.length > 0 ? ofMarket : stated.slice(0, 1)).map((reference) => ({
    ...{ market, ...reference, asset_class: 'spot' },
    quote_currency: Object.keys(stockVenue(reference.venue)?.quotes ?? {})[0] ?? '',
  }));
}
