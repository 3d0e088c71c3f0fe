import type { ForeignBars } from '../../adapters/market/files/foreign/read-bars.ts';
import type { FlatRun } from '../../domain/grading/bars/history.ts';
import { GRADING } from '../../domain/grading/method-numbers.ts';
import type { StrayPrice, UnexplainedLeap } from '../../domain/grading/unexplained-leaps.ts';
import type { CorporateAction } from '../../domain/market/adjustment.ts';
import type { Inspection } from '../../domain/market/bar-inspection.ts';
import type { BarSize } from '../../domain/market/bars.ts';
import { rfc3339 } from '../../domain/time.ts';

const EXAMPLES = 5;

/** What was found in a file of bars. */
export interface ImportFindings extends Inspection {
  /** The share of sessions that open at the close of the session before; null where there is none. */
  readonly carried_opens: number | null;
  /** The longest run of bars that repeat one price and count as traded; null where there is none. */
  readonly longest_flat_run: FlatRun | null;
  /** Sessions that have bars, and none at their open or close. */
  readonly sessions_without_open: number;
  readonly sessions_without_close: number;
  /** Each once, ascending, as the file dates them. */
  readonly actions: readonly CorporateAction[];
  /** Dividends that adjusted prices already have in them, and that are left out. */
  readonly in_prices: number;
  /** Why actions cannot be believed, and what to send instead. */
  readonly action_faults: readonly string[];
  /** Prices that gradings leave out, because nobody could trade at them again. */
  readonly prices_left_out: readonly StrayPrice[];
  /** The first of the last prices, where these are far from those before; null where they are not. */
  readonly open_run: StrayPrice | null;
  readonly unexplained_leaps: readonly UnexplainedLeap[];
  /** Leaps that only the adjusted closes account for. */
  readonly leaps_in_adj_close: readonly Omit<UnexplainedLeap, 'answer'>[];
}

/** The members that `import-bars --json` prints about the file. */
export function importFigures(instrument: string, size: BarSize, read: ForeignBars, findings: ImportFindings) {
  const { bars, actions: kept, in_prices, action_faults, longest_flat_run: run, ...figures } = findings;
  const actions = { stored: kept.length, in_prices, faults: action_faults };
  const longest_flat_run = run && { ...run, from: rfc3339(run.from) };
  const { bars: _, adjusted_for: __, rows, ...counts } = read;
  return { instrument, size, rows, usable: bars.length, ...counts, ...figures, longest_flat_run, actions };
}

/** A line for each finding about the file; without findings one line. */
export function importReport(name: string, size: BarSize, read: ForeignBars, found: ImportFindings): readonly string[] {
  const { bars, expected, missing } = found;
  const [first, last] = [bars.at(0), bars.at(-1)];
  const span = first && last ? `, ${rfc3339(first.start)} to ${rfc3339(last.end)}` : '';
  return [
    `${name}, ${size}: ${read.rows} rows, ${bars.length} of them usable${span}`,
    `  read as ${read.format}; times in ${read.time_zone}, ${STAMPS[read.times]}; prices ${read.adjusted === null ? 'raw, as far as the file says' : `already adjusted (${read.adjusted})`}`,
    ...read.notes.map((note) => `  ! ${note}`),
    ...counted(read.without_price, 'without a price, left out'),
    ...counted(read.unreadable, 'that are no bars, such as notes, left out'),
    ...counted(read.suspended, 'marked as suspended, left out'),
    ...counted(read.still_open, 'marked as not ended yet, left out'),
    ...counted(read.without_trade, 'without a volume repeat the price before them: stored as bars without a trade'),
    ...counted(read.outside, 'outside every session of the venue, left out'),
    ...counted(read.before_open, 'begin before their session, left out'),
    ...counted(read.after_close, 'end after their session, left out: the file has rows outside sessions'),
    ...counted(read.cut, 'end after their session, cut at its end'),
    ...counted(found.sessions_without_open, 'sessions have bars and none at their open'),
    ...counted(found.sessions_without_close, 'sessions have bars and none at their close'),
    ...counted(found.duplicates, 'repeated, left out (the last one of each counts)'),
    ...counted(found.unsound, 'with impossible prices (high below, low above, or none), left out'),
    ...counted(found.overlapping, 'begin before the bar before them ends, left out'),
    ...counted(found.unfinished, 'have not ended yet, left out'),
    ...(bars.length > 0 ? [`  ${missing} of ${expected} bars of the calendar are missing`] : []),
    ...emptySessions(found.empty_sessions),
    ...counted(
      found.generic_sessions,
      'sessions in years whose holidays are unknown here: every weekday counts as a session',
    ),
    ...carriedOpens(found.carried_opens),
    ...flatRun(found.longest_flat_run),
    ...counted(found.in_prices, 'dividends are in the adjusted prices already, left out'),
    ...leftOut(found.prices_left_out),
    ...openRun(found.open_run),
    ...found.unexplained_leaps.map((leap) => `${leapText(leap)}, and nothing explains it. ${leap.answer}`),
    ...found.leaps_in_adj_close.map((leap) => `${leapText(leap)}; adj_close accounts for it, levels of plans do not`),
    ...(read.ignored_columns.length > 0 ? [`  columns that are not read: ${read.ignored_columns.join(', ')}`] : []),
  ];
}

const STAMPS = {
  start: 'which name the start of a bar',
  end: 'which name the end of a bar',
  session: 'which name sessions',
} as const;

function counted(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`  ${count} ${what}`];
}

function emptySessions(dates: readonly string[]): readonly string[] {
  if (dates.length === 0) return [];
  const more = dates.length > EXAMPLES ? ` and ${dates.length - EXAMPLES} more` : '';
  return [`  ${dates.length} sessions without any bar: ${dates.slice(0, EXAMPLES).join(', ')}${more}`];
}

/** Where they are more than half, outcomes on daily bars have `carried_open`. */
function carriedOpens(share: number | null): readonly string[] {
  if (share === null) return [];
  const found = `${(100 * share).toFixed(1)} % of the sessions open exactly at the close of the session before`;
  return [share > GRADING.carriedOpens ? `  ! ${found}: these opens are not trades` : `  ${found}`];
}

/** A shorter one is chance, where prices have few digits. */
const STANDS_STILL = 5;

function flatRun(run: FlatRun | null): readonly string[] {
  if (run === null || run.bars < STANDS_STILL) return [];
  return [
    `  ! ${run.bars} bars in a row from ${rfc3339(run.from)} repeat the price ${run.price}, and no volume shows whether anything traded: ` +
      'gradings take them as trades. Leave out bars without a trade, or send their volume',
  ];
}

function leftOut(prices: readonly StrayPrice[]): readonly string[] {
  const more = prices.length - EXAMPLES;
  return [
    ...prices
      .slice(0, EXAMPLES)
      .map(
        ({ time, at, price }) =>
          `  ! ${time}: the ${at} ${price} is far from the prices before and after it, and gradings leave it out: correct it`,
      ),
    ...(more > 0 ? [`  ! ${more} more such prices`] : []),
  ];
}

function openRun(first: StrayPrice | null): readonly string[] {
  if (first === null) return [];
  return [
    `  ! ${first.time}: from the ${first.at} ${first.price} on the prices are far from those before, and the file ends too soon to show whether they ` +
      'last: decisions over them wait up to four days, and their outcomes are flagged suspected_price. Correct them, or send later bars',
  ];
}

function leapText({ at, from, to }: Omit<UnexplainedLeap, 'answer'>): string {
  return `  ! ${at}: the price leaps from ${from} to ${to}`;
}
