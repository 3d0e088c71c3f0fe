import type { BarSize } from '../../../domain/market/bars.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { DAY, MINUTE, type Millis } from '../../../domain/time.ts';
import { type Candle, everyPage, type Fields, fieldsOf, listOf, MalformedAnswer, textOf, timeOf } from '../candles.ts';
import type { SourceClient } from '../source-client.ts';
import type { DatedAction } from './stock-history.ts';
import { amountOf, candlesByLetter, dateOf, type StockService } from './stock-source.ts';
import { MASSIVE_NAMES, tickerAt } from './ticker-names.ts';

/** The candles that bars of a size are put together from. */
const MASSIVE_STEPS: Readonly<Record<BarSize, Millis>> = {
  '1m': MINUTE,
  '5m': 5 * MINUTE,
  '1h': 30 * MINUTE,
  '1d': DAY,
};

const RANGES: Readonly<Record<BarSize, string>> = {
  '1m': '1/minute',
  '5m': '5/minute',
  '1h': '30/minute',
  '1d': '1/day',
};

/** The most base bars (minutes or days) that one request is answered from. */
const MOST_BASE_BARS = 50_000;

/** 43,200 minutes: within the limit, as Massive advises. */
const MONTH = 30 * DAY;

export interface MassivePlan {
  /** Where the source is: pages at another address are not requested. */
  readonly baseUrl: string;
  /** How far back the plan's history goes. */
  readonly years: number;
}

export function massiveHeaders(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}

/**
 * US stocks of Massive, formerly Polygon. Bars begin on the clock of New York, days at its midnight; minutes without
 * trades are missing, and those before and after the session are there. Hours are put together from half hours: the
 * source's own begin on the hour. Free plans have the day's bars after its end only.
 */
export function massive(client: SourceClient, plan: MassivePlan): StockService {
  return {
    source: client.source,
    cadence: 'end_of_day',
    prices: 'raw',
    delay: () => 16 * MINUTE,
    step: (size) => MASSIVE_STEPS[size],
    candles: (about, size, from, to) => massiveBars(client, plan.baseUrl, { about, size, from, to }),
    reach: (_, at) => oldestOf(plan, at),
    async days(instrument, now) {
      const from = oldestOf(plan, now);
      const days = await massiveBars(client, plan.baseUrl, {
        about: instrument,
        size: '1d',
        from,
        to: now - 16 * MINUTE,
      });
      if (days.length === 0) return { candles: [], actions: [] };
      const splits = await actions(client, plan, instrument, { path: '/stocks/v1/splits', read: splitOf });
      const dividends = await actions(client, plan, instrument, { path: '/stocks/v1/dividends', read: dividendOf });
      return { candles: days, actions: [...splits, ...dividends] };
    },
  };
}

/** Within the plan by a day: asking beyond it is refused as a whole. */
function oldestOf({ years }: MassivePlan, now: Millis): Millis {
  return now - (years * 365 - 1) * DAY;
}

interface ActionList {
  readonly path: string;
  read(row: Fields): DatedAction[];
}

function actions(client: SourceClient, { baseUrl }: MassivePlan, about: Instrument, { path, read }: ActionList) {
  return massivePages(client, baseUrl, {
    about,
    path: `${path}?ticker=${encodeURIComponent(tickerAt(MASSIVE_NAMES, about.symbol))}&limit=5000`,
    read: (body) =>
      listOf(fieldsOf(body).results ?? [])
        .map(fieldsOf)
        .flatMap(read),
  });
}

function splitOf(row: Fields): DatedAction[] {
  const value = amountOf(row, 'split_to') / amountOf(row, 'split_from');
  return [{ ex_date: dateOf(row.execution_date), kind: 'split', value }];
}

/** One in another currency is left out: the price is in dollars, and the exchange rate of that day is not known. */
function dividendOf(row: Fields): DatedAction[] {
  if ((row.currency ?? 'USD') !== 'USD') return [];
  return [{ ex_date: dateOf(row.ex_dividend_date), kind: 'dividend', value: amountOf(row, 'cash_amount') }];
}

interface MassiveStretch {
  readonly about: Instrument;
  readonly size: BarSize;
  readonly from: Millis;
  readonly to: Millis;
}

/**
 * The candles of a stretch; minutes and half hours are requested by the month, because beyond the limit of base bars a
 * reply may have gaps that look like minutes without trades.
 */
async function massiveBars(
  client: SourceClient,
  baseUrl: string,
  { about, size, from, to }: MassiveStretch,
): Promise<readonly Candle[]> {
  const months: (readonly Candle[])[] = [];
  for (let start = from; start < to; ) {
    const end = size === '1d' ? to : Math.min(to, Math.floor(start / DAY) * DAY + MONTH);
    months.push(await monthOf(client, baseUrl, { about, size, from: start, to: end }));
    start = end;
  }
  return months.flat();
}

/** The time between two pages is requested again by itself, for only then is a gap there a time without trades. */
async function monthOf(client: SourceClient, baseUrl: string, stretch: MassiveStretch): Promise<readonly Candle[]> {
  const pages = (await pagesOf(client, baseUrl, stretch)).filter(({ length }) => length > 0);
  const candles: Candle[] = [];
  for (const [i, page] of pages.entries()) {
    const from = Math.max(stretch.from, (pages[i - 1]?.at(-1)?.start ?? Number.NaN) + MASSIVE_STEPS[stretch.size]);
    const to = Math.min(stretch.to, page[0]?.start ?? Number.NaN);
    if (from < to) candles.push(...(await pagesOf(client, baseUrl, { ...stretch, from, to })).flat());
    candles.push(...page);
  }
  return candles;
}

/** Ascending, page by page. */
function pagesOf(client: SourceClient, baseUrl: string, { about, size, from, to }: MassiveStretch) {
  const range = `${encodeURIComponent(tickerAt(MASSIVE_NAMES, about.symbol))}/range/${RANGES[size]}/${from}/${to - 1}`;
  const path = `/v2/aggs/ticker/${range}?adjusted=false&sort=asc&limit=${MOST_BASE_BARS}`;
  return massivePages(client, baseUrl, { about, path, read: (body, isLast) => [pageOf(body, isLast)] });
}

/** @throws MalformedAnswer for a last page that the limit may have cut off */
function pageOf(body: unknown, isLast: boolean): readonly Candle[] {
  const { results, queryCount } = fieldsOf(body);
  if (isLast && typeof queryCount === 'number' && queryCount >= MOST_BASE_BARS)
    throw new MalformedAnswer(`${queryCount} base bars without a next page`);
  return candlesByLetter(results, (t) => timeOf(t, 1));
}

interface MassiveQuery<T> {
  readonly about: Instrument;
  readonly path: string;
  /** The rows of one page, and whether it is the last one. */
  read(body: unknown, isLast: boolean): readonly T[];
}

/**
 * The rows of every page of a reply of Massive.
 * @param baseUrl where the source is: its key goes with every request, so a page at another address is not requested
 */
function massivePages<T>(client: SourceClient, baseUrl: string, { about, path, read }: MassiveQuery<T>) {
  return everyPage(client.source, (next) =>
    client.ask({
      about,
      path: next ?? path,
      read(body) {
        const following = nextOf(body, baseUrl);
        return { rows: read(body, following === null), next: following };
      },
    }),
  );
}

function nextOf(body: unknown, baseUrl: string): string | null {
  const { next_url } = fieldsOf(body);
  if (next_url === undefined || next_url === null) return null;
  const address = textOf(next_url);
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url?.href.startsWith(`${baseUrl}/`) || url.username !== '') throw new MalformedAnswer('a page elsewhere');
  return url.href.slice(baseUrl.length);
}
