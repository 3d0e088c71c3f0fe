import { ADJUSTED, CLOCKS, DATES, PRICES, TIMES, VOLUMES } from './column-names.ts';
import type { Row } from './read-table.ts';
import { isTimeText } from './read-times.ts';

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
  readonly code: Column | undefined;
  readonly currency: Column | undefined;
  /** 0 or false where the bar had not ended yet. */
  readonly ended: Column | undefined;
  /** What was paid for the volume, where the format has it. */
  readonly turnover: Column | undefined;
  readonly ignored: readonly string[];
  /** The place of the first column of a name. */
  placeOf(name: string): number;
}

/** Columns, and words next to the rows of JSON, that say how prices are adjusted. */
export const ADJUSTMENTS = ['adjustflag', 'adjusted', 'is_adjusted', 'adjust', 'adjustment'];
const INSTRUMENTS = [
  ...['symbol', 'ticker', 'ts_code', 'code', 'pair', 'instrument', '股票代码', '证券代码', '代码', 'tic', 'sym', 'ric'],
  ...['act_symbol', 'stock_code', 'stock_symbol', 'product_id', 'instrument_id', 'currency_pair', 'stock', 'security'],
  ...['tckrsymb', 'secid', '銘柄コード', '종목코드', 'coin', 'instrument_name', 'name', 'market', 'asset', 'contract'],
];
/** Numbers of a register, which no symbol can be compared with: several of them are several instruments. */
const CODES = ['isin', 'figi', 'cusip', 'sedol', 'permno', 'wkn', 'conid'];
const CURRENCIES = ['currency', 'ccy', 'currency_code', 'price_currency', 'quote_currency'];
/** What says of a row whether its bar had ended when the file was written. */
const ENDED = ['confirm', 'closed', 'is_closed', 'is_final', 'complete', 'is_complete'];

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
 * @param turnover the name of that column in the format
 */
export function columnsOf(
  names: readonly string[],
  rows: readonly Row[],
  symbol: string,
  turnover?: string,
): BarColumns | null {
  const first = (wanted: readonly string[]): Column | undefined => {
    const name = wanted.find((each) => names.includes(each));
    return name === undefined ? undefined : { name, place: names.indexOf(name) };
  };
  // An index without a name is the time where nothing else is; next to long names, `t` may be anything.
  const unnamed = names[0] === '' || names[0] === 'index' ? { name: '', place: 0 } : undefined;
  const named = TIMES.flatMap((name) => first([name]) ?? []);
  const short = [names.includes('o') ? undefined : unnamed, first(['t']), unnamed];
  const times = [...named, ...short].filter((column) => column !== undefined);
  // A name such as `ticks` may be that of a count.
  const time =
    times.find(({ place }) => rows.slice(0, 5).some(({ cells }) => isTimeText(cells[place] ?? ''))) ?? times[0];
  const prices = PRICES.flatMap((wanted) => first(wanted) ?? []);
  if (!time || prices.length < PRICES.length) return null;
  const clock = DATES.includes(time.name) ? first(CLOCKS) : undefined;
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
    ...{
      code: first(CODES),
      currency: first(CURRENCIES),
      ended: first(ENDED),
      turnover: turnover === undefined ? undefined : first([turnover]),
    },
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
 * comma before three digits (`1,015`) and no other cell of the file proves a style. Where all have one point there, amounts
 * may prove that it parts thousands; where another column alone says so, such as one of percentages, nothing is proven.
 * @param others cells of the other columns, either those of volumes and turnover or the rest
 * @param decimals how often prices have decimals: a point proves nothing where they seldom do, and a comma parts thousands
 * where they never do
 */
export function numberStyle(
  cells: readonly string[],
  others: (areAmounts: boolean) => readonly string[] = () => [],
  decimals: 'usually' | 'seldom' | 'never' = 'usually',
): NumberStyle | 'both' | 'unproven' {
  const { comma, point } = stylesOf(cells);
  if (comma && point) return 'both';
  if (comma || point) return comma ? 'comma' : 'point';
  const priced = cells.map(bareNumber).filter((cell) => /\d/.test(cell));
  const areAll = (form: RegExp) => priced.length > 0 && priced.every((cell) => form.test(cell));
  const [withCommas, withPoints] = [areAll(/^\d{1,3},\d{3}$/), areAll(/^\d{1,3}\.\d{3}$/)];
  if (!withCommas && !withPoints) return 'point';
  const [amounts, rest] = [stylesOf(others(true)), stylesOf(others(false))];
  const shown = { comma: amounts.comma || rest.comma, point: amounts.point || rest.point };
  if (withCommas && decimals === 'never') return shown.comma ? 'unproven' : 'point';
  if (shown.comma && !shown.point) return withCommas || amounts.comma ? 'comma' : 'unproven';
  if (shown.point && !shown.comma) return 'point';
  return withCommas || decimals !== 'usually' ? 'unproven' : 'point';
}

/** Which styles some cells prove. */
function stylesOf(cells: readonly string[]): { readonly comma: boolean; readonly point: boolean } {
  const numbers = cells.map(bareNumber);
  return {
    comma: numbers.some((cell) =>
      /^(\d{1,3}(\.\d{3})+,\d+|\d{1,3}(\.\d{3}){2,}|0+,\d+|\d+,(\d{1,2}|\d{4,})|\d{4,},\d+)$/.test(cell),
    ),
    point: numbers.some((cell) =>
      /^(\d{1,3}(,\d{3})+\.\d+|\d{1,3}(,\d{3}){2,}|0+\.\d+|\d+\.(\d{1,2}|\d{4,})|\d{4,}\.\d+)$/.test(cell),
    ),
  };
}

/** A cell without its sign, its currency and its unit. */
function bareNumber(cell: string): string {
  if (/^[\d.,]*$/.test(cell)) return cell;
  return withoutSpaces(withoutCurrency(cell))
    .replace(/^[+-]/, '')
    .replace(/\s?[KMBT%]$/i, '');
}

/** Blanks, also narrow ones, and apostrophes part thousands. */
function withoutSpaces(cell: string): string {
  return cell.replace(/[\s'\u2019]/g, '');
}

/** A number that a sign of a currency precedes, as in `$1.50`, `HK$ 401` and `\u20b9900`, or follows, as in `1,50 \u20ac`. */
function withoutCurrency(cell: string): string {
  return cell.replace(/^([A-Z]{1,3})?\p{Sc}\s?|\s?\p{Sc}$/gu, '').trim();
}

const UNITS: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 };

/** A number with its currency, its separators of thousands and its unit (`$1,234.50`, `32.94M`); null for what is none. */
export function readNumber(cell: string, style: NumberStyle): number | null {
  const plain = withoutSpaces(withoutCurrency(cell));
  const pointed = style === 'comma' ? plain.replaceAll('.', '').replace(',', '.') : plain.replaceAll(',', '');
  const [, digits, unit] = /^([+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?)([KMBT]?)$/i.exec(pointed) ?? [];
  if (digits === undefined) return null;
  const value = Number(digits) * (UNITS[unit?.toUpperCase() ?? ''] ?? 1);
  return Number.isFinite(value) ? value : null;
}
