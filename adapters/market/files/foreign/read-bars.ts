import type { RawBar } from '../../../../domain/market/bars.ts';
import { columnName } from './column-names.ts';
import { ADJUSTMENTS, type BarColumns, columnsOf } from './columns.ts';
import { RefusedFile } from './file-text.ts';
import { closestFormats, formatOf, type PriceFormat } from './price-formats.ts';
import { inShares, pricedRows, refuseOtherOrder } from './priced-rows.ts';
import { type ForeignForm, oneInstrument, oneList, refuseOtherCurrency, timedRows } from './read-rows.ts';
import { type CellTable, type Row, readTable } from './read-table.ts';
import { dailyRows, intradayRows, type SpannedRows } from './span-rows.ts';

export interface ForeignBars extends SpannedRows {
  /** The name of the format that was recognised. */
  readonly format: string;
  /** Why the prices are adjusted; null where the file does not say so. */
  readonly adjusted: string | null;
  /** What adjusted prices have in them; null where the file does not say that they are adjusted. */
  readonly adjusted_for: AdjustedFor | null;
  readonly rows: number;
  /** Left out: a price is missing, or is no number. */
  readonly without_price: number;
  /** Left out: the row is no row of bars, such as a note at the end. */
  readonly unreadable: number;
  /** Left out: the source marks the day as suspended. */
  readonly suspended: number;
  /** Left out: the file marks the bar as one that has not ended. */
  readonly still_open: number;
  /** Bars without a volume that repeat the price before them, in a file with volumes: nothing traded in them. */
  readonly without_trade: number;
  readonly ignored_columns: readonly string[];
  readonly notes: readonly string[];
}

type AdjustedFor = 'splits' | 'dividends' | 'all';

/**
 * Bars in the forms that brokers, exchanges, data sellers and back-test programs write. A row that cannot be a price is left
 * out and counted. What contradicts the file's own words, the calendar or the distance of its rows is refused.
 * @throws RefusedFile saying what to send instead
 */
export async function readForeignBars(bytes: Uint8Array, form: ForeignForm): Promise<ForeignBars> {
  const table = oneList(await readTable(bytes, form.member), form);
  const found = formatOf(table);
  if (found?.format.refused) throw new RefusedFile(`${found.format.name}. ${found.format.refused}`);
  const columns = found && columnsOf(found.names, table.rows, form.symbol, found.format.turnover);
  if (!found || !columns) throw notUnderstood(table, found?.names ?? null);
  refuseTwice(table, columns);
  const selected = oneInstrument(table, columns, form);
  refuseOtherCurrency(table, selected, columns, form);
  const timed = timedRows(selected, columns, form, found.format);
  const { turnover, ...priced } = pricedRows(timed.rows, columns, form, found.format);
  refuseOtherOrder(priced.rows, found.format);
  const hasVolume = priced.rows.some(({ prices }) => prices.volume);
  const format = hasVolume ? { ...found.format, ...found.format.withVolume } : found.format;
  const paid = inShares(priced.rows, turnover, format, form);
  const adjusted = adjustmentOf(table, selected, columns, format) ?? adjustmentPaid(paid, columns);
  refuseAdjusted(adjusted?.why ?? null, form);
  const spanned = form.size === '1d' ? dailyRows(paid.rows, form, format) : intradayRows(paid.rows, form, format);
  const { bars, without_trade } = withUntraded(spanned.bars);
  const { rows: _, ...counts } = priced;
  return {
    format: format.name,
    adjusted: adjusted?.why ?? null,
    adjusted_for: adjusted?.of ?? null,
    rows: selected.length,
    ...counts,
    unreadable: timed.unreadable,
    ignored_columns: columns.ignored,
    notes: format.note && format.zone !== 'ask' && paid.shown === null ? [format.note] : [],
    ...{ ...spanned, bars, without_trade },
  };
}

/** @throws RefusedFile where a header has a column of prices or times twice, and nothing says of what each is */
function refuseTwice({ names, instruments }: CellTable, { time, prices, adj_close }: BarColumns): void {
  if (names === null || instruments) return;
  const read = [time, ...prices, ...(adj_close ? [adj_close] : [])].map(({ name }) => name);
  const twice = read.find((name) => name !== '' && names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined)
    throw new RefusedFile(
      `The header has two columns ${twice}, and nothing shows which one is meant: those of several instruments, or of prices that are ` +
        'adjusted. Send one column of each.',
    );
}

/**
 * In a file with volumes, a bar without one that only repeats the last price is one in which nothing traded, such as a day of
 * a suspension. With another price something traded, and how much is unknown.
 */
function withUntraded(rows: readonly RawBar[]): { readonly bars: readonly RawBar[]; readonly without_trade: number } {
  const known = rows.filter(({ volume }) => volume !== null).length;
  if (known * 2 < rows.length) return { bars: rows, without_trade: 0 };
  const sorted = rows.toSorted((a, b) => a.start - b.start);
  const silent = new Set(
    sorted.filter((bar, index) => {
      const before = sorted[index - 1]?.close;
      return bar.volume === null && [bar.open, bar.high, bar.low, bar.close].every((price) => price === before);
    }),
  );
  const bars = rows.map((bar) => (silent.has(bar) ? { ...bar, volume: 0 } : bar));
  return { bars, without_trade: silent.size };
}

function notUnderstood({ rows }: CellTable, names: readonly string[] | null): RefusedFile {
  const [first] = rows;
  const shown = names ?? first?.cells ?? [];
  const near = closestFormats(names ?? shown.map(columnName));
  const what = names
    ? `The file has the columns ${shown.join(', ')}, not a time with open, high, low and close`
    : `The first row names no columns and has no known form: ${shown.join(', ')}`;
  const closest = near.length > 0 ? ` The closest formats are ${near.join('; ')}.` : '';
  return new RefusedFile(`${what}.${closest} Send a header of date (or datetime), open, high, low, close, volume.`);
}

interface Adjustment {
  readonly why: string;
  readonly of: AdjustedFor;
}

function adjustmentOf(
  { stated, names }: CellTable,
  rows: readonly Row[],
  { adj_close, flag }: BarColumns,
  { adjusted, flagMeans }: PriceFormat,
): Adjustment | null {
  const raw = adjusted === undefined ? names?.find((name) => UNADJUSTED_CLOSE.test(name)) : undefined;
  if (raw !== undefined) return { why: `the column ${raw}: the others are adjusted`, of: 'all' };
  if (adj_close) return null;
  const inRows = flag ? [...new Set(rows.map(({ cells }) => cells[flag.place] ?? ''))] : [];
  const areFlags = inRows.every((word) => ADJUSTED_FLAG.test(word) || UNADJUSTED_FLAG.test(word));
  const isFlag = (name: string) => FLAGS.includes(name) && (name !== flag?.name || name === 'adjustflag' || areFlags);
  const words = [
    ...inRows.map((word) => [flag?.name ?? '', word] as const),
    ...ADJUSTMENTS.flatMap((name) => (stated?.has(name) ? [[name, stated.get(name) ?? ''] as const] : [])),
  ];
  for (const [name, word] of words) {
    const of = isFlag(name) && ADJUSTED_FLAG.test(word) ? 'all' : adjustedFor(word);
    if (of === null) continue;
    const why = name === 'adjustflag' ? `adjustflag is ${word}; 3 is raw` : `${name} is ${word}`;
    return { why, of: of === 'all' ? (flagMeans ?? of) : of };
  }
  return adjusted === undefined ? null : { why: adjusted, of: flagMeans ?? 'all' };
}

/** Of a close as it was traded, next to one that is not, as IEX and others write it. */
const UNADJUSTED_CLOSE = /^(u|raw_?|unadj(usted)?_?)close$|^close_?(raw|unadj(usted)?)$/;

/** What was paid for a share shows that prices are adjusted, where their columns do not. */
function adjustmentPaid({ shown, line }: ReturnType<typeof inShares>, { turnover }: BarColumns): Adjustment | null {
  if (shown !== 'adjusted') return null;
  return { why: `${turnover?.name} by volume is not between low and high, as in line ${line}`, of: 'all' };
}

/** A 1 elsewhere may be a factor. */
const FLAGS = ['adjustflag', 'adjusted', 'is_adjusted'];
const ADJUSTED_FLAG = /^[12](\.0+)?$/;
const UNADJUSTED_FLAG = /^(0(\.0+)?)?$/;

/** Words for adjusted prices: qfq and hfq of akshare and tushare, flags, and spin-offs, which are in no list of actions. */
const ADJUSTED_WORD = /^(true|yes|y|qfq|hfq|forward|backward|all|total|adjusted|spinoffs?)$/;

/** What a word says that prices are adjusted for, such as `split`, `dividends` and `split,dividend`; null for any other. */
function adjustedFor(word: string): AdjustedFor | null {
  const parts = word
    .toLowerCase()
    .replace(/spin[-_ ]off/g, 'spinoff')
    .split(/[^a-z]+/)
    .filter((part) => part !== '' && part !== 'and');
  const [ofSplits, ofDividends] = [/^splits?$/, /^dividends?$/].map((form) => parts.some((part) => form.test(part)));
  const isKnown = (part: string) => ADJUSTED_WORD.test(part) || /^(splits?|dividends?)$/.test(part);
  if (parts.length === 0 || !parts.every(isKnown)) return null;
  if (ofSplits !== ofDividends) return ofSplits ? 'splits' : 'dividends';
  return 'all';
}

function refuseAdjusted(adjusted: string | null, { already_adjusted }: ForeignForm): void {
  if (adjusted === null || already_adjusted) return;
  throw new RefusedFile(
    `These prices are adjusted (${adjusted}). Send prices as they were traded, or --already-adjusted: then returns are right, and levels ` +
      'of plans and reference prices of earlier days fit only where --actions has the splits.',
  );
}
