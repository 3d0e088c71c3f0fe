import type { BarSize } from '../../domain/market/bars.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import { DAY, MINUTE, type Millis } from '../../domain/time.ts';
import { type Fields, fieldsOf, listOf, MalformedAnswer, textOf, timeOf } from './answer.ts';
import { everyPage, type PageOfRows } from './every-page.ts';
import type { SourceClient } from './source-client.ts';
import type { DatedAction } from './stock-history.ts';
import { amountOf, dateOf, lettered } from './stock-rows.ts';
import type { StockService } from './stock-source.ts';

export interface MassivePlan {
  /** Where the source is: pages that lie elsewhere are not followed. */
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
    delay: 16 * MINUTE,
    steps: { '1m': MINUTE, '5m': 5 * MINUTE, '1h': 30 * MINUTE, '1d': DAY },
    candles: (instrument, size, from, to) => candles(client, plan, instrument, { size, from, to }),
    async days(instrument, now) {
      // Within the plan by a day: asking beyond it is refused as a whole.
      const from = now - (plan.years * 365 - 1) * DAY;
      const days = await candles(client, plan, instrument, { size: '1d', from, to: now - 16 * MINUTE });
      if (days.length === 0) return { candles: [], actions: [] };
      const splits = await actions(client, plan, instrument, { path: '/stocks/v1/splits', read: splitOf });
      const dividends = await actions(client, plan, instrument, { path: '/stocks/v1/dividends', read: dividendOf });
      return { candles: days, actions: [...splits, ...dividends] };
    },
  };
}

const RANGES: Readonly<Record<BarSize, string>> = {
  '1m': '1/minute',
  '5m': '5/minute',
  '1h': '30/minute',
  '1d': '1/day',
};

function candles(
  client: SourceClient,
  { baseUrl }: MassivePlan,
  instrument: Instrument,
  { size, from, to }: { readonly size: BarSize; readonly from: Millis; readonly to: Millis },
) {
  const ticker = encodeURIComponent(tickerOf(instrument));
  const first = `/v2/aggs/ticker/${ticker}/range/${RANGES[size]}/${from}/${to - 1}?adjusted=false&sort=asc&limit=50000`;
  return everyPage(client.source, (next) =>
    client.ask({
      about: instrument,
      path: next ?? first,
      read: (body) => ({ rows: lettered(fieldsOf(body).results, (t) => timeOf(t, 1)), next: nextOf(body, baseUrl) }),
    }),
  );
}

interface ActionList {
  readonly path: string;
  read(row: Fields): DatedAction[];
}

function actions(client: SourceClient, { baseUrl }: MassivePlan, about: Instrument, { path, read }: ActionList) {
  const first = `${path}?ticker=${encodeURIComponent(tickerOf(about))}&limit=5000`;
  return everyPage(client.source, (next) =>
    client.ask({
      about,
      path: next ?? first,
      read: (body): PageOfRows<DatedAction> => ({
        rows: listOf(fieldsOf(body).results ?? [])
          .map(fieldsOf)
          .flatMap(read),
        next: nextOf(body, baseUrl),
      }),
    }),
  );
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

/** The key goes along with every request, so a page that lies elsewhere is not asked for. */
function nextOf(body: unknown, baseUrl: string): string | null {
  const { next_url } = fieldsOf(body);
  if (next_url === undefined || next_url === null) return null;
  const address = textOf(next_url);
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url?.href.startsWith(`${baseUrl}/`) || url.username !== '') throw new MalformedAnswer('a page elsewhere');
  return url.href.slice(baseUrl.length);
}

/** Preferred shares: `ABR.PRB` here is `ABRpB` there. */
function tickerOf({ symbol }: Instrument): string {
  return symbol.replace(/\.PR(?=[A-Z]$)/, 'p');
}
