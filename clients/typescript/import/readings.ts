import { timeZoneOf } from '../../../domain/market/calendars/by-venue.ts';
import { type Instrument, normaliseInstrument } from '../../../domain/market/instrument.ts';
import { currencyName } from '../../../domain/market/symbol.ts';
import { stockVenue, suffixVenue, TABLE_VENUES, type Venue, venuesWith } from '../../../domain/market/venues.ts';
import { DAY, type Millis } from '../../../domain/time.ts';
import { instantsOf } from '../../../domain/zoned-time.ts';
import { LAST_TIME, readTime } from './cells.ts';
import { type FoundEntry, type ImportOptions, lengthIn } from './found.ts';

/** Why an entry is no row. */
export class RefusedEntry extends Error {
  override readonly name = 'RefusedEntry';
}

/** What the user must say of the file before the entry is a row. */
export class MissingOptions extends Error {
  override readonly name = 'MissingOptions';
  readonly options: readonly string[];

  constructor(options: readonly string[]) {
    super(options.join(', and '));
    this.options = options;
  }
}

/**
 * The instrument of an entry. What a symbol's suffix or a venue's only quote says is no guess; everything else that the file
 * lacks is asked for.
 * @throws RefusedEntry, MissingOptions
 */
export function instrumentOf(entry: FoundEntry, options: ImportOptions): Instrument {
  const { symbol } = entry;
  const suffixed = suffixVenue(symbol.toUpperCase())?.names ?? [];
  const named = entry.venue ?? (suffixed.length === 1 ? suffixed[0] : undefined) ?? options.venue;
  if (named === undefined) throw new MissingOptions(['--venue, such as NASDAQ or BINANCE']);
  const venue = named.trim().toUpperCase();
  const market = marketOf(entry, venue, options);
  const known = venuesFor(market, venue).named(venue);
  const asset_class = assetClassOf(entry, market, known, options);
  const quote_currency = quoteOf(entry, { venue, asset_class }, known, options);
  const sent = { market, symbol, venue, asset_class, quote_currency };
  const instrument = normaliseInstrument(sent, venuesFor(market, venue));
  if (Array.isArray(instrument)) throw new RefusedEntry(instrument.map(({ message }) => message).join('; '));
  return instrument;
}

function marketOf({ market, symbol }: FoundEntry, venue: string, options: ImportOptions): string {
  const ofVenue = TABLE_VENUES.named(venue)?.market;
  if (market !== undefined && ofVenue !== undefined && ofVenue !== market.toLowerCase()) {
    throw new RefusedEntry(
      `${symbol} is of the market ${market} and ${venue} is not: import the file again with another --venue.`,
    );
  }
  const found = market ?? options.market ?? ofVenue;
  if (found === undefined) throw new MissingOptions(['--market stock or crypto']);
  return found;
}

/** A service may support further exchanges by their names; it refuses those that it does not. */
function venuesFor(market: string, venue: string) {
  const isKnown = TABLE_VENUES.named(venue) !== undefined || stockVenue(venue) !== undefined;
  return market === 'crypto' && !isKnown && /^[A-Z0-9]{1,20}$/.test(venue) ? venuesWith([venue]) : TABLE_VENUES;
}

function assetClassOf(entry: FoundEntry, market: string, known: Venue | undefined, options: ImportOptions): string {
  const [only, ...others] = Object.keys(known?.quotes ?? {});
  const found = entry.asset_class ?? options['asset-class'] ?? (others.length === 0 ? only : undefined);
  if (found !== undefined) return found;
  if (market === 'stock') return 'spot';
  throw new MissingOptions(['--asset-class spot or perp']);
}

function quoteOf(
  entry: FoundEntry,
  { venue, asset_class }: Pick<Instrument, 'venue'> & { readonly asset_class: string },
  known: Venue | undefined,
  options: ImportOptions,
): string {
  const quotes = (asset_class === 'perp' ? known?.quotes.perp : known?.quotes.spot) ?? [];
  const only = quotes.length === 1 ? quotes[0] : undefined;
  const isNamed = venue === options.venue?.toUpperCase();
  // Venues of suffixes have quotes of their own; what is said of the venue that was named is refused where it is wrong.
  const found = entry.quote ?? (isNamed ? (options.quote ?? only) : (only ?? options.quote));
  if (found === undefined) throw new MissingOptions([`--quote, such as ${quotes[0] ?? 'USD'}`]);
  return currencyName(found) ?? found;
}

/** Numbers of seconds that are read as milliseconds are of January 1970. @throws RefusedEntry */
function instantOf(at: Millis) {
  if (at >= FIRST_NUMBER && at < LAST_TIME) return { kind: 'instant', at: Math.ceil(at) } as const;
  throw new RefusedEntry(
    `Its time, read as ${at} milliseconds since 1970, is no time of the years 1974 to 2100: it may be in another unit.`,
  );
}

const FIRST_NUMBER = Date.UTC(1974, 0, 1);

/**
 * The end of the data. A date of a stock is one of its venue's clock; every other time without an offset needs a zone.
 * @throws RefusedEntry, MissingOptions
 */
export function cutoffOf({ time }: FoundEntry, instrument: Instrument, { zone, bar }: ImportOptions): Millis {
  const read = typeof time.at === 'number' ? instantOf(time.at) : readTime(time.at);
  if (read === null) {
    throw new RefusedEntry(
      `The time ${JSON.stringify(time.at)} is none such as 2026-01-30T14:30:00Z or 2026-01-30 14:30.`,
    );
  }
  const length = bar === undefined ? null : lengthIn(bar, '--bar');
  if (read.kind === 'instant') return read.at + (length?.millis ?? 0);
  if (read.kind === 'date' && length !== null && length.millis < DAY) {
    throw new RefusedEntry(
      `${time.at} is a date without a time of day, and bars of ${bar} have one: leave --bar out, or say 1d.`,
    );
  }
  const clock = read.kind === 'date' && instrument.market === 'stock' ? timeZoneOf(instrument) : zone;
  if (clock === undefined) {
    throw new MissingOptions(['--zone, the time zone of its times, such as UTC or America/New_York']);
  }
  const isDays = length?.unit === 'd';
  const endOfDate = read.kind === 'date' && time.edge === 'end' && length === null ? DAY : 0;
  // Of two such instants the later one: a decision never has less data than it used.
  const at = instantsOf(read.at + (isDays ? length.millis : endOfDate), clock).at(-1);
  if (at === undefined) throw new RefusedEntry(`The clocks of ${clock} skip ${time.at}.`);
  return at + (length === null || isDays ? 0 : length.millis);
}
