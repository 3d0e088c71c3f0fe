import type { ForeignBars } from '../../../adapters/market/files/foreign-bars.ts';
import { GRADING } from '../../../domain/grading/method-numbers.ts';
import type { Inspection } from '../../../domain/market/bar-inspection.ts';
import type { BarSize } from '../../../domain/market/bars.ts';
import { rfc3339 } from '../../../domain/time.ts';

const EXAMPLES = 5;

/** What was found in a file of bars. */
export interface ImportFindings extends Inspection {
  /** The share of sessions that open at the close of the session before; null where there is none. */
  readonly carried_opens: number | null;
}

/** The members that `import-bars --json` prints about the file. */
export function importFigures(instrument: string, size: BarSize, read: ForeignBars, findings: ImportFindings) {
  const { bars, ...figures } = findings;
  const { rows, outside, ignored_columns } = read;
  return { instrument, size, rows, usable: bars.length, outside, ...figures, ignored_columns };
}

/** A line for each finding about the file; without findings one line. */
export function importReport(name: string, size: BarSize, read: ForeignBars, found: ImportFindings): readonly string[] {
  const { bars, expected, missing, likely_splits } = found;
  const [first, last] = [bars.at(0), bars.at(-1)];
  const span = first && last ? `, ${rfc3339(first.start)} to ${rfc3339(last.end)}` : '';
  return [
    `${name}, ${size}: ${read.rows} rows, ${bars.length} of them usable${span}`,
    ...counted(read.outside, 'outside every session of the venue, left out'),
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
    ...likely_splits.map(
      ({ at, ratio, in_adj_close }) =>
        `  ! ${at}: looks like a split of ${ratioText(ratio)} without a matching action` +
        `${in_adj_close ? '; adj_close accounts for it, levels of plans do not' : '; prices before it are not adjusted'}`,
    ),
    ...(read.ignored_columns.length > 0 ? [`  columns that are not read: ${read.ignored_columns.join(', ')}`] : []),
  ];
}

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

function ratioText(ratio: number): string {
  const shares = (count: number) => String(Number(count.toFixed(2)));
  return ratio >= 1 ? `${shares(ratio)}:1` : `1:${shares(1 / ratio)}`;
}
