import { TABLE_VENUES } from '../../../domain/market/venues.ts';
import {
  type Format,
  type Found,
  type ImportOptions,
  type Json,
  listOf,
  membersOf,
  numberIn,
  oneOf,
  textIn,
  wordIn,
} from './found.ts';

/** Insights of LEAN (`alpha-results.json`): the only format whose entries state a horizon before their outcome. */
export const lean: Format = {
  name: 'lean',
  what: 'insights of QuantConnect LEAN (alpha-results.json)',
  is: ({ json }) => {
    const first = membersOf(listOf(json)[0]);
    return 'direction' in first && 'symbol' in first && memberOf(first, 'closeTime') !== undefined;
  },
  read({ json }, options) {
    const insights = listOf(json).map(membersOf);
    const modelOf = (insight: Json) => textIn(memberOf(insight, 'sourceModel')) ?? 'without a model';
    const ofPrices = insights.filter((insight) => memberOf(insight, 'type') !== 'volatility');
    const model = oneOf(ofPrices.map(modelOf), options, 'alpha model');
    return {
      source: `LEAN insights, ${model}`,
      perspective: 'quantitative',
      statesHorizon: true,
      found: insights.flatMap((insight, index) => {
        const isOther = modelOf(insight) !== model && memberOf(insight, 'type') !== 'volatility';
        return isOther ? [] : [insightOf(insight, `insights[${index}]`, options)];
      }),
    };
  },
};

/** By its name in camel case, or with hyphens, as files before May 2024 have it. */
function memberOf(insight: Json, name: string): unknown {
  return insight[name] ?? insight[name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)];
}

const DIRECTIONS: Readonly<Record<string, 'bullish' | 'bearish' | 'neutral'>> = {
  up: 'bullish',
  down: 'bearish',
  flat: 'neutral',
};

function insightOf(insight: Json, place: string, options: ImportOptions): Found {
  const type = textIn(memberOf(insight, 'type'))?.toLowerCase();
  if (type === 'volatility') return { kind: 'left_out', place, why: 'insights about volatility' };
  const direction = wordIn(DIRECTIONS, textIn(memberOf(insight, 'direction'))?.toLowerCase());
  const generated = numberIn(memberOf(insight, 'generatedTime')) ?? numberIn(memberOf(insight, 'createdTime'));
  const close = numberIn(memberOf(insight, 'closeTime'));
  const [ticker, identifier] = [textIn(memberOf(insight, 'ticker')), textIn(memberOf(insight, 'symbol'))];
  if (type !== 'price' || !direction || generated === undefined || close === undefined || !ticker || !identifier) {
    return {
      kind: 'refused',
      place,
      why: 'It lacks type price, a direction, generatedTime, closeTime, ticker or symbol.',
    };
  }
  const traded = instrumentOf(ticker.toUpperCase(), identifier, options);
  if ('why' in traded) return { kind: 'refused', place, why: traded.why };
  const [tag, source] = [textIn(memberOf(insight, 'tag')), textIn(memberOf(insight, 'sourceModel'))];
  return {
    kind: 'entry',
    place,
    ...traded,
    direction,
    time: { at: Math.round(generated * 1_000), edge: 'start' },
    seconds: Math.round(close - generated),
    confidence: numberIn(memberOf(insight, 'confidence')),
    ...(source === undefined ? {} : { model: source }),
    ...(tag === undefined ? {} : { factors: [tag] }),
  };
}

/** Numbers of security types and markets in an identifier. */
const SECURITY_TYPES: Readonly<Record<number, string>> = { 1: 'equity', 7: 'crypto', 11: 'cryptofuture' };
const MARKETS: Readonly<Record<number, string>> = {
  1: 'USA',
  12: 'COINBASE',
  13: 'KRAKEN',
  16: 'BINANCE',
  37: 'BYBIT',
  38: 'COINBASE',
};

type Traded = Pick<Extract<Found, { kind: 'entry' }>, 'symbol' | 'market' | 'venue' | 'asset_class' | 'quote'>;

/** Security type and market are the last 2 and 3 digits of the base 36 number in an identifier such as `BTCUSD XJ`. */
function instrumentOf(ticker: string, identifier: string, options: ImportOptions): Traded | { readonly why: string } {
  const exact = numberOf36(identifier);
  if (exact === null) return { why: `${identifier} is no identifier of a security of LEAN.` };
  const kind = SECURITY_TYPES[Number(exact % 100n)];
  const market = MARKETS[Number((exact / 100n) % 1_000n)];
  if (kind === 'equity' && market === 'USA')
    return { symbol: ticker, market: 'stock', venue: options.venue, asset_class: 'spot', quote: 'USD' };
  if ((kind !== 'crypto' && kind !== 'cryptofuture') || market === undefined) {
    return {
      why: `${identifier} is neither a stock of the United States nor crypto of an exchange that is known here.`,
    };
  }
  const asset_class = kind === 'crypto' ? 'spot' : 'perp';
  const quotes = TABLE_VENUES.named(market)?.quotes[asset_class] ?? [];
  const fitting = (options.quote === undefined ? quotes : [options.quote]).filter(
    (quote) => ticker.endsWith(quote) && ticker.length > quote.length,
  );
  const [quote, ...others] = fitting;
  if (quote === undefined || others.length > 0) return { why: `The quote of ${ticker} cannot be read: give --quote.` };
  return { symbol: ticker.slice(0, -quote.length), market: 'crypto', venue: market, asset_class, quote };
}

/** Identifiers have more digits than a number holds. */
function numberOf36(identifier: string): bigint | null {
  const text = identifier.split('|')[0]?.split(' ').at(-1)?.toUpperCase() ?? '';
  if (!/^[0-9A-Z]{1,20}$/.test(text)) return null;
  return Array.from(text).reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
}
