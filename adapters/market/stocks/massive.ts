import type { Instrument } from '../../../domain/market/instrument.ts';
import { DAY, MINUTE, type Millis } from '../../../domain/time.ts';
import { type Fields, fieldsOf, listOf } from '../answer.ts';
import type { SourceClient } from '../source-client.ts';
import { MASSIVE_STEPS, massiveBars } from './massive-bars.ts';
import { massivePages, massiveTicker } from './massive-pages.ts';
import type { DatedAction } from './stock-history.ts';
import { amountOf, dateOf } from './stock-rows.ts';
import type { StockService } from './stock-source.ts';

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
    delay: 16 * MINUTE,
    steps: MASSIVE_STEPS,
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
    path: `${path}?ticker=${encodeURIComponent(massiveTicker(about))}&limit=5000`,
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
