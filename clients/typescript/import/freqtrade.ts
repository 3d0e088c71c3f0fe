import {
  type Content,
  type Format,
  type Found,
  ImportError,
  type ImportOptions,
  listOf,
  membersOf,
  numberIn,
  oneOf,
  priceIn,
  textIn,
} from './found.ts';

/**
 * The result of a back-test of freqtrade: `backtest-result-<time>.zip`, or its JSON. Exported signals are pickles, which
 * are never opened.
 */
export const freqtrade: Format = {
  name: 'freqtrade',
  what: 'the result of a back-test of freqtrade (zip or JSON)',
  is: ({ json }) => typeof membersOf(json).strategy === 'object' && 'strategy_comparison' in membersOf(json),
  read(content, options) {
    const strategies = membersOf(membersOf(content.json).strategy);
    const name = oneOf(Object.keys(strategies), options, 'strategy');
    const { trades } = membersOf(strategies[name]);
    if (!Array.isArray(trades)) throw new ImportError(`The strategy ${name} has no list of trades.`);
    const venue = options.venue ?? exchangeOf(content);
    return {
      source: `freqtrade back-test, strategy ${name}`,
      perspective: 'technical',
      found: tradesOf(trades, name, venue, options),
    };
  },
};

function* tradesOf(
  trades: readonly unknown[],
  model: string,
  venue: string | undefined,
  options: ImportOptions,
): Generator<Found> {
  for (const [index, each] of trades.entries()) {
    const place = `trades[${index}] of ${model}`;
    const trade = membersOf(each);
    const [pair, time] = [textIn(trade.pair), numberIn(trade.open_timestamp) ?? textIn(trade.open_date)];
    const isShort = trade.is_short ?? false;
    if (pair === undefined || time === undefined || typeof isShort !== 'boolean') {
      yield {
        kind: 'refused',
        place,
        why: 'It has no pair, no open_date or open_timestamp, or an is_short that is neither true nor false.',
      };
      continue;
    }
    const traded = pairOf(pair, options);
    if (traded === null) {
      yield {
        kind: 'refused',
        place,
        why: `${pair} is neither a spot pair nor a perpetual that is settled in its quote.`,
      };
      continue;
    }
    // Of old files, which have no leverage either, buy_tag.
    const tag = textIn(trade.enter_tag ?? trade.buy_tag);
    yield {
      kind: 'entry',
      place,
      ...traded,
      market: 'crypto',
      venue,
      direction: isShort ? 'bearish' : 'bullish',
      // Signals are shifted by one candle: the data ended when the candle that trades opened.
      time: { at: time, edge: 'start' },
      model,
      factors: tag === undefined ? [] : [tag],
      stop: stopOf(trade.initial_stop_loss_abs, trade.open_rate, isShort),
    };
  }
}

/** `BTC/USDT` is spot, `BTC/USDT:USDT` a perpetual; `:USDT-240329` expires, and `BTC/USD:BTC` is inverse. */
function pairOf(pair: string, options: ImportOptions) {
  const [, base = '', quote = '', settled] = /^([^/:]+)\/([^/:]+)(?::([^/:]+))?$/.exec(pair) ?? [];
  if (base === '' || (settled !== undefined && settled !== quote)) return null;
  return { symbol: base, quote, asset_class: settled === undefined ? (options['asset-class'] ?? 'spot') : 'perp' };
}

/** The stop at the entry; the last one, stop_loss_abs, follows the price of the trade. A stop on the wrong side is none. */
function stopOf(stop: unknown, rate: unknown, isShort: boolean): number | undefined {
  const [level, entry] = [priceIn(stop), priceIn(rate)];
  if (level === undefined || entry === undefined) return undefined;
  return isShort === level > entry ? level : undefined;
}

/** The exchange is in no field of the result, but in the configuration next to it in the zip. */
function exchangeOf({ others }: Content): string | undefined {
  for (const [name, text] of others) {
    if (!name.endsWith('_config.json')) continue;
    try {
      const { exchange } = membersOf(JSON.parse(text));
      return textIn(membersOf(exchange).name)?.toUpperCase();
    } catch {
      throw new ImportError(`${name} in the zip is not JSON: give --venue.`);
    }
  }
  return undefined;
}

/**
 * Trades of jesse as JSON (`storage/json`, with `trades`) or CSV (`storage/csv`).
 * Its ids are new in each run; holding_period and closed_at are outcomes.
 */
export const jesse: Format = {
  name: 'jesse',
  what: 'trades of jesse (storage/json or storage/csv)',
  is: ({ json, table }) => {
    const [first] = listOf(membersOf(json).trades);
    const names = table?.header ?? Object.keys(membersOf(first));
    return ['strategy_name', 'symbol', 'exchange', 'type', 'holding_period', 'opened_at'].every((name) =>
      names.includes(name),
    );
  },
  read({ json, table }, options) {
    const trades = table
      ? table.rows.map(({ line, cells }) => ({
          place: `line ${line}`,
          trade: Object.fromEntries(table.header.map((name, at) => [name, cells[at]])),
        }))
      : listOf(membersOf(json).trades).map((trade, at) => ({ place: `trades[${at}]`, trade: membersOf(trade) }));
    const model = oneOf(
      trades.flatMap(({ trade }) => textIn(trade.strategy_name) ?? []),
      options,
      'strategy',
    );
    return {
      source: `jesse back-test, strategy ${model}`,
      perspective: 'technical',
      found: trades
        .filter(({ trade }) => textIn(trade.strategy_name) === model)
        .map(({ place, trade }) => jesseTrade(place, trade, model, options)),
    };
  },
};

/** Names of jesse, by the start of their text, for the exchanges that have other words in them. */
const JESSE_VENUES: readonly (readonly [RegExp, string])[] = [
  [/^Binance (Spot|Perpetual Futures)$/, 'BINANCE'],
  [/^Bybit (Spot|USD[TC] Perpetual)$/, 'BYBIT'],
  [/^Coinbase Spot$/, 'COINBASE'],
  [/^Kraken Pro Spot$/, 'KRAKEN'],
];

function jesseTrade(
  place: string,
  trade: Readonly<Record<string, unknown>>,
  model: string,
  options: ImportOptions,
): Found {
  const [symbol, exchange, type] = ['symbol', 'exchange', 'type'].map((name) => textIn(trade[name]) ?? '');
  const opened = numberIn(trade.opened_at);
  const [base, quote, ...more] = symbol?.split('-') ?? [];
  if (!base || !quote || more.length > 0 || opened === undefined || (type !== 'long' && type !== 'short')) {
    return {
      kind: 'refused',
      place,
      why: 'It has no symbol such as BTC-USDT, no opened_at in ms, or a type other than long and short.',
    };
  }
  const venue = options.venue ?? JESSE_VENUES.find(([name]) => name.test(exchange ?? ''))?.[1];
  if (venue === undefined) {
    return {
      kind: 'refused',
      place,
      why: `The exchange ${exchange} is not known here: give --venue for all rows, with whose prices they are graded.`,
    };
  }
  return {
    kind: 'entry',
    place,
    symbol: base,
    quote,
    market: 'crypto',
    venue,
    asset_class: /Perpetual|Futures/.test(exchange ?? '') ? 'perp' : 'spot',
    direction: type === 'long' ? 'bullish' : 'bearish',
    time: { at: opened, edge: 'start' },
    model,
  };
}
