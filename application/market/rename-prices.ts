import type { Bar } from '../../domain/market/bars.ts';
import { timeZoneOf } from '../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import { type MarketData, SourceUnavailable } from '../../domain/market/market-data.ts';
import {
  isMapping,
  type NameStatement,
  type RenamePrices,
  renameDoubt,
  rootOf,
} from '../../domain/market/name-statement.ts';
import { DAY } from '../../domain/time.ts';
import { localDate } from '../../domain/zoned-time.ts';

/** Where prices are that a rename is held against: the series of the bar store. */
export interface RenameWitnesses {
  readonly barFiles: MarketData;
  readonly instruments: readonly Instrument[];
}

/** The statements with the prices next to each rename, where the bar store has both: of the venue that fits worst. */
export async function withPrices(
  { barFiles, instruments }: RenameWitnesses,
  before: readonly NameStatement[],
  sent: readonly NameStatement[],
  now: Date,
): Promise<readonly NameStatement[]> {
  const all = [...before, ...sent];
  const judged = sent.map(async (statement) => {
    const old = statement.kind === 'renamed' && statement.prices === undefined && formerName(all, statement);
    if (!old) return statement;
    const found: RenamePrices[] = [];
    for (const series of instruments.filter((each) => isLineOf(statement, each))) {
      const prices = await pricesNextTo(barFiles, { ...series, symbol: old.name }, series, statement.from, now);
      if (prices) found.push(prices);
    }
    const worst = found.find((prices) => renameDoubt({ ...statement, prices }) !== null) ?? found[0];
    return worst ? { ...statement, prices: worst } : statement;
  });
  return Promise.all(judged);
}

/** The name before a rename: where no statement has it, the one that the key was made of. */
function formerName(
  all: readonly NameStatement[],
  { market, name, key, from }: NameStatement,
): Pick<NameStatement, 'name'> | null {
  const [stated] = all
    .filter((each) => each.market === market && each.key === key && each.name !== name && each.from < from)
    .filter((each) => isMapping(each) && each.kind !== 'code')
    .toSorted((a, b) => (a.from < b.from ? 1 : -1));
  return stated ?? (rootOf(key) === name ? null : { name: rootOf(key) });
}

function isLineOf({ market, name, venue, asset_class, quote }: NameStatement, series: Instrument): boolean {
  const isName = series.market === market && series.symbol === name;
  const isVenue =
    (venue ?? series.venue) === series.venue && (asset_class ?? series.asset_class) === series.asset_class;
  return isName && isVenue && (quote ?? series.quote_currency) === series.quote_currency;
}

/** How far from a rename its prices may be, and how long both names must not trade. */
const AROUND = 30 * DAY;

async function pricesNextTo(
  files: MarketData,
  old: Instrument,
  renamed: Instrument,
  date: string,
  now: Date,
): Promise<RenamePrices | null> {
  const at = Date.parse(date);
  const days = async (instrument: Instrument) => {
    try {
      return (await files.bars(instrument, '1d', at - AROUND, at + AROUND, now.getTime())).bars;
    } catch (error) {
      if (error instanceof SourceUnavailable) return [];
      throw error;
    }
  };
  const dayOf = ({ start }: Bar) => localDate(start, timeZoneOf(renamed));
  const [former, later] = [await days(old), await days(renamed)];
  const last = former.findLast((bar) => dayOf(bar) < date);
  const first = later.find((bar) => dayOf(bar) >= date);
  if (!last || !first) return null;
  const formerDays = new Set(former.map(dayOf));
  const both_on = later.map(dayOf).find((day) => formerDays.has(day));
  return { last_close: last.close, first_open: first.open, ...(both_on !== undefined && { both_on }) };
}
