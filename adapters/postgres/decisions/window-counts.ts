import { COHORT } from '../../../domain/limits.ts';

/** Of a row `d` of app.decisions, for `windowCountsOf`. */
export const WINDOW_COLUMNS = 'd.instrument, d.venue, d.anchor_time, d.end_time';

/**
 * `windowCountsUpToLimit` of the rows of a query, as an expression: `WindowCounts` as jsonb, or null.
 * @param members the query, which returns WINDOW_COLUMNS
 * @param zones the time zone of each venue as jsonb; days of other venues are those of UTC
 */
export function windowCountsOf(members: string, zones: string): string {
  return `(
    with members as materialized (${members} limit ${COHORT.mostWindows + 1}),
    minutes as materialized (
      select dense_rank() over (order by instrument collate "C")::int as instrument,
        (anchor_time at time zone coalesce(${zones}::jsonb ->> venue, 'UTC'))::date as day,
        floor(date_part('epoch', anchor_time) / 60)::int as since,
        floor(date_part('epoch', end_time) / 60)::int as until
      from members
    ),
    of_instruments as (
      select app.disjoint_windows(since_until order by until) as disjoint
      from (select instrument, until, array[since, until] as since_until from minutes) pairs group by instrument
    ),
    -- Places are in the order of instruments and minutes, as one number, which is sorted faster. An end comes before the
    -- starts of the same minute, since a window does not contain its start.
    steps as (
      select (instrument::bigint << 32) + 2 * since::bigint + 1 as place, 1 as step from minutes
      union all select (instrument::bigint << 32) + 2 * until::bigint, -1 from minutes
    ),
    open_windows as (select sum(step) over (order by place rows unbounded preceding) as windows from steps)
    select case when (select count(*) from members) <= ${COHORT.mostWindows} then (
      select jsonb_build_object('instruments', count(*),
        'instrument_days', (select count(*) from (select distinct instrument, day from minutes) days),
        'max_concurrent', (select coalesce(max(windows), 0) from open_windows),
        'disjoint', coalesce(sum(disjoint), 0))
      from of_instruments) end)`;
}
