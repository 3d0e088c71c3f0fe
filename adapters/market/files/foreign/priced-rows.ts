import type { RawBar } from '../../../../domain/market/bars.ts';
import { isIndexOfChina } from '../../../../domain/market/instrument.ts';
import { type BarColumns, type Column, numberStyle, readNumber } from './columns.ts';
import { RefusedFile } from './file-text.ts';
import type { PriceFormat } from './price-formats.ts';
import type { ForeignForm, TimedRow } from './read-rows.ts';
import type { Row } from './read-table.ts';

export interface PricedRow extends TimedRow {
  readonly prices: Omit<RawBar, 'start' | 'end'>;
}

export function pricedRows(timed: readonly TimedRow[], columns: BarColumns, form: ForeignForm, format: PriceFormat) {
  const style = styleOf(timed, columns, form);
  const cell = (row: Row, column: Column | undefined) =>
    column ? readNumber(row.cells[column.place] ?? '', style) : null;
  const isSuspended = ({ row }: TimedRow) => columns.status !== undefined && row.cells[columns.status.place] === '0';
  const traded = timed.filter((each) => !isSuspended(each));
  const isOpen = openRows(traded, columns);
  const ended = traded.filter((each) => !isOpen(each));
  const volume = columns.volumes.find((column) => ended.some(({ row }) => (cell(row, column) ?? 0) > 0));
  const per = divisorOf(ended, columns, form, format);
  const rows = ended.flatMap((each): PricedRow[] => {
    const [open, high, low, close] = columns.prices.map((column) => cell(each.row, column));
    if (open == null || high == null || low == null || close == null) return [];
    const amount = cell(each.row, volume);
    const adj_close = cell(each.row, columns.adj_close);
    const prices = {
      ...{ open: open / per, high: high / per, low: low / per, close: close / per },
      volume: amount === null || amount < 0 ? null : amount,
      adj_close: adj_close !== null && adj_close > 0 ? adj_close : null,
    };
    return [{ ...each, prices }];
  });
  const [first] = ended;
  if (first && rows.length * 2 < ended.length)
    throw new RefusedFile(
      `${ended.length - rows.length} of ${ended.length} rows have no prices (line ${first.row.line}: ` +
        `${columns.prices.map(({ name, place }) => `${name} ${JSON.stringify(first.row.cells[place] ?? '')}`).join(', ')}).`,
    );
  return {
    rows,
    turnover: rows.map(({ row }) => cell(row, columns.turnover)),
    without_price: ended.length - rows.length,
    suspended: timed.length - traded.length,
    still_open: traded.length - ended.length,
  };
}

/**
 * Which rows the file marks as bars that have not ended: those after all others, and those of a time that has another row. A
 * column that marks the others too, or all, has another meaning.
 */
function openRows(rows: readonly TimedRow[], { ended }: BarColumns): (row: TimedRow) => boolean {
  const isMarked = ({ row }: TimedRow) => ended !== undefined && /^(0|false)$/i.test(row.cells[ended.place] ?? '');
  const times = new Set(rows.filter((each) => !isMarked(each)).map(({ time }) => time.local));
  const last = [...times].reduce((latest, at) => Math.max(latest, at), Number.NEGATIVE_INFINITY);
  return (each) => times.size > 0 && isMarked(each) && (each.time.local > last || times.has(each.time.local));
}

/** Rows that other columns are looked at in, for how the file writes numbers. */
const SHOWN_ROWS = 2_000;

/** Shares in won have no decimals, and those in yen hardly ever more than one; coins in both have some. */
const SELDOM_DECIMAL: Readonly<Record<string, 'seldom' | 'never'>> = { KRW: 'never', JPY: 'seldom' };

/** @throws RefusedFile where nothing shows how the file writes numbers */
function styleOf(rows: readonly TimedRow[], columns: BarColumns, { quote_currency = '', calendar }: ForeignForm) {
  const places = columns.prices.map(({ place }) => place);
  const notNumbers = [...places, columns.time.place, columns.clock?.place, columns.instrument?.place];
  const shown = rows.slice(0, SHOWN_ROWS);
  const amounts = [...columns.volumes, ...(columns.turnover ? [columns.turnover] : [])].map(({ place }) => place);
  const named = columns.ignored.filter((name) => /volume|turnover|amount/.test(name)).map(columns.placeOf);
  const isAmount = (place: number) => amounts.includes(place) || named.includes(place);
  const style = numberStyle(
    rows.flatMap(({ row }) => places.map((place) => row.cells[place] ?? '')),
    (of) =>
      shown.flatMap(({ row }) => row.cells.filter((_, place) => of === isAmount(place) && !notNumbers.includes(place))),
    calendar.continuous ? undefined : SELDOM_DECIMAL[quote_currency],
  );
  if (style === 'both') throw new RefusedFile('Some prices have a decimal comma and some a decimal point.');
  if (style !== 'unproven') return style;
  const cell = rows[0]?.row.cells[places[0] ?? -1] ?? '';
  throw new RefusedFile(
    `Every price has one separator before three digits, such as ${cell}, so nothing shows whether it is one of decimals or of thousands ` +
      '(whether 1,015 is 1.015 or 1015). Export with decimal points, and without separators of thousands.',
  );
}

function divisorOf(
  rows: readonly TimedRow[],
  { prices }: BarColumns,
  { venue_zone }: ForeignForm,
  { per }: PriceFormat,
) {
  if (per === undefined || !(per.zones?.includes(venue_zone) ?? true)) return 1;
  const areWhole = rows.every(({ row }) => prices.every(({ place }) => /^\d*$/.test(row.cells[place] ?? '')));
  return areWhole ? per.by : 1;
}

/**
 * A file without names says by its prices alone that its columns are in another order: then highs are below other prices,
 * but in bars of a single price.
 * @throws RefusedFile
 */
export function refuseOtherOrder(rows: readonly PricedRow[], { headless }: PriceFormat): void {
  if (!headless) return;
  const ranged = rows.filter(({ prices: { open, high, low, close } }) => new Set([open, high, low, close]).size > 1);
  const isBar = ([open = 0, high = 0, low = 0, close = 0]: readonly number[]) =>
    high >= Math.max(open, low, close) && low <= Math.min(open, close);
  const inOrder = (places: readonly number[]) =>
    ranged.filter(({ prices: { open, high, low, close, volume } }) => {
      const cells = [open, high, low, close, volume ?? 0];
      return isBar(places.map((place) => cells[place] ?? 0));
    }).length;
  const wrong = ranged.length - inOrder([0, 1, 2, 3]);
  if (wrong <= Math.max(1, 0.02 * ranged.length)) {
    refuseSwapped(rows);
    return;
  }
  const fitting = ORDERS.find(({ places }) => inOrder(places) === ranged.length);
  throw new RefusedFile(
    `The columns have no names, and in the order open, high, low, close ${wrong} rows have a high below or a low above another price. ` +
      `${fitting ? `${fitting.order} fits, as ${fitting.writer} writes it. ` : ''}Send CSV with a header that names the columns, or objects with names.`,
  );
}

/**
 * Highs and lows say nothing of open and close. Bars open near the close before them, so where closes are much nearer to the
 * opens before them, the two are swapped.
 * @throws RefusedFile
 */
function refuseSwapped(rows: readonly PricedRow[]): void {
  const sorted = rows.toSorted((a, b) => a.time.local - b.time.local).map(({ prices }) => prices);
  const pairs = sorted.slice(1).map((bar, index) => ({ before: sorted[index] ?? bar, bar }));
  const usual = (distances: readonly number[]) =>
    distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0;
  const toOpen = usual(pairs.map(({ before, bar }) => Math.abs(bar.open - before.close)));
  const toClose = usual(pairs.map(({ before, bar }) => Math.abs(bar.close - before.open)));
  if (pairs.length < SWAP_SHOWN || toOpen <= 1.5 * toClose) return;
  throw new RefusedFile(
    'The columns have no names, and in the order open, high, low, close bars close near the open of the bar before them: the order may be ' +
      'close, high, low, open, as yfinance has it. Send CSV with a header that names the columns.',
  );
}

/** Fewer pairs of bars may be so by chance. */
const SWAP_SHOWN = 20;

/** Where open, high, low and close of other writers are among the five numbers after the time. */
const ORDERS = [
  { order: 'open, close, high, low', writer: 'Bitfinex, KuCoin or jesse', places: [0, 2, 3, 1] },
  { order: 'low, high, open, close', writer: 'Coinbase', places: [2, 1, 0, 3] },
  { order: 'volume, close, high, low, open', writer: 'Gate.io', places: [4, 2, 3, 1] },
];

/** Shares in a unit of the volume and money in a unit of the turnover, as writers in China have them. */
const UNITS = [
  { lot: 1, money: 1 },
  { lot: 100, money: 1 },
  { lot: 100, money: 1_000 },
];

/**
 * The rows with volumes in shares. What was paid for a share lies between low and high, which shows the unit of the volume;
 * where it does so in no unit, `line` is that of a row that shows it: its prices are not those that were paid. Volumes of few
 * lots show neither. Nobody pays for the level of an index, which no action adjusts: it is raw.
 */
export function inShares(
  rows: readonly PricedRow[],
  turnover: readonly (number | null)[],
  { lot = 1 }: PriceFormat,
  { venue_zone, symbol }: ForeignForm,
): { readonly rows: readonly PricedRow[]; readonly shown: 'raw' | 'adjusted' | null; readonly line: number | null } {
  const paid = rows.flatMap(({ row, prices }, index) => {
    const [volume, money] = [prices.volume ?? 0, turnover[index] ?? 0];
    return volume > 0 && money > 0 ? [{ line: row.line, ...prices, traded: volume, ratio: money / volume }] : [];
  });
  const fits = UNITS.map((unit) => {
    const price = (ratio: number) => (ratio * unit.money) / unit.lot;
    const isPaid = ({ low, high, ratio, traded }: (typeof paid)[number], wider = unit.lot > 1 ? 1 / traded : 0) =>
      price(ratio) >= low * (1 - COARSE - wider / 2) && price(ratio) <= high * (1 + COARSE + wider);
    const factors = paid.map(({ ratio, close }) => price(ratio) / close).sort((a, b) => a - b);
    const usual = factors[Math.floor(factors.length / 2)] ?? 0;
    const others = paid.filter((each) => !isPaid(each));
    const isRounding =
      Math.abs(usual - 1) <= COARSE && liesOnBothSides(others.map((each) => price(each.ratio) / each.close));
    const isShown = paid.filter((each) => isPaid(each, 0)).length >= NEARLY_ALL * paid.length;
    return { unit, share: 1 - others.length / Math.max(1, paid.length), usual, other: others[0], isRounding, isShown };
  }).toSorted((a, b) => b.share - a.share);
  const [best] = fits;
  const times = (factor: number) =>
    rows.map((each) => ({
      ...each,
      prices: { ...each.prices, volume: each.prices.volume && each.prices.volume * factor },
    }));
  const own = times(venue_zone === 'Asia/Shanghai' ? lot : 1);
  if (isIndexOfChina(symbol)) return { rows: own, shown: 'raw', line: null };
  if (!best || paid.length < 5) return { rows: own, shown: null, line: null };
  if (best.share >= NEARLY_ALL) return { rows: times(best.unit.lot), shown: best.isShown ? 'raw' : null, line: null };
  const near = fits.find(({ unit, usual }) => unit.lot === lot && usual > 1 / FARTHEST && usual < FARTHEST);
  if (!near || near.isRounding) return { rows: own, shown: null, line: null };
  return { rows: own, shown: 'adjusted', line: near.other?.line ?? null };
}

/** Adjusted prices are all too low or all too high for what was paid; rounded volumes make them either. */
function liesOnBothSides(factors: readonly number[]): boolean {
  const above = factors.filter((factor) => factor > 1).length;
  return Math.min(above, factors.length - above) * 5 >= factors.length;
}

/** Sums of money are rounded; volumes in lots are rounded or cut to whole ones, which the volume itself shows. */
const COARSE = 0.02;
const NEARLY_ALL = 0.9;
/** A turnover so far from the prices is one of another unit. */
const FARTHEST = 2_000;
