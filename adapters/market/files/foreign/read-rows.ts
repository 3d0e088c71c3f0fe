import type { BarSize, RawBar } from '../../../../domain/market/bars.ts';
import type { Calendar } from '../../../../domain/market/calendar.ts';
import { type BarColumns, type Column, numberStyle, readNumber } from './columns.ts';
import type { PriceFormat } from './price-formats.ts';
import { type CellTable, RefusedFile, type Row } from './read-table.ts';
import { type DateOrder, needsOrder, provenOrder, readClock, readTime, type WrittenTime } from './read-times.ts';

/** How a file of somebody else's is to be read; what is undefined the file, its format or the calendar decides. */
export interface ForeignForm {
  readonly size: BarSize;
  /** The symbol of the instrument, normalised. */
  readonly symbol: string;
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
  const { only, symbol } = form;
  if (statedInstrument(table) !== undefined && !(only !== undefined && lists.has(only))) return table;
  const named = [...lists.keys()].filter(
    (key) => key === only || isNameOf(key, symbol) || (TICKER.test(key) && !key.split('_').every(isContainer)),
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
export function oneInstrument(table: CellTable, columns: BarColumns, { only, symbol }: ForeignForm): readonly Row[] {
  if (table.instruments) return oneOfTwoLevels(table, columns, { only, symbol });
  const { instrument } = columns;
  const about = statedInstrument(table);
  if (instrument === undefined && about !== undefined) chosenInstrument([about], { only, symbol });
  if (instrument === undefined) return table.rows;
  const values = [
    ...new Set(table.rows.map(({ cells }) => cells[instrument.place] ?? '').filter((value) => value !== '')),
  ];
  // The list of this name may write it in another way in its rows.
  if (about !== undefined && about === only && values.length < 2) return table.rows;
  const isAbout = !LOOSE.includes(instrument.name) || values.some((value) => PAIR.test(value));
  const chosen = isAbout || only !== undefined ? chosenInstrument(values, { only, symbol }) : null;
  return chosen === null ? table.rows : table.rows.filter(({ cells }) => cells[instrument.place] === chosen);
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
function oneOfTwoLevels(
  table: CellTable,
  columns: BarColumns,
  wanted: Pick<ForeignForm, 'only' | 'symbol'>,
): readonly Row[] {
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

function chosenInstrument(
  values: readonly string[],
  { only, symbol }: Pick<ForeignForm, 'only' | 'symbol'>,
): string | null {
  const list = `${values.slice(0, 8).join(', ')}${values.length > 8 ? ` and ${values.length - 8} more` : ''}`;
  if (only !== undefined) {
    if (values.includes(only)) return only;
    throw new RefusedFile(`The file has no instrument ${only}; it has ${list}.`);
  }
  if (values.length > 1)
    throw new RefusedFile(`The file has ${values.length} instruments: ${list}. Name one with --only.`);
  const [value] = values;
  if (value === undefined || isNameOf(value, symbol)) return null;
  throw new RefusedFile(`The file is about ${value}, not about ${symbol}. If they are the same, send --only ${value}.`);
}

/** Whether a file's name may mean the symbol: `sh.600000`, `600000.SH`, `BTC/USDT`, `BTCUSDT`, `AAPL.US`, a code without its zeros. */
function isNameOf(value: string, symbol: string): boolean {
  const sent = value.toUpperCase();
  const plain = symbol.replace(/[^A-Z0-9]/g, '');
  const parts = sent.split(/[^A-Z0-9]+/);
  const asNumber = /^\d+$/.test(symbol) && parts.some((part) => /^\d+$/.test(part) && Number(part) === Number(symbol));
  const codes: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' };
  const names = [plain, codes[plain] ?? plain];
  const joined = parts.join('');
  return (
    asNumber ||
    names.some(
      (name) =>
        parts.includes(name) ||
        joined === name ||
        (joined.startsWith(name) && /^(USDT?|USDC|EUR|BTC|ETH|CNY)$/.test(joined.slice(name.length))),
    )
  );
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

export interface PricedRow extends TimedRow {
  readonly prices: Omit<RawBar, 'start' | 'end'>;
}

export function pricedRows(
  timed: readonly TimedRow[],
  columns: BarColumns,
  { calendar }: ForeignForm,
  format: PriceFormat,
) {
  const style = numberStyle(timed.flatMap(({ row }) => columns.prices.map(({ place }) => row.cells[place] ?? '')));
  if (style === 'both') throw new RefusedFile('Some prices have a decimal comma and some a decimal point.');
  if (style === 'unproven')
    throw new RefusedFile(
      'Every price has one comma before three digits, so nothing shows whether 1,015 is 1.015 or 1015. Export with decimal points, and without separators of thousands.',
    );
  const cell = (row: Row, column: Column | undefined) =>
    column ? readNumber(row.cells[column.place] ?? '', style) : null;
  const isSuspended = ({ row }: TimedRow) => columns.status !== undefined && row.cells[columns.status.place] === '0';
  const traded = timed.filter((each) => !isSuspended(each));
  const volume = columns.volumes.find((column) => traded.some(({ row }) => (cell(row, column) ?? 0) > 0));
  const scale = calendar.continuous ? 1 : (format.scale ?? 1);
  const rows = traded.flatMap((each): PricedRow[] => {
    const [open, high, low, close] = columns.prices.map((column) => cell(each.row, column));
    if (open == null || high == null || low == null || close == null) return [];
    const amount = cell(each.row, volume);
    const adj_close = cell(each.row, columns.adj_close);
    const prices = {
      ...{ open: open * scale, high: high * scale, low: low * scale, close: close * scale },
      volume: amount === null || amount < 0 ? null : amount * (format.lot ?? 1),
      adj_close: adj_close !== null && adj_close > 0 ? adj_close : null,
    };
    return [{ ...each, prices }];
  });
  if (rows.length * 2 < traded.length)
    throw new RefusedFile(`${traded.length - rows.length} of ${traded.length} rows have no prices.`);
  return { rows, without_price: traded.length - rows.length, suspended: timed.length - traded.length };
}
