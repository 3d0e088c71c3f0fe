import { type CorporateAction, factorsOf } from '../../../domain/market/adjustment.ts';
import { barsBetween, soundBars } from '../../../domain/market/bar-inspection.ts';
import type { Bar, BarSize } from '../../../domain/market/bars.ts';
import { DAY, HOUR, MINUTE, type Millis } from '../../../domain/time.ts';
import { type Cells, inSlices, MalformedFile, parseCsv } from './csv.ts';

/** A row of a bar file: a raw bar clipped to its session, daily ones with the source's adjusted close where it has one. */
export interface BarRow extends Omit<Bar, 'split' | 'total'> {
  readonly adj_close: number | null;
}

const BAR_COLUMNS = ['start', 'end', 'open', 'high', 'low', 'close', 'volume'];
const LENGTHS: Readonly<Record<BarSize, Millis>> = { '1m': MINUTE, '5m': 5 * MINUTE, '1h': HOUR, '1d': DAY };

/** The rows of `{size}.csv` as they stand. @throws MalformedFile */
export function parseBars(text: string, size: BarSize): Promise<readonly BarRow[]> {
  return parseCsv(text, { required: BAR_COLUMNS, optional: ['adj_close'] }, (cells) => barIn(cells, size));
}

/** The splits and dividends of `actions.csv`, columns `at,kind,value`. @throws MalformedFile */
export async function parseActions(text: string): Promise<readonly CorporateAction[]> {
  return (await actionRows(text)).flatMap((row) => (row.kind === 'none' ? [] : [row]));
}

/** Instants of the dates of which `actions.csv` says that they have no action. @throws MalformedFile */
export async function parseNoActions(text: string): Promise<readonly Millis[]> {
  return (await actionRows(text)).flatMap(({ at, kind }) => (kind === 'none' ? [at] : []));
}

/** A row of two cells, `2021-01-28T14:30:00Z,none`, is one of three. */
function actionRows(text: string) {
  return parseCsv(text.replace(/^([^,\n]+,none)[ \t\r]*$/gm, '$1,'), { required: ['at', 'kind', 'value'] }, actionIn);
}

/** The text of a bar file; what it holds is read back as it was. */
export function formatBars(rows: readonly BarRow[]): string {
  const adjusted = rows.some(({ adj_close }) => adj_close !== null);
  const header = [...BAR_COLUMNS, ...(adjusted ? ['adj_close'] : [])];
  const lines = rows.map(({ start, end, open, high, low, close, volume, adj_close }) =>
    [
      isoSeconds(start),
      isoSeconds(end),
      open,
      high,
      low,
      close,
      volume ?? '',
      ...(adjusted ? [adj_close ?? ''] : []),
    ].join(),
  );
  return `${[header.join(), ...lines].join('\n')}\n`;
}

/**
 * The text of an actions file.
 * @param none the instants of the dates without an action
 */
export function formatActions(actions: readonly CorporateAction[], none: readonly Millis[] = []): string {
  const rows = [
    ...actions.map(({ at, kind, value }) => `${isoSeconds(at)},${kind},${value}`),
    ...none.map((at) => `${isoSeconds(at)},none,`),
  ];
  return `${['at,kind,value', ...rows].join('\n')}\n`;
}

function barIn(cells: Cells, size: BarSize): BarRow {
  const row = {
    start: cells.instant('start'),
    end: cells.instant('end'),
    open: cells.number('open'),
    high: cells.number('high'),
    low: cells.number('low'),
    close: cells.number('close'),
    volume: cells.optionalNumber('volume'),
    adj_close: cells.optionalNumber('adj_close'),
  };
  const length = row.end - row.start;
  if (length <= 0 || length > LENGTHS[size]) throw new MalformedFile(cells.line, `the bar does not last up to ${size}`);
  if (row.volume !== null && row.volume < 0) throw new MalformedFile(cells.line, 'volume is negative');
  if (row.adj_close !== null && row.adj_close <= 0) throw new MalformedFile(cells.line, 'adj_close is not above 0');
  return row;
}

function actionIn(cells: Cells): CorporateAction | { readonly at: Millis; readonly kind: 'none' } {
  const kind = cells.text('kind');
  if (kind === 'none') return { at: cells.instant('at'), kind };
  if (kind !== 'split' && kind !== 'dividend')
    throw new MalformedFile(cells.line, 'kind is neither split, dividend nor none');
  const value = cells.number('value');
  if (value <= 0) throw new MalformedFile(cells.line, 'value is not above 0');
  return { at: cells.instant('at'), kind, value };
}

function isoSeconds(at: Millis): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

/** All bars of one file, ascending and never overlapping, and the times of the rows that had to be left out. */
export interface ArrangedBars {
  readonly bars: readonly Bar[];
  readonly lost: readonly Span[];
  /** The starts of the first and the last daily row with an adjusted close; null without any. */
  readonly adjusted: { readonly from: Millis; readonly until: Millis } | null;
}

interface Span {
  readonly start: Millis;
  readonly end: Millis;
}

/**
 * Rows as bars, whatever their order in the file. Of several rows for one span the last one written counts, as its
 * correction; a row that breaks evaluation.md section 6, or overlaps an earlier bar, is lost.
 * `daily` are the rows of the daily file, from which bars of every size take their factors.
 */
export async function arrangeBars(
  rows: readonly BarRow[],
  daily: readonly BarRow[],
  actions: readonly CorporateAction[],
): Promise<ArrangedBars> {
  const { kept, lost } = apart(rows);
  const factors = factorsOf(apart(daily).kept, actions);
  const bars = await inSlices(kept, ({ adj_close: _, ...bar }) => [{ ...bar, ...factors(bar.start) }]);
  return { bars, lost, adjusted: adjustedRows(daily) };
}

function adjustedRows(daily: readonly BarRow[]): ArrangedBars['adjusted'] {
  const starts = daily.flatMap(({ start, adj_close }) => (adj_close === null ? [] : [start]));
  const [first, last] = [starts.reduce((a, b) => Math.min(a, b), Infinity), starts.reduce((a, b) => Math.max(a, b), 0)];
  return starts.length === 0 ? null : { from: first, until: last };
}

/** The bars with start >= from and end <= to, and how many rows were lost there. */
export function windowOf(
  { bars, lost }: Pick<ArrangedBars, 'bars' | 'lost'>,
  from: Millis,
  to: Millis,
): { bars: readonly Bar[]; dropped: number } {
  return {
    bars: barsBetween(bars, from, to),
    dropped: lost.filter(({ start, end }) => start >= from && end <= to).length,
  };
}

function apart(rows: readonly BarRow[]): { readonly kept: readonly BarRow[]; readonly lost: readonly Span[] } {
  const kept: BarRow[] = [];
  const lost: Span[] = [];
  for (const row of ascending(rows)) {
    const overlaps = row.start < (kept.at(-1)?.end ?? Number.NEGATIVE_INFINITY);
    const [sound] = overlaps ? [] : soundBars([row]).bars;
    if (sound) kept.push(sound);
    else lost.push(row);
  }
  return { kept, lost };
}

function ascending(rows: readonly BarRow[]): readonly BarRow[] {
  if (rows.every(({ start }, index) => start > (rows[index - 1]?.start ?? Number.NEGATIVE_INFINITY))) return rows;
  const latest = new Map(rows.map((row) => [row.start, row]));
  return [...latest.values()].sort((a, b) => a.start - b.start);
}
