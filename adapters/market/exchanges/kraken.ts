import { type BarSize, lengthOf } from '../../../domain/market/bars.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import { OutOfReach } from '../../../domain/market/market-data.ts';
import { DAY, HOUR, MINUTE, type Millis, SECOND } from '../../../domain/time.ts';
import {
  AskedTooOften,
  type Candle,
  candlesOf,
  type Fields,
  fieldsOf,
  listOf,
  MalformedAnswer,
  textOf,
} from '../candles.ts';
import type { SourceClient } from '../source-client.ts';
import type { ExchangeApi } from './exchange-source.ts';

/** One request a second. */
export const KRAKEN_ALLOWANCE = { perSecond: 1, burst: 2 };

/** Kraken serves the newest 720 candles of any size, including the open one, and no older ones. */
const DEPTH = 720;

/**
 * Pairs of Kraken. Candles begin on UTC time and come oldest first; minutes without trades may be missing. A window that
 * begins before the range that Kraken serves is unavailable rather than cut short, so that another source may serve it.
 */
export function kraken(client: SourceClient, clock: { now(): Millis }): ExchangeApi {
  return {
    source: client.source,
    asset_class: 'spot',
    perPage: DEPTH,
    async tradingStatus(instrument) {
      const listed = await client.ask({
        about: instrument,
        path: '/0/public/AssetPairs',
        query: { pair: pairOf(instrument) },
        read: (body) => isListed(body),
      });
      if (!listed) return null;
      const [oldest] = await newest(client, instrument, DAY);
      return { trading: true, listed_at: oldest?.start ?? null };
    },
    async page(instrument, size, from) {
      const length = lengthOf(size);
      // Without `since` the reply begins as early as Kraken can, which may prove that it covers an older window.
      const since = from >= reachOf(length, clock.now()) ? from - length : undefined;
      const candles = await newest(client, instrument, length, since);
      const now = Math.max(clock.now(), candles.at(-1)?.start ?? 0);
      const reach = reachOf(length, now);
      if (from >= reach || (candles[0]?.start ?? Number.POSITIVE_INFINITY) <= from) return candles;
      if (await hasNoTrades(client, instrument, { from, to: reach, now })) return candles;
      throw outOfReach(client, instrument, size);
    },
    reach: (size, at) => reachOf(lengthOf(size), at),
  };
}

/** The start of the oldest candle that Kraken must still have, whether or not it leaves out those without trades. */
function reachOf(length: Millis, now: Millis): Millis {
  return (Math.floor(now / length) - DEPTH + 1) * length;
}

/** Lengths of candles that reach further back, the last one 13 years. */
const COARSER: readonly Millis[] = [5 * MINUTE, HOUR, DAY, 7 * DAY];

/**
 * Whether the pair had no trade in [from, to), such as before its listing: the shortest candles that reach back to `from`
 * begin at `to` or later. False where none reach so far.
 */
async function hasNoTrades(
  client: SourceClient,
  instrument: Instrument,
  { from, to, now }: { readonly from: Millis; readonly to: Millis; readonly now: Millis },
): Promise<boolean> {
  // The candle after the oldest: time passes before the reply.
  const length = COARSER.find((each) => from >= reachOf(each, now) + each);
  if (length === undefined) return false;
  const [oldest] = await newest(client, instrument, length, from - length);
  return (oldest?.start ?? 0) >= to;
}

const COLUMNS = { start: 0, open: 1, high: 2, low: 3, close: 4, volume: 6 };

/** `after`: candles that begin later than that. */
function newest(client: SourceClient, instrument: Instrument, length: Millis, after?: Millis): Promise<Candle[]> {
  return client.ask({
    about: instrument,
    path: '/0/public/OHLC',
    query: {
      pair: pairOf(instrument),
      interval: length / MINUTE,
      ...(after === undefined ? {} : { since: after / SECOND }),
    },
    read: (body) => candlesOf(onlyPair(resultOf(body)), COLUMNS, SECOND).sort((a, b) => a.start - b.start),
  });
}

/** Kraken's own codes where they differ from everybody's. */
const CODES: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' };

function pairOf({ symbol, quote_currency }: Instrument): string {
  return `${CODES[symbol] ?? symbol}${CODES[quote_currency] ?? quote_currency}`;
}

function isListed(body: unknown): boolean {
  const errors = errorsOf(body);
  if (errors.includes('EQuery:Unknown asset pair')) return false;
  return Object.keys(resultOf(body)).length > 0;
}

/** What an answer holds beside its errors. @throws MalformedAnswer, AskedTooOften */
export function resultOf(body: unknown): Fields {
  const errors = errorsOf(body);
  const [first] = errors;
  if (errors.some((error) => /too many requests|rate limit/i.test(error))) throw new AskedTooOften(`${first}`);
  if (first !== undefined) throw new MalformedAnswer(`error ${first}`);
  return fieldsOf(fieldsOf(body).result);
}

/** Errors come with status 200; those that begin with W are warnings. */
function errorsOf(body: unknown): readonly string[] {
  return listOf(fieldsOf(body).error)
    .map(textOf)
    .filter((error) => error.startsWith('E'));
}

/** The pair stands there by Kraken's long name, beside `last`. */
export function onlyPair({ last: _, ...pairs }: Fields): unknown {
  return Object.values(pairs)[0];
}

function outOfReach({ source }: SourceClient, instrument: Instrument, size: BarSize): OutOfReach {
  return new OutOfReach(
    `${source} has the newest ${DEPTH} bars of ${size} only, which begin after this window (${instrumentKey(instrument)})`,
  );
}
