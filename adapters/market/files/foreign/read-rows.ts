import type { BarSize } from '../../../../domain/market/bars.ts';
import type { Calendar } from '../../../../domain/market/calendar.ts';
import { listingCode } from '../../../../domain/market/instrument.ts';
import { type AssetClass, suffixVenue } from '../../../../domain/market/venues.ts';
import type { BarColumns, Column } from './columns.ts';
import { RefusedFile } from './file-text.ts';
import type { PriceFormat } from './price-formats.ts';
import type { CellTable, Row } from './read-table.ts';
import {
  type DateOrder,
  needsOrder,
  provenOrder,
  readClock,
  readTime,
  type WrittenTime,
  zoneAbbreviation,
} from './read-times.ts';

/** How a file of somebody else's is to be read; what is undefined the file, its format or the calendar decides. */
export interface ForeignForm {
  readonly size: BarSize;
  /** The symbol of the instrument, normalised. */
  readonly symbol: string;
  /** What its prices are in, and whether they are those of a contract; a pair of a file must say the same. */
  readonly quote_currency?: string;
  readonly asset_class?: AssetClass;
  readonly calendar: Calendar;
  /** The zone of the venue, for times without an offset. */
  readonly venue_zone: string;
  readonly time_zone?: string | undefined;
  /** Whether a time names the start of its bar or the end. */
  readonly times?: 'start' | 'end' | undefined;
  /** Of daily rows with an offset: whether they name a date, or a moment of it. */
  readonly dates?: 'named' | 'moment' | undefined;
  readonly date_order?: DateOrder | undefined;
  /** The instrument to read, where the file has several, by its name there. */
  readonly only?: string | undefined;
  readonly member?: string | undefined;
  readonly already_adjusted?: boolean;
}

/**
 * Of JSON whose lists are named after instruments, the table of one, so that its own rows show their format. Keys name
 * nothing where the file states its instrument.
 */
export function oneList(table: CellTable, form: ForeignForm): CellTable {
  const { lists = new Map<string, CellTable>() } = table;
  const { only } = form;
  if (statedInstrument(table) !== undefined && !(only !== undefined && lists.has(only))) return table;
  const named = [...lists.keys()].filter(
    (key) => key === only || isNameOf(key, form) || (TICKER.test(key) && !key.split('_').every(isContainer)),
  );
  if (named.length === 0) return table;
  const key = chosenInstrument(named, form) ?? named[0] ?? '';
  return { ...table, ...lists.get(key), stated: new Map([...(table.stated ?? []), ['symbol', key]]) };
}

/** The key of a list that is a ticker or a pair, and none of `results`, `data` and the like. */
const TICKER = /^[A-Z0-9][A-Z0-9.:/_-]*$/;

/** Words for what a list contains, where keys are in capitals. */
function isContainer(word: string): boolean {
  return /^(DATA|RESULTS?|BARS?|CANDLES?|CANDLESTICKS?|KLINES?|ROWS?|VALUES?|PRICES?|QUOTES?|HISTORY|HISTORICAL|OHLCV?|ITEMS?|RECORDS?|TIME|SERIES|LIST|TABLE|DATASET|CHART|DAILY|HOURLY|INTRADAY|DAYS?|HOURS?|MINUTES?|PAYLOAD|RESPONSE|BODY|CONTENT|POINTS?|STOCK|MARKET|\d+(M|MIN|H|D)|[MHD]\d+)$/.test(
    word,
  );
}

/** Where a column names instruments, the rows of one. */
export function oneInstrument(table: CellTable, columns: BarColumns, form: ForeignForm): readonly Row[] {
  const { only } = form;
  if (table.instruments) return oneOfTwoLevels(table, columns, form);
  const { instrument, code } = columns;
  const about = statedInstrument(table);
  if (instrument === undefined && about !== undefined) chosenInstrument([about], form);
  if (instrument === undefined) return code === undefined ? table.rows : oneOfCodes(table.rows, code, form);
  const values = valuesOf(table.rows, instrument);
  // The list of this name may write it in another way in its rows.
  if (about !== undefined && about === only && values.length < 2) return table.rows;
  const isAbout = !LOOSE.includes(instrument.name) || values.some((value) => PAIR.test(value));
  const isRic =
    instrument.name === 'ric' && values.length === 1 && isNameOf(values[0]?.replace(/\.\w+$/, '') ?? '', form);
  // What follows the point in a code of Refinitiv is an exchange: its classes are small letters before the point.
  if (isRic && only === undefined) return table.rows;
  const chosen = isAbout || only !== undefined ? chosenInstrument(values, form) : null;
  return chosen === null ? table.rows : table.rows.filter(({ cells }) => cells[instrument.place] === chosen);
}

function valuesOf(rows: readonly Row[], { place }: Column): readonly string[] {
  return [...new Set(rows.map(({ cells }) => cells[place] ?? '').filter((value) => value !== ''))];
}

/** A number of a register says of no symbol whether it is the one, but several are several instruments. */
function oneOfCodes(rows: readonly Row[], code: Column, form: ForeignForm): readonly Row[] {
  const values = valuesOf(rows, code);
  const chosen = values.length > 1 ? chosenInstrument(values, form) : null;
  return chosen === null ? rows : rows.filter(({ cells }) => cells[code.place] === chosen);
}

/** @throws RefusedFile where the file names another currency than the instrument has */
export function refuseOtherCurrency(
  { stated }: CellTable,
  rows: readonly Row[],
  { currency, prices }: BarColumns,
  form: ForeignForm,
): void {
  const { quote_currency } = form;
  const named = currency ? valuesOf(rows, currency) : CURRENCIES_STATED.flatMap((name) => stated?.get(name) ?? []);
  const codes = named.filter((text) => /^[A-Za-z]{3,4}$/.test(text) && !isNameOf(text, form));
  const signs = rows
    .slice(0, 3)
    .flatMap(({ cells }) => SIGNS.filter(({ sign }) => cells[prices[0]?.place ?? -1]?.includes(sign)));
  const words = [
    ...codes.map((text) => ({ text, of: [currencyCode(text)] })),
    ...signs.map(({ sign, of }) => ({ text: sign, of })),
  ];
  const other = words.find(({ of }) => quote_currency !== undefined && !of.includes(quote_currency));
  if (other)
    throw new RefusedFile(
      `The prices are in ${other.text} by the file, and the instrument is in ${quote_currency}. Send prices in ${quote_currency}, or name the ` +
        'instrument in the currency of the file.',
    );
}

const CURRENCIES_STATED = ['currency', 'quote_currency', 'currency_quote'];

/** Signs of one currency or two; many have dollars. */
const SIGNS: readonly { readonly sign: string; readonly of: readonly string[] }[] = [
  { sign: '\u20ac', of: ['EUR'] },
  { sign: '\u00a3', of: ['GBP'] },
  { sign: '\u20b9', of: ['INR'] },
  { sign: '\u20a9', of: ['KRW'] },
  { sign: '\u00a5', of: ['JPY', 'CNY'] },
];

/** `GBp` is pence, as `GBX`. */
function currencyCode(text: string): string {
  if (/^GB[px]$/.test(text)) return 'GBX';
  return text.toUpperCase() === 'RMB' ? 'CNY' : text.toUpperCase();
}

/** What JSON calls the instrument of all its rows. */
const STATED = ['symbol', 'ticker', 'pair', 'instrument'];

function statedInstrument({ stated }: CellTable): string | undefined {
  return STATED.flatMap((name) => stated?.get(name) ?? [])[0];
}

/** Columns that name an instrument where their values are pairs, and else a kind or a place. */
const LOOSE = ['market', 'asset', 'contract'];
const PAIR = /^[A-Z0-9]{2,}[/_:-][A-Z]{3,}/i;

/** A header of two levels has the columns of each instrument; `columns` found the first of each name. */
function oneOfTwoLevels(table: CellTable, columns: BarColumns, wanted: ForeignForm): readonly Row[] {
  const { instruments, names } = table;
  const values = [...new Set(instruments?.slice(1).filter((value) => value !== '') ?? [])];
  const chosen = chosenInstrument(values, wanted);
  if (values.length < 2 || chosen === null) return table.rows;
  // The chosen instrument's cells move to the places of the first column of each name.
  const moves = (names ?? []).flatMap((name, place) =>
    instruments?.[place] === chosen ? [[columns.placeOf(name), place] as const] : [],
  );
  return table.rows.map(({ line, cells }) => {
    const moved = [...cells];
    for (const [to, from] of moves) moved[to] = cells[from] ?? '';
    return { line, cells: moved };
  });
}

function chosenInstrument(values: readonly string[], form: ForeignForm): string | null {
  const { only, symbol, quote_currency, asset_class } = form;
  const list = `${values.slice(0, 8).join(', ')}${values.length > 8 ? ` and ${values.length - 8} more` : ''}`;
  if (only !== undefined) {
    if (values.includes(only)) return only;
    throw new RefusedFile(`The file has no instrument ${only}; it has ${list}.`);
  }
  if (values.length > 1)
    throw new RefusedFile(`The file has ${values.length} instruments: ${list}. Name one with --only.`);
  const [value] = values;
  if (value === undefined || isNameOf(value, form)) return null;
  const named = isPair(form) ? `${symbol} in ${quote_currency}, ${asset_class}` : symbol;
  throw new RefusedFile(`The file is about ${value}, not about ${named}. If they are the same, send --only ${value}.`);
}

/**
 * Whether a file's name may mean the symbol: `sh.600000`, `600000.SH`, `BTC/USDT`, `BTCUSDT`, `AAPL.US`, `IBM UN Equity`, a code
 * without its zeros. `tBTCUSD` is how Bitfinex writes a pair.
 */
function isNameOf(sent: string, form: ForeignForm): boolean {
  const value = sent.replace(/^t(?=[A-Z0-9:]{6,}$)/, '').replace(/ [A-Z]{2} Equity$/i, '');
  const [code, whole] = [codeOf(form.symbol), form.symbol];
  return isOneName(value, code, form) || (code !== whole && isOneName(value, whole, form));
}

/** Files of exchanges have symbols without the suffix of their venue, and those of Shanghai's indices too. */
function codeOf(symbol: string): string {
  return suffixVenue(symbol) ? symbol.slice(0, symbol.lastIndexOf('.')) : listingCode(symbol);
}

function isOneName(value: string, symbol: string, form: ForeignForm): boolean {
  const sent = value.toUpperCase();
  const plain = symbol.replace(/[^A-Z0-9]/g, '');
  const parts = sent.split(/[^A-Z0-9]+/).flatMap((part) => /^(SH|SZ|BJ)(\d{6})$/.exec(part)?.slice(1) ?? part);
  const asNumber = /^\d+$/.test(symbol) && parts.some((part) => /^\d+$/.test(part) && Number(part) === Number(symbol));
  const codes: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' };
  // J-Quants adds a digit to the codes of Tokyo.
  const names = [plain, codes[plain] ?? plain, ...(form.symbol.endsWith('.T') ? [`${plain}0`] : [])];
  if (isPair(form)) return isPairOf(sent, names, form);
  if (isOtherChinese(parts, form)) return false;
  const joined = parts.join('');
  return (
    asNumber ||
    names.some(
      (name) =>
        joined === name ||
        isTicker(sent, parts, [name]) ||
        isTicker(sent, parts, symbol.split(/[^A-Z0-9]+/)) ||
        (joined.startsWith(name) && /^(USDT?|USDC|EUR|BTC|ETH|CNY)$/.test(joined.slice(name.length))),
    )
  );
}

/** The indices of Shanghai have the codes of shares of Shenzhen: sh.000001 is none of 000001, and 000001.SZ none of 000001.SS. */
function isOtherChinese(parts: readonly string[], { symbol }: ForeignForm): boolean {
  if (!/^000\d{3}(\.SS)?$/.test(symbol)) return false;
  const other = symbol.endsWith('.SS') ? /^(SZ|SZSE|XSHE)$/ : /^(SH|SS|SSE|XSHG)$/;
  return parts.some((part) => other.test(part));
}

/**
 * Whether a ticker is the first part of a name, and what follows is no class of shares, or the second after an exchange or a
 * kind: `AAPL.O` is none of O, `7203.T` none of T, `JPM-PC` and `LEN.B` none of JPM and LEN.
 * @param name the parts of the ticker
 */
function isTicker(sent: string, parts: readonly string[], name: readonly string[]): boolean {
  const isAt = (place: number) => name.every((part, i) => parts[place + i] === part);
  const next = (place: number) => parts[place + name.length];
  if (isAt(0)) return !OTHER_SHARES.test(next(0) ?? '');
  const isAfterExchange = sent.includes(':')
    ? next(1) === undefined
    : EXCHANGES.test(parts[0] ?? '') || KINDS.test(sent);
  return isAfterExchange && isAt(1) && !OTHER_SHARES.test(next(1) ?? '');
}

/** Classes, preferred shares, warrants, units, rights and shares that are not issued yet. */
const OTHER_SHARES = /^(P[A-O]|PR[A-Z]?|PREF|[A-E]|W|WS|WT|WI|UN?|R|RI|RT)$/;
const EXCHANGES =
  /^(SH|SZ|BJ|SSE|SZSE|HK|HKEX|USA?|UK|JP|KR|IN|AU|CA|NYSE|NASDAQ|AMEX|ARCA|LSE|NSE|BSE|TSE|ASX|TSX|X[A-Z]{3}|ARCX|BATS|BATY|EDG[AX]|IEXG|MEMX)$/;
/** Before a slash or a line: after a point such a word would be a ticker. */
const KINDS = /^(EQ|EQUITY|STK|STOCK|ETF|IND|INDEX|IDX)[/_]/;

/** Whether the quote of a coin is known. */
function isPair({ calendar, quote_currency }: ForeignForm): boolean {
  return calendar.continuous && quote_currency !== undefined;
}

const QUOTES = /^(USD[TC]?|[BF]?D?USD|DAI|EUR|GBP|CHF|JPY|KRW|CNY|TRY|BRL|AUD|CAD|BTC|XBT|ETH|BNB)$/;
/** Those of them that have prices in the others. */
const COINS = /^(DAI|BTC|XBT|ETH|BNB)$/;

/** Whether a pair has its quote first, as Upbit writes it (`KRW-BTC`): one between two coins or two currencies never has. */
function isQuoteFirst(sent: string, names: readonly string[], quote: string): boolean {
  const isCoin = (name: string) => COINS.test(name) || !QUOTES.test(name);
  return !isCoin(quote) && names.some((name) => isCoin(name) && sent === `${quote}-${name}`);
}

/**
 * Whether a text names a coin, alone or in the pair that is asked for: prices in EUR are none in USD, ETH/BTC is no price of
 * BTC, and a contract is none of the coin. Before a colon there may be an exchange. `XXBTZUSD` is how Kraken writes a pair.
 */
function isPairOf(
  sent: string,
  names: readonly string[],
  { quote_currency = '', asset_class }: Pick<ForeignForm, 'quote_currency' | 'asset_class'>,
): boolean {
  // A coin may itself be called PERP.
  const rest = sent.replace(names[0] ?? '', '');
  if (asset_class === 'spot' && /[/_-][A-Z]+:[A-Z]+$|PERP|SWAP|\.P$/.test(rest)) return false;
  // `BTC-28MAR25`, `BTCUSDT_250328`: contracts that end on a day are other instruments than both.
  if (/[-_:]\d{6,8}$|[-_:]\d{1,2}[A-Z]{3}\d\d/.test(sent)) return false;
  if (isQuoteFirst(sent, names, quote_currency)) return true;
  const isNamed = (text: string) => {
    const parts = text.split(/[^A-Z0-9]+/);
    return parts.some((part, i) => {
      const next = parts[i + 1];
      if (names.includes(part)) return next === quote_currency || (i === 0 && !QUOTES.test(next ?? ''));
      return names.some((name) => [name, `X${name}Z`, `X${name}X`].some((base) => part === `${base}${quote_currency}`));
    });
  };
  return isNamed(sent) || isNamed(sent.replace(/^[A-Z]+:/, ''));
}

export interface TimedRow {
  readonly row: Row;
  readonly time: WrittenTime;
}

/** Notes at the ends of a file are left out; where more than a few rows have no time, it is not a file of bars. */
export function timedRows(rows: readonly Row[], columns: BarColumns, form: ForeignForm, format: PriceFormat) {
  const text = ({ cells }: Row) => cells[columns.time.place] ?? '';
  const order = orderOf(rows.map(text), form);
  const timed: TimedRow[] = [];
  const others: Row[] = [];
  for (const row of rows) {
    const time = timeOfRow(row, columns, order);
    if (time) timed.push({ row, time: format.localEpoch ? { ...time, offset: null } : time });
    else others.push(row);
  }
  refuseAbbreviations(others, columns);
  const [first] = others;
  if (first && others.length > Math.max(3, rows.length * 0.01)) {
    const example = `line ${first.line}: ${JSON.stringify(text(first))}`;
    throw new RefusedFile(
      `${others.length} of ${rows.length} rows have no time such as 2024-06-14 or 2024-06-14 09:30 (${example}).`,
    );
  }
  refuseSplitCells(timed, columns);
  return { rows: timed, unreadable: others.length };
}

function refuseAbbreviations(rows: readonly Row[], { time, clock }: BarColumns): void {
  for (const { line, cells } of rows) {
    const texts = [cells[time.place] ?? '', ...(clock ? [cells[clock.place] ?? ''] : [])];
    const [zone] = texts.flatMap((text) => zoneAbbreviation(text) ?? []);
    if (zone === undefined) continue;
    throw new RefusedFile(
      `line ${line}: the time has the abbreviation ${zone}, which names no one clock. Send times with an offset such as -05:00; ` +
        'or without the abbreviation, and --tz with the zone, such as America/New_York, or UTC-5 where it is one clock all year.',
    );
  }
}

/** A decimal comma in a file with commas between its cells makes two cells of each price. */
function refuseSplitCells(rows: readonly TimedRow[], columns: BarColumns): void {
  const long = rows.filter(({ row }) => row.cells.length >= columns.count + 4).length;
  if (long * 2 <= rows.length || rows.length === 0) return;
  throw new RefusedFile(
    'The rows have more cells than the header: commas stand between the cells and in the prices. Export with semicolons, or with decimal points.',
  );
}

function orderOf(texts: readonly string[], { date_order }: ForeignForm): DateOrder {
  const proven = provenOrder(texts);
  if (proven === 'both')
    throw new RefusedFile('Some dates have the day first and some the month: no order fits the whole file.');
  if (proven && date_order && proven !== date_order)
    throw new RefusedFile(
      `The dates have a part above 12 that --date-order ${date_order} cannot read: send ${proven}.`,
    );
  const order = proven ?? date_order;
  if (order === undefined && needsOrder(texts))
    throw new RefusedFile(
      `No date shows whether the month or the day is first (${texts[0]}): send --date-order mdy or dmy.`,
    );
  return order ?? 'mdy';
}

function timeOfRow({ cells }: Row, { time, clock }: BarColumns, order: DateOrder): WrittenTime | null {
  const date = readTime(cells[time.place] ?? '', order);
  if (clock === undefined || date?.hasClock) return date;
  const text = cells[clock.place] ?? '';
  const whole = readTime(text, order);
  if (whole?.hasClock) return whole;
  const at = readClock(text);
  return date && at !== null ? { ...date, local: date.local + at, hasClock: true } : null;
}
