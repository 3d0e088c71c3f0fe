import type { BarSize } from '../../../domain/market/bars.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { DAY, MINUTE, type Millis } from '../../../domain/time.ts';
import { fieldsOf, MalformedAnswer, timeOf } from '../answer.ts';
import type { Candle } from '../candles.ts';
import type { SourceClient } from '../source-client.ts';
import { massivePages, massiveTicker } from './massive-pages.ts';
import { lettered } from './stock-rows.ts';

export interface MassiveStretch {
  readonly about: Instrument;
  readonly size: BarSize;
  readonly from: Millis;
  readonly to: Millis;
}

/** The candles that bars of a size are put together from. */
export const MASSIVE_STEPS: Readonly<Record<BarSize, Millis>> = {
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

/**
 * The candles of a stretch; minutes and half hours are requested by the month, because beyond the limit of base bars a
 * reply may have gaps that look like minutes without trades.
 */
export async function massiveBars(
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
  const range = `${encodeURIComponent(massiveTicker(about))}/range/${RANGES[size]}/${from}/${to - 1}`;
  const path = `/v2/aggs/ticker/${range}?adjusted=false&sort=asc&limit=${MOST_BASE_BARS}`;
  return massivePages(client, baseUrl, { about, path, read: (body, isLast) => [pageOf(body, isLast)] });
}

/** @throws MalformedAnswer for a last page that the limit may have cut off */
function pageOf(body: unknown, isLast: boolean): readonly Candle[] {
  const { results, queryCount } = fieldsOf(body);
  if (isLast && typeof queryCount === 'number' && queryCount >= MOST_BASE_BARS)
    throw new MalformedAnswer(`${queryCount} base bars without a next page`);
  return lettered(results, (t) => timeOf(t, 1));
}
