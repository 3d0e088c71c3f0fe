import { utcDate } from '../time.ts';
import { indexAt } from './instrument.ts';
import { type NameBook, standing } from './name-book.ts';
import {
  FOREVER,
  isMapping,
  type LearnedStatement,
  type NameStatement,
  ordinalOf,
  overlaps,
  RENAME_FACTOR,
  renameDoubt,
  rootOf,
} from './name-statement.ts';
import { currencyName, type KnownCoins, normaliseSymbol } from './symbol.ts';
import { TABLE_VENUES, usVenues, type Venues, venueName } from './venues.ts';

/**
 * What is wrong with a statement that is to be learned after those of the book, each with what to send instead; empty
 * for one that can be. What does not depend on other statements is judged first.
 * @param venues those that the service supports
 */
export function nameFaults(book: NameBook, statement: NameStatement, venues: Venues = TABLE_VENUES): readonly string[] {
  const faults = [...formFaults(statement), ...lineFaults(statement, venues), ...placeFaults(book, statement)];
  return faults.length > 0 ? faults : [...keyFaults(book, statement), ...priceFaults(statement)];
}

const CODE = '[A-Z0-9][A-Z0-9&-]{0,19}(\\.[A-Z0-9]{1,4}){0,2}';
const NAME = new RegExp(`^${CODE}$`);
const KEY = new RegExp(`^${CODE}(~[2-9])?$`);

function formFaults({ market, name, from, until, key, kind, units, ratio, successor, asset_class }: NameStatement) {
  const ends = kind === 'merged' || kind === 'delisted';
  return [
    ...(NAME.test(name) ? [] : [`name ${name} is no symbol: send it as the venue spells it, upper-case`]),
    ...(KEY.test(key) ? [] : [`key ${key} is none: send a symbol, or one with ~2 to ~9`]),
    ...(isDate(from) ? [] : [`from ${from} is no date: send one such as 2022-06-09`]),
    ...(until === undefined || (isDate(until) && from < until) ? [] : [`until ${until}: send a date after from`]),
    ...(ends && until !== undefined ? [`a ${kind} name ends at from: leave until out`] : []),
    ...(units === undefined || (Number.isInteger(units) && units > 1)
      ? []
      : [`units ${units}: send a whole number above 1`]),
    ...(ratio === undefined || (ratio > 0 && ratio < 1e6) ? [] : [`ratio ${ratio}: send new units for each old one`]),
    ...(ratio === undefined || kind === 'renamed' || kind === 'merged'
      ? []
      : [`a ${kind} name has no ratio: leave it out`]),
    ...((kind === 'merged') === (successor !== undefined)
      ? []
      : [
          kind === 'merged' ? 'send as successor the key of what the merger issued' : `a ${kind} name has no successor`,
        ]),
    ...(market === 'stock' && asset_class === 'perp' ? ['stock has no perp: leave asset_class out'] : []),
  ];
}

function isDate(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) && text < FOREVER ? Date.parse(text) : Number.NaN;
  // 30 February is read as 2 March.
  return !Number.isNaN(at) && utcDate(at) === text;
}

/** What no submission is read by: its venue, quote and symbol are normalised before a statement is looked for. */
function lineFaults(statement: NameStatement, venues: Venues): readonly string[] {
  const { market, name, venue, asset_class, quote, key, kind } = statement;
  const supported = venue === undefined ? undefined : venues.named(venue);
  const isVenue = venue === undefined || (supported?.name === venue && supported.market === market);
  const isUs = market === 'stock' && venue !== undefined && usVenues().includes(venueName(venue));
  const quotes = quotesOf(statement, venues);
  return [
    ...(isUs ? [`a ticker is one security at all venues of the United States: leave venue ${venue} out`] : []),
    ...(isVenue || isUs ? [] : [`venue ${venue} is none: send ${venuesLike(venue, market, venues)}`]),
    ...(quote === undefined || !isVenue || quotes.includes(quote)
      ? []
      : [`quote ${quote} is none${venue === undefined ? '' : ` at ${venue}`}: send ${spelledQuote(quote, quotes)}`]),
    ...(asset_class === undefined || !supported || !isVenue || supported.quotes[asset_class]
      ? []
      : [`${venue} has no ${asset_class} here: leave asset_class out`]),
    // A code is replaced before names are read, and is shown for itself.
    ...(kind === 'code' ? [] : spellingFaults('name', name, market, venue)),
    ...spellingFaults('key', rootOf(key), market, undefined),
  ];
}

function quotesOf({ market, venue, asset_class }: NameStatement, venues: Venues): readonly string[] {
  const names = venue === undefined ? venues.namesOf(market) : [venue];
  return names.flatMap((name) => {
    const { spot = [], perp = [] } = venues.named(name)?.quotes ?? {};
    return asset_class === undefined ? [...spot, ...perp] : asset_class === 'spot' ? spot : perp;
  });
}

function spelledQuote(quote: string, quotes: readonly string[]): string {
  const named = currencyName(quote);
  return named !== null && quotes.includes(named) ? named : [...new Set(quotes)].join(' or ');
}

function venuesLike(venue: string, market: NameStatement['market'], venues: Venues): string {
  const own = venueName(venue.trim().toUpperCase());
  return venues.named(own)?.market === market ? own : venues.namesOf(market).join(', ');
}

/** As a caller sends it, and with nothing cut off. */
const AS_SENT: KnownCoins = { knowsCoin: () => true };

function spellingFaults(
  member: 'name' | 'key',
  symbol: string,
  market: NameStatement['market'],
  venue: string | undefined,
): readonly string[] {
  const read = indexAt(venue, normaliseSymbol(symbol, { market, quote_currency: null, venue, coins: AS_SENT }));
  if (read === symbol) return [];
  const where = venue === undefined ? '' : ` at ${venue}`;
  return [`${member} ${symbol} is no symbol${where}: send ${read ?? 'it as submissions do, upper-case'}`];
}

function placeFaults({ statements }: NameBook, statement: NameStatement): readonly string[] {
  const before = standing(statements).find((each) => overlaps(each, statement));
  if (!before) return [];
  const range = `${before.from} to ${before.until ?? 'now'}`;
  return [
    `statement ${before.id} says that ${before.name} is ${before.key} from ${range}: withdraw ${before.id} first`,
  ];
}

/** Whose key a reused name has, and whether the numbers of keys go on without a gap. */
function keyFaults(book: NameBook, { market, name, from, key, kind }: NameStatement): readonly string[] {
  const number = ordinalOf(key);
  const before = book.holdings(market, name).filter((each) => each.from < from);
  const last = before.at(-1)?.key ?? name;
  if (kind === 'reused' && last === key) {
    return [`${key} is the key of the security that was ${name} before: send the key ${nextKey(book, market, key)}`];
  }
  const previous = number === 2 ? rootOf(key) : `${rootOf(key)}~${number - 1}`;
  if (number > 2 && !book.knowsKey(market, key) && !book.knowsKey(market, previous)) {
    return [`no security has the key ${previous}: send the key ${nextKey(book, market, rootOf(key))}`];
  }
  return [];
}

/** The key of the next security under a name: `FB~2` after `FB`. */
export function nextKey(book: NameBook, market: LearnedStatement['market'], key: string): string {
  const root = rootOf(key);
  for (let number = 2; ; number += 1) if (!book.knowsKey(market, `${root}~${number}`)) return `${root}~${number}`;
}

/** An operator who states what the prices of the bar store contradict has one of the two wrong. */
function priceFaults(statement: NameStatement): readonly string[] {
  const { name, source, prices, ratio = 1, from } = statement;
  if (source.kind !== 'operator' || !prices || !isMapping(statement) || renameDoubt(statement) === null) return [];
  if (prices.both_on !== undefined) {
    return [
      `the bar store has prices of both names on ${prices.both_on}: send the date of the change as from, or kind merged`,
    ];
  }
  const found = `the last close before ${from} is ${prices.last_close}, the first open of ${name} ${prices.first_open}`;
  const implied = Number((prices.last_close / prices.first_open).toPrecision(4));
  const most = `with ratio ${ratio} they may differ by a factor of ${RENAME_FACTOR}`;
  return [
    `${found}; ${most}: send the ratio (new units for each old one; ${implied} fits), another date, or kind merged`,
  ];
}
