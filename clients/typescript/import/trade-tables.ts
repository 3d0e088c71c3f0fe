import { columnsOf, foundIn, hasColumns, leftOut, refused, tableIn } from './cells.ts';
import { type Format, type FoundEntry, ImportError, type ImportOptions, oneOf, wordIn } from './found.ts';

/** @throws ImportError: the name of the instrument is not in such files */
function symbolOf({ symbol }: ImportOptions, what: string): string {
  if (symbol !== undefined) return symbol;
  throw new ImportError(`${what} does not name its instrument: add --symbol, such as MSFT or BTC.`);
}

/** `stats._trades.to_csv()` of backtesting.py. Entries are at the open of a bar, signals one bar earlier. */
export const backtestingPy: Format = {
  name: 'backtesting.py',
  what: 'trades of backtesting.py (stats._trades.to_csv())',
  is: ({ table }) => hasColumns(table, 'Size', 'EntryBar', 'ExitBar', 'EntryPrice', 'EntryTime', 'ReturnPct'),
  read(content, options) {
    const symbol = symbolOf(options, 'A table of backtesting.py');
    return {
      source: 'backtesting.py trades',
      perspective: 'technical',
      found: foundIn(tableIn(content), (row, cell) => {
        const [size, time] = [Number(cell(row, 'Size')), cell(row, 'EntryTime')];
        if (!size) return refused(row, 'Size is no number other than 0.');
        if (/^\d{1,9}$/.test(time))
          return refused(row, 'EntryTime is the number of a bar: run the back-test on data with an index of times.');
        const tag = hasColumns(content.table, 'Tag') ? cell(row, 'Tag') : '';
        // SL and TP are those at the end of the trade: a trailing stop has moved by then.
        return {
          kind: 'entry',
          place: `line ${row.line}`,
          symbol,
          direction: size > 0 ? 'bullish' : 'bearish',
          time: { at: time, edge: 'start' },
          factors: tag === '' ? [] : [tag],
        };
      }),
    };
  },
};

/** The words of vectorbt and of nautilus_trader. */
const SIDES: Readonly<Record<string, FoundEntry['direction']>> = {
  Long: 'bullish',
  Short: 'bearish',
  BUY: 'bullish',
  SELL: 'bearish',
};

/** `records_readable` of trades or positions of vectorbt. Its default price is the close of the bar that it names. */
export const vectorbt: Format = {
  name: 'vectorbt',
  what: 'trades or positions of vectorbt (records_readable.to_csv())',
  is: ({ table }) => hasColumns(table, 'Column', 'Entry Timestamp', 'Avg Entry Price', 'Direction', 'Status'),
  read(content, options) {
    const table = tableIn(content);
    const cell = columnsOf(table);
    const columns = table.rows.map((row) => cell(row, 'Column'));
    const column = options.symbol === undefined ? null : oneOf(columns, options, 'column');
    const strange = columns.find((each) => !/^[A-Za-z][\w.\-/:]*$/.test(each));
    if (column === null && strange !== undefined) {
      throw new ImportError(
        `The column ${strange} of vectorbt is no symbol: add --symbol, and --strategy for one of several columns.`,
      );
    }
    const seen = new Set<string>();
    const position = ['Position Id', 'Parent Id'].find((name) => table.header.includes(name));
    return {
      source: column === null || /^\d+$/.test(column) ? 'vectorbt trades' : `vectorbt trades, column ${column}`,
      perspective: 'technical',
      needsBar:
        'Add --bar, such as 1d or 1h: the length of the bars. A trade of vectorbt is at the close of the bar that it names by its start.',
      found: table.rows
        .filter((row) => column === null || cell(row, 'Column') === column)
        .map((row) => {
          const direction = wordIn(SIDES, cell(row, 'Direction'));
          if (!direction) return refused(row, 'Direction is neither Long nor Short.');
          const key = position === undefined ? String(row.line) : `${cell(row, 'Column')} ${cell(row, position)}`;
          if (seen.has(key)) return leftOut(row, 'further parts of a position');
          seen.add(key);
          return {
            kind: 'entry',
            place: `line ${row.line}`,
            symbol: options.symbol ?? cell(row, 'Column'),
            direction,
            time: { at: cell(row, 'Entry Timestamp'), edge: 'start' },
          };
        }),
    };
  },
};

/** Market identifier codes that nautilus_trader names venues by, and venues of its own adapters. */
const NAUTILUS_VENUES: Readonly<Record<string, string>> = {
  XNAS: 'NASDAQ',
  XNYS: 'NYSE',
  XASE: 'AMEX',
  ARCX: 'ARCA',
  NASDAQ: 'NASDAQ',
  NYSE: 'NYSE',
  ARCA: 'ARCA',
  AMEX: 'AMEX',
  BINANCE: 'BINANCE',
  BYBIT: 'BYBIT',
  OKX: 'OKX',
  KRAKEN: 'KRAKEN',
  COINBASE: 'COINBASE',
};

/** The report of positions of nautilus_trader. `side` is FLAT once a position is closed; `entry` opened it. */
export const nautilus: Format = {
  name: 'nautilus',
  what: 'the report of positions of nautilus_trader',
  is: ({ table }) => hasColumns(table, 'instrument_id', 'strategy_id', 'entry', 'ts_opened', 'realized_pnl'),
  read(content, options) {
    const table = tableIn(content);
    const cell = columnsOf(table);
    const strategy = oneOf(
      table.rows.map((row) => cell(row, 'strategy_id')),
      options,
      'strategy',
    );
    return {
      source: `nautilus_trader positions, strategy ${strategy}`,
      perspective: 'technical',
      found: table.rows
        .filter((row) => cell(row, 'strategy_id') === strategy)
        .map((row) => {
          const direction = wordIn(SIDES, cell(row, 'entry'));
          const [, name = '', place = ''] = /^(.+)\.([^.]+)$/.exec(cell(row, 'instrument_id')) ?? [];
          if (!direction || name === '')
            return refused(row, 'entry is neither BUY nor SELL, or instrument_id is none such as AAPL.XNAS.');
          const [, currency] = /^-?[\d_.]+ ([A-Z0-9]+)$/.exec(cell(row, 'realized_pnl')) ?? [];
          const traded = nautilusInstrument(
            name,
            options.venue ?? wordIn(NAUTILUS_VENUES, place),
            options.quote ?? currency,
          );
          if (traded === null)
            return refused(
              row,
              `The venue ${place} is not known here: give --venue for all rows, with whose prices they are graded.`,
            );
          return {
            kind: 'entry',
            place: `line ${row.line}`,
            ...traded,
            direction,
            time: { at: cell(row, 'ts_opened'), edge: 'start' },
            model: strategy,
          };
        }),
    };
  },
};

/** The realised result is in the quote of a linear pair, so that it says where the base ends. */
function nautilusInstrument(name: string, venue: string | undefined, quote: string | undefined) {
  if (venue === undefined) return null;
  const isPerp = /-(PERP|LINEAR|SWAP)$/.test(name);
  const pair = name.replace(/-(PERP|LINEAR|SWAP|SPOT)$/, '').replace('-', '/');
  const isStock = ['NASDAQ', 'NYSE', 'AMEX', 'ARCA'].includes(venue);
  if (isStock) return { symbol: name, venue, market: 'stock', asset_class: 'spot', quote: undefined };
  const base = quote !== undefined && pair.endsWith(quote) ? pair.slice(0, -quote.length).replace(/\/$/, '') : pair;
  return { symbol: base, venue, market: 'crypto', asset_class: isPerp ? 'perp' : 'spot', quote };
}

/** Names of the columns of the list of trades, before and since 2025. */
const TRADE = ['Trade #', 'Trade number'];
const DATE = ['Date/Time', 'Date and time'];

/** The list of trades of TradingView's Strategy Tester: two rows a trade, of which the entry is read. */
export const tradingView: Format = {
  name: 'tradingview',
  what: "TradingView's list of trades",
  is: ({ table }) =>
    [TRADE, DATE, ['Type'], ['Signal']].every((names) => names.some((name) => hasColumns(table, name))),
  read(content, options) {
    const table = tableIn(content);
    const symbol = symbolOf(options, 'A list of trades of TradingView');
    const date = DATE.find((name) => table.header.includes(name)) ?? '';
    const currency = table.header.flatMap((name) => /^Price ([A-Z]{3,5})$/.exec(name)?.[1] ?? [])[0];
    return {
      source: 'TradingView list of trades',
      perspective: 'technical',
      found: foundIn(table, (row, cell) => {
        const [, side, way] = /^(Entry|Exit) (long|short)$/i.exec(cell(row, 'Type')) ?? [];
        if (side === undefined || way === undefined)
          return refused(row, 'Type is none of Entry long, Entry short, Exit long and Exit short.');
        if (side.toLowerCase() === 'exit') return leftOut(row, 'exits');
        const signal = cell(row, 'Signal');
        return {
          kind: 'entry',
          place: `line ${row.line}`,
          symbol,
          quote: options.quote ?? currency,
          direction: way.toLowerCase() === 'long' ? 'bullish' : 'bearish',
          time: { at: cell(row, date), edge: 'start' },
          factors: signal === '' ? [] : [signal],
        };
      }),
    };
  },
};
