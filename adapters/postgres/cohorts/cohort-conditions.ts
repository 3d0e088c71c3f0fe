import { type CohortFilter, countsFurther, evaluatedUntil } from '../../../domain/cohorts/cohort-filter.ts';
import { EQUALITY_FILTERS } from '../../../domain/cohorts/cohort-membership.ts';
import type { OwnerProof } from '../../../domain/cohorts/cohort-reader.ts';
import type { CountedAs } from '../../../domain/cohorts/counted-as.ts';
import { MOVE_RANGES } from '../../../domain/grading/bucket.ts';
import { COHORT } from '../../../domain/limits.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { DAY } from '../../../domain/time.ts';
import { interval } from '../kit/expired-rows.ts';
import type { Range } from './cohort-plan.ts';

const MOST_ENDED = 100;

const FORM = /^(\d{1,15}) ((\d{1,19}):(\d{1,19}):([\d,]*))(?: ([\d,]+))?$/;

const LAST = 2n ** 63n - 1n;

/** Gives each value its place among the parameters of a statement, `$1` and so on. */
export class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** What a cell or a row of the tail must have in common with the filter, whatever its times. */
export function equalities(filter: CohortFilter, row: string, parameters: Parameters): string[] {
  return [...equalFields(filter, row, parameters), ...originsOf(filter, row)];
}

/** The origins as `app.cell_origin` has them, which keeps apart the further horizons of groups. */
function originsOf(filter: CohortFilter, row: string): string[] {
  const isFurther = countsFurther(filter);
  if (filter.include_retroactive) return isFurther ? [] : [`not starts_with(${row}.submission_origin, '${FURTHER}')`];
  return [`${row}.submission_origin ${isFurther ? `in ('realtime', '${FURTHER}realtime')` : `= 'realtime'`}`];
}

/** What an origin of a further horizon begins with. */
const FURTHER = 'further_';

/** How a cohort counts what a cell or a row of the tail has under this origin. */
export function originOfCell(stored: string): CountedAs {
  return (stored.startsWith(FURTHER) ? stored.slice(FURTHER.length) : stored) as CountedAs;
}

/** What an ungraded record must have in common with the filter. @param further whether any horizon of a group will do */
export function ungradedConditions(filter: CohortFilter, parameters: Parameters, further: boolean): string[] {
  return [
    ...equalFields(filter, 'd', parameters),
    ...(filter.include_retroactive ? [] : [`d.submission_origin = 'realtime'`]),
    ...(further || countsFurther(filter) ? [] : [leads('d')]),
  ];
}

/** The records that are no further horizon of a decision group, by a row of app.decisions. */
export function leads(row: string): string {
  return `not app.is_further(group_place => ${row}.group_place)`;
}

function equalFields(filter: Partial<CohortFilter>, row: string, parameters: Parameters): string[] {
  const fields = EQUALITY_FILTERS.filter((field) => filter[field] !== undefined);
  return fields.map((field) => `${row}.${field} = ${parameters.add(filter[field])}`);
}

/** The records of app.cohort_decisions that cohorts count without `include_retroactive`. */
export function countedRealtime(row: string): string {
  return `(${row}.submission_origin = 'realtime' and ${row}.cohort_exception is null)`;
}

/** The same of app.cohort_decisions: a pinned instrument is one column there. */
export function recordEqualities(filter: CohortFilter, parameters: Parameters): string[] {
  const { market, symbol, venue, asset_class, quote_currency, ...others } = filter;
  const origin = [
    ...(filter.include_retroactive ? [] : [countedRealtime('d')]),
    ...(countsFurther(filter) ? [] : [leads('d')]),
  ];
  if (!symbol || !venue || !asset_class || !quote_currency) return [...equalFields(filter, 'd', parameters), ...origin];
  const key = instrumentKey({ market, symbol, venue, asset_class, quote_currency });
  return [`d.instrument = ${parameters.add(key)}`, ...equalFields(others, 'd', parameters), ...origin];
}

/** What a row `d` of app.cohort_decisions must meet to be in the cohort, with its times. */
export function memberConditions(filter: CohortFilter, parameters: Parameters): string[] {
  const evaluated_until = evaluatedUntil(filter);
  return [
    ...recordEqualities(filter, parameters),
    ...rangeConditions(boundsOf(filter), 'd.data_cutoff', parameters),
    ...(evaluated_until ? evaluatedBy(evaluated_until, parameters) : []),
  ];
}

/** Without a bound on data_cutoff the scan would pass over all later records. */
export function evaluatedBy(until: Date, parameters: Parameters): string[] {
  const time = parameters.add(until);
  return [
    `d.evaluated_at <= ${time}`,
    `d.data_cutoff < ${time}::timestamptz + ${parameters.add(interval(CUTOFF_SLACK))}::interval`,
  ];
}

/** A data_cutoff is at most `SUBMIT.cutoffLead` later than its evaluation: this is far more. */
const CUTOFF_SLACK = DAY;

function boundsOf({ data_cutoff_since, data_cutoff_until }: CohortFilter) {
  return {
    ...(data_cutoff_since ? { since: data_cutoff_since.getTime() } : {}),
    ...(data_cutoff_until ? { until: data_cutoff_until.getTime() } : {}),
  };
}

export function rangeConditions({ since, until }: Range, time: string, parameters: Parameters): string[] {
  return [
    ...(since === undefined ? [] : [`${time} >= ${parameters.add(new Date(since))}`]),
    ...(until === undefined ? [] : [`${time} < ${parameters.add(new Date(until))}`]),
  ];
}

/** The time and the snapshot of a statement, as text. */
interface Moment {
  readonly at: Date;
  /** `xmin:xmax:xip,...` of PostgreSQL. */
  readonly snapshot: string;
  /** Transactions that the snapshot leaves out and that had ended all the same. */
  readonly ended: readonly string[];
}

/**
 * The time is in whole milliseconds.
 * @param market the market of the records that the moment is for
 */
export function momentSql(market: string, parameters: Parameters): string {
  return `(extract(epoch from app.now()) * 1000)::bigint || ' ' ||
    case when pg_is_in_recovery() then (${onStandby(parameters.add(market), parameters.add(interval(COHORT.lateListing)))}) else pg_current_snapshot()::text end`;
}

/**
 * A standby knows the bounds of its snapshot, but not which transactions between them had ended. Only those that made a
 * record public matter, and their records show which. If they are too many for a cursor, the statement fails, and the
 * primary answers.
 */
function onStandby(market: string, lateListing: string): string {
  return `
    select s.oldest || ':' || s.oldest || ':' || case
      when count(xid) <= ${MOST_ENDED} then coalesce(' ' || string_agg(xid::text, ','), '')
      else ('too many: ' || count(xid))::int::text end
    from (select pg_snapshot_xmin(pg_current_snapshot())) s(oldest) left join lateral (
      select distinct d.listed_xid from app.public_decisions d
      where d.market = ${market} and d.listed_xid >= s.oldest
        and d.evaluated_at > app.now() - ${lateListing}::interval) l(xid) on true
    group by s.oldest`;
}

/** @throws TypeError when no summary can have returned this text */
export function momentOf(text: string): Moment {
  const [, time = '', snapshot = '', xmin = '', xmax = '', running = '', others = ''] = FORM.exec(text) ?? [];
  const [open, ended] = [running, others].map((ids) => (ids === '' ? [] : ids.split(',')));
  const ids = [xmin, ...(open ?? []), xmax].map((id) => BigInt(id || '0'));
  const ascending = ids.every((id, i) => id > 0n && id <= LAST && id >= (ids[i - 1] ?? 1n));
  if (time === '' || !ascending || !ended?.every(isId)) throw new TypeError('This text is not a moment of a summary.');
  return { at: new Date(Number(time)), snapshot, ended };
}

/** What a record `d` that is public must meet to have been so at that moment. */
export function atMoment(moment: string, parameters: Parameters): string {
  const { at, snapshot, ended } = momentOf(moment);
  const snapshotSql = `${parameters.add(snapshot)}::pg_snapshot`;
  return `(${[
    `pg_visible_in_snapshot(d.listed_xid, ${snapshotSql})`,
    ...(ended.length > 0 ? [`d.listed_xid = any(${parameters.add(ended)}::xid8[])`] : []),
    `(d.listed_xid >= pg_snapshot_xmax(${snapshotSql}) and d.listed_at < ${parameters.add(at)}::timestamptz - ${parameters.add(interval(COHORT.lateListing))}::interval)`,
  ].join(' or ')})`;
}

function isId(text: string): boolean {
  return text !== '' && BigInt(text) > 0n && BigInt(text) <= LAST;
}

/** The number of records in each range of moves, as `app.cohort_cells.moves` has them. @param row counts `n` by `move` */
export function movesOfCounts(row: string): string {
  return eachRange((place) => `coalesce(sum(${row}.n) filter (where ${row}.move = ${place}), 0)`);
}

/** The same of one record. */
export function movesOfRow(row: string): string {
  return eachRange((place) => `(${row}.move is not distinct from ${place})::int`);
}

/** The sum of such counts over a group. */
export function sumOfMoves(column: string): string {
  return eachRange((place) => `sum(${column}[${place + 1}])::bigint`);
}

function eachRange(count: (place: number) => string): string {
  return `array[${Array.from({ length: MOVE_RANGES }, (_, place) => count(place)).join(', ')}]::bigint[]`;
}

/** Whether there are enough owners is all that is asked. */
export interface WantedProducers {
  /** How many are enough. */
  readonly producers: number;
  readonly ownerProof: OwnerProof;
}

/**
 * A condition that is true for owners that count as producers. It reads the identities and confirmed addresses of this moment,
 * so that a count follows them at once, and cells hold owners of both kinds.
 * @param owner a column with its table: `owner_id` alone would be that of the identity
 */
export function isCounted(owner: `${string}.owner_id`, ownerProof: OwnerProof): string {
  return ownerProof === 'none'
    ? 'true'
    : `(exists (select from app.identities i where i.owner_id = ${owner})
        or exists (select from app.owners c where c.owner_id = ${owner} and c.email_confirmed_at is not null))`;
}

/** The owners for whom `isCounted` is true with `verified`. */
export const VERIFIED_OWNERS = `select owner_id from app.identities
  union select owner_id from app.owners where email_confirmed_at is not null`;
