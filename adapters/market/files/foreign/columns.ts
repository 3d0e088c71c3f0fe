import type { Row } from './read-table.ts';

/** A column of a table by its place. */
export interface Column {
  readonly name: string;
  readonly place: number;
}

/** Which columns of a table are read as what. */
export interface BarColumns {
  readonly count: number;
  readonly time: Column;
  /** Of a time that has a column of its own. */
  readonly clock: Column | undefined;
  /** Open, high, low, close. */
  readonly prices: readonly Column[];
  /** The first one that has a value is the volume. */
  readonly volumes: readonly Column[];
  readonly adj_close: Column | undefined;
  readonly instrument: Column | undefined;
  /** 0 where trading was suspended. */
  readonly status: Column | undefined;
  /** How prices are adjusted, by a number or a word. */
  readonly flag: Column | undefined;
  readonly ignored: readonly string[];
  /** The place of the first column of a name. */
  placeOf(name: string): number;
}

/** In the order in which they are preferred: instants first, then dates. */
const TIMES = [
  ...['unix', 'timestamp', 'window_start', 'open_time', 'datetime', 'date_time', 'gmt_time', 'time_utc', 'local_time'],
  ...['trade_time', '时间', 'start', 'start_time', 'date', 'day', 'trade_date', '日期', 'time', 'index_level_0'],
];
const PRICES: readonly (readonly string[])[] = [
  ['open', '开盘', 'o'],
  ['high', '最高', 'h'],
  ['low', '最低', 'l'],
  ['close', 'close_last', '收盘', 'latest', 'last', 'price', 'c'],
];
const VOLUMES = ['volume', 'vol', '成交量', 'real_volume', 'tickvol', 'tick_volume', 'base_volume', 'volume_base', 'v'];
const ADJUSTED = ['adj_close', 'adjclose', 'adjusted_close'];
/** Columns, and words next to the rows of JSON, that say how prices are adjusted. */
export const ADJUSTMENTS = ['adjustflag', 'adjusted', 'is_adjusted', 'adjust', 'adjustment'];
const INSTRUMENTS = [
  ...['symbol', 'ticker', 'ts_code', 'code', 'pair', 'instrument', '股票代码', '证券代码', '代码', 'tic', 'sym', 'ric'],
  ...['act_symbol', 'stock_code', 'stock_symbol', 'product_id', 'instrument_id', 'currency_pair', 'stock', 'security'],
  ...['coin', 'instrument_name', 'name', 'market', 'asset', 'contract'],
];

/** Names of columns of instruments that only some writer has, such as `Security Id` and `TradingSymbol`. */
const OTHER_INSTRUMENTS = /^(\w*(symbol|ticker)|(\w+_)?(security|instrument))(_(id|code|key))?$/;
/** These name what the prices are in, where they were made or compared with. */
const OF_OTHER_THINGS = /(currency|quote|exchange|benchmark)(_asset)?_?(symbol|ticker)/;

/** Whether the column `adjusted` has prices, as tidyquant writes it, and no flag: other numbers than 0, 1 and 2. */
function adjustedIsPrice(names: readonly string[], rows: readonly Row[]): boolean {
  const place = names.indexOf('adjusted');
  const values = place < 0 ? [] : rows.map(({ cells }) => readNumber(cells[place] ?? '', 'point'));
  return values.some((value) => value !== null && ![0, 1, 2].includes(value));
}

/**
 * null where a time or a price has no column.
 * @param symbol of the instrument: its own volume may be named after it
 */
export function columnsOf(names: readonly string[], rows: readonly Row[], symbol: string): BarColumns | null {
  const first = (wanted: readonly string[]): Column | undefined => {
    const name = wanted.find((each) => names.includes(each));
    return name === undefined ? undefined : { name, place: names.indexOf(name) };
  };
  // An index without a name is the time where nothing else is; next to long names, `t` may be anything.
  const unnamed = names[0] === '' || names[0] === 'index' ? { name: '', place: 0 } : undefined;
  const time = first(TIMES) ?? (names.includes('o') ? undefined : unnamed) ?? first(['t']) ?? unnamed;
  const prices = PRICES.flatMap((wanted) => first(wanted) ?? []);
  if (!time || prices.length < PRICES.length) return null;
  const clock = ['date', 'day'].includes(time.name) ? first(['time']) : undefined;
  const own = `volume_${symbol.toLowerCase().replace(/[^a-z0-9]/g, '_')}`;
  const isPrice = adjustedIsPrice(names, rows);
  const others = {
    adj_close: first(isPrice ? [...ADJUSTED, 'adjusted'] : ADJUSTED),
    instrument: first([
      ...INSTRUMENTS,
      ...names.filter((name) => OTHER_INSTRUMENTS.test(name) && !OF_OTHER_THINGS.test(name)),
    ]),
    status: first(['tradestatus']),
    flag: first(isPrice ? ADJUSTMENTS.filter((name) => name !== 'adjusted') : ADJUSTMENTS),
  };
  const volumes = [own, ...VOLUMES].flatMap((name) => first([name]) ?? []);
  const read = [time, clock, ...prices, ...volumes, ...Object.values(others)].map((column) => column?.name);
  const ignored = names.filter((name) => name !== '' && !read.includes(name));
  return {
    count: names.length,
    time,
    clock,
    prices,
    volumes,
    ...others,
    ignored,
    placeOf: (name) => names.indexOf(name),
  };
}

/** Where numbers have their decimals: after a point or after a comma. */
type NumberStyle = 'point' | 'comma';

/**
 * The style of a whole file, by the cells that prove one; `both` where some prove either, `unproven` where all have one
 * comma before three digits (`1,015`).
 */
export function numberStyle(cells: readonly string[]): NumberStyle | 'both' | 'unproven' {
  const comma = cells.some((cell) =>
    /^\D?\s?-?(\d{1,3}(\.\d{3})+,\d+|\d{1,3}(\.\d{3}){2,}|0+,\d+|\d+,(\d{1,2}|\d{4,}))$/.test(cell),
  );
  const point = cells.some((cell) =>
    /^\D?\s?-?(\d{1,3}(,\d{3})+\.\d+|\d{1,3}(,\d{3}){2,}|0+\.\d+|\d+\.(\d{1,2}|\d{4,}))$/.test(cell),
  );
  if (comma && point) return 'both';
  const priced = cells.filter((cell) => /\d/.test(cell));
  const isUnproven =
    !comma && !point && priced.length > 0 && priced.every((cell) => /^\D?\s?\d{1,3},\d{3}$/.test(cell));
  if (isUnproven) return 'unproven';
  return comma ? 'comma' : 'point';
}

const UNITS: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 };

/** A number with its currency, its separators of thousands and its unit (`$1,234.50`, `32.94M`); null for what is none. */
export function readNumber(cell: string, style: NumberStyle): number | null {
  const plain = cell.replace(/^[$€£¥]\s?/, '').replace(/[\s\u00a0']/g, '');
  const pointed = style === 'comma' ? plain.replaceAll('.', '').replace(',', '.') : plain.replaceAll(',', '');
  const [, digits, unit] = /^([+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?)([KMBT]?)$/i.exec(pointed) ?? [];
  if (digits === undefined) return null;
  const value = Number(digits) * (UNITS[unit?.toUpperCase() ?? ''] ?? 1);
  return Number.isFinite(value) ? value : null;
}
