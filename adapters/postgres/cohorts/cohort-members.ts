import { type CohortFilter, withoutImplied } from '../../../domain/cohorts/cohort-filter.ts';
import type { CohortReader } from '../../../domain/cohorts/cohort-reader.ts';
import type { LargestOwner } from '../../../domain/cohorts/owner-share.ts';
import {
  type CountedWindow,
  type WindowCounts,
  type WindowTally,
  windowCounts,
  windowTally,
} from '../../../domain/decisions/own/window-counts.ts';
import { COHORT } from '../../../domain/limits.ts';
import { SECOND } from '../../../domain/time.ts';
import type { Sql } from '../kit/sql.ts';
import { atMoment, memberConditions, momentOf, Parameters } from './cohort-conditions.ts';
import { type CohortReading, heldReadings } from './held-readings.ts';

/** Windows that a process holds, of all cohorts together: at most some 80 bytes each. */
const WINDOWS_AT_MOST = 300_000;
const OWNERS_AT_MOST = 2_000;
/** What a cohort takes besides its windows, in windows. */
const EACH = 10;

/** What is read of the records of a cohort, and held until they change. */
export function readMembers(sql: Sql): Pick<CohortReader, 'windows' | 'largestOwner'> {
  const windows = heldReadings<Tallied>(WINDOWS_AT_MOST, (samples) => EACH + samples);
  const owners = heldReadings<FirstGraded>(OWNERS_AT_MOST, () => 1);
  return {
    async windows(cohort, moment, edition) {
      const filter = withoutImplied(cohort);
      if (filter === null) return windowCounts([]);
      const tallied = await windows.find(
        { filter, edition },
        () => readWindows(sql, filter, moment),
        (before, samples) => addWindows(sql, filter, moment, before, samples),
      );
      return tallied.counts;
    },
    async largestOwner(cohort, moment, size, edition) {
      const filter = withoutImplied(cohort);
      if (filter === null) return null;
      const first = await owners.find(
        { filter, edition, size },
        () => readLargest(sql, filter, moment, size),
        ({ value }, samples) => sameLargest(sql, filter, moment, value, { samples, size }),
      );
      return first.largest;
    },
  };
}

interface Tallied {
  /** null for more than COHORT.mostWindows records. */
  readonly counts: WindowCounts | null;
  /** Of at least the windows that were counted. */
  readonly tally: WindowTally;
}

async function readWindows(sql: Sql, filter: CohortFilter, moment: string): Promise<CohortReading<Tallied>> {
  const parameters = new Parameters();
  const members = [...memberConditions(filter, parameters), atMoment(moment, parameters)];
  const windows = await windowsOf(sql, filter, members, parameters);
  const tally = windowTally();
  if (windows.length > COHORT.mostWindows) return { value: { counts: null, tally }, members: windows.length, moment };
  tally.add(windows);
  return { value: { counts: tally.counts(), tally }, members: windows.length, moment };
}

/** Reads the windows of the records that have come since; null where these are not as many as are missing. */
async function addWindows(
  sql: Sql,
  filter: CohortFilter,
  moment: string,
  { value: { tally }, members, moment: before }: CohortReading<Tallied>,
  samples: number,
): Promise<CohortReading<Tallied> | null> {
  if (samples > COHORT.mostWindows) return null;
  const parameters = new Parameters();
  const since = new Date(momentOf(before).at.getTime() - COHORT.lateListing);
  const windows = await windowsOf(
    sql,
    filter,
    [
      ...memberConditions(filter, parameters),
      atMoment(moment, parameters),
      `d.evaluated_at >= ${parameters.add(since)}`,
      `not ${atMoment(before, parameters)}`,
    ],
    parameters,
  );
  if (members + windows.length !== samples) return null;
  tally.add(windows);
  return { value: { counts: tally.counts(), tally }, members: samples, moment };
}

interface WindowsRow {
  readonly symbols: readonly string[] | null;
  readonly venues: readonly string[];
  readonly anchors: readonly number[];
  readonly ends: readonly number[];
}

/** At most one more than are counted. A row for each window would take the service four times as long to read. */
async function windowsOf(
  sql: Sql,
  { market }: CohortFilter,
  conditions: readonly string[],
  parameters: Parameters,
): Promise<readonly CountedWindow[]> {
  const text = `
    select array_to_json(array_agg(symbol)) as symbols, array_to_json(array_agg(venue)) as venues,
      array_to_json(array_agg(date_part('epoch', anchor_time))) as anchors,
      array_to_json(array_agg(date_part('epoch', end_time))) as ends
    from (
      select d.symbol, d.venue, d.anchor_time, d.end_time from app.cohort_decisions d
      where ${conditions.join(' and ')} limit ${COHORT.mostWindows + 1}
    ) members`;
  const [row] = await sql.rows<WindowsRow>(text, parameters.values);
  const timeOf = (seconds: number | undefined) => Math.round((seconds ?? Number.NaN) * SECOND);
  return (row?.symbols ?? []).map((symbol, i) => ({
    instrument: { market, symbol, venue: row?.venues[i] ?? '' },
    anchor_time: timeOf(row?.anchors[i]),
    end_time: timeOf(row?.ends[i]),
  }));
}

interface FirstGraded {
  readonly largest: LargestOwner | null;
  /** When the last record of the sample was graded. */
  readonly last: Date | null;
}

/** The members are read before they are put in order, so that no plan looks for them in the order of the whole market. */
async function readLargest(
  sql: Sql,
  filter: CohortFilter,
  moment: string,
  size: number,
): Promise<CohortReading<FirstGraded>> {
  const parameters = new Parameters();
  const most = parameters.add(size);
  const members = [...memberConditions(filter, parameters), atMoment(moment, parameters)];
  const text = `
    with members as materialized (
      select d.owner_id, d.record_id, d.evaluated_at from app.cohort_decisions d where ${members.join(' and ')}
    ),
    sample as materialized (
      select owner_id, record_id, evaluated_at from members order by evaluated_at, record_id limit ${most}
    ),
    owners as (select count(*)::int as records from sample group by owner_id)
    select max(o.records) as records,
      (select md5(string_agg(record_id, ' ')) from sample) as sample,
      (select max(evaluated_at) from sample) as last,
      (select count(*)::int from members) as members
    from owners o having sum(o.records) = ${most}`;
  const [row] = await sql.rows<LargestRow>(text, parameters.values);
  if (!row) return { value: { largest: null, last: null }, members: Number.NaN, moment };
  const { records, sample, last, members: count } = row;
  return { value: { largest: { records, sample }, last }, members: count, moment };
}

type LargestRow = LargestOwner & Pick<FirstGraded, 'last'> & { readonly members: number };

/** The same sample, where all other records were graded later than its last one; else null. */
async function sameLargest(
  sql: Sql,
  filter: CohortFilter,
  moment: string,
  value: FirstGraded,
  { samples, size }: { readonly samples: number; readonly size: number },
): Promise<CohortReading<FirstGraded> | null> {
  const parameters = new Parameters();
  const later = [
    ...memberConditions(filter, parameters),
    atMoment(moment, parameters),
    `d.evaluated_at > ${parameters.add(value.last)}`,
  ];
  const text = `select count(*)::int as later from app.cohort_decisions d where ${later.join(' and ')}`;
  const [row] = await sql.rows<{ readonly later: number }>(text, parameters.values);
  return row?.later === samples - size ? { value, members: samples, moment } : null;
}
