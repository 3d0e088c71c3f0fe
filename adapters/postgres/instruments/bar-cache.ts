import { randomUUID } from 'node:crypto';
import {
  allBarsOf,
  type BarCache,
  type BarStretch,
  barsOfText,
  barText,
  type CachedSeries,
  type StoredStretch,
} from '../../../domain/market/bar-cache.ts';
import { type BarSize, lengthOf } from '../../../domain/market/bars.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import type { Millis } from '../../../domain/time.ts';
import { ALL_NAMES } from '../decisions/evaluation-ends.ts';
import { deleteExpired } from '../kit/expired-rows.ts';
import type { Sql } from '../kit/sql.ts';

/** Stretches as rows of at most this many bars, so that a short look never reads years. */
const BARS_OF_A_ROW = 512;

/** SQL by hand: batches, on the path of evaluations. */
export function postgresBarCache(sql: Sql): BarCache {
  return {
    async find(series, from, to) {
      const longest = BARS_OF_A_ROW * lengthOf(series.size);
      const rows = await sql.rows<Row>(FIND, [keyOf(series), series.basis, from, to, to + longest], 'find-bars');
      return rows.map((row) => stretchOf(row, from, to));
    },
    async keep(series, stretch, names = ALL_NAMES) {
      const rows = parts(series.size, stretch).map(({ from, to, bars }) => ({ from, to, bars: barText(bars) }));
      await sql.rows(KEEP, [keyOf(series), series.basis, randomUUID(), JSON.stringify(rows), names]);
    },
    async days(limit) {
      const rows = await sql.rows<Row & { readonly series: string }>(DAYS, [limit]);
      return [...Map.groupBy(rows, ({ series }) => series)].map(([series, parts]) => {
        const [source = '', instrument = ''] = series.split(' 1d ');
        return { source, instrument, bars: allBarsOf(parts.map((row) => stretchOf(row, row.since, row.until))) };
      });
    },
    prune: (basis) => {
      const condition = 'basis <> 0 and basis < $3';
      return deleteExpired(sql, { table: 'bar_stretches', condition, values: [basis] });
    },
  };
}

interface Row {
  readonly fetch: string;
  readonly since: Millis;
  readonly until: Millis;
  readonly bars: string;
}

function keyOf({ source, size, instrument }: CachedSeries): string {
  return `${source} ${size} ${instrumentKey(instrument)}`;
}

function stretchOf({ fetch, since, until, bars }: Row, from: Millis, to: Millis): StoredStretch {
  const overlapping = barsOfText(bars).filter(({ start, end }) => start < to && end > from);
  return { fetch, from: since, to: until, bars: overlapping };
}

/** A stretch cut at multiples of the longest row, whatever bars there are. */
function parts(size: BarSize, { from, to, bars }: BarStretch): BarStretch[] {
  const longest = BARS_OF_A_ROW * lengthOf(size);
  const first = Math.floor(from / longest);
  return Array.from({ length: Math.ceil(to / longest) - first }, (_, i) => {
    const [begin, end] = [Math.max(from, (first + i) * longest), Math.min(to, (first + i + 1) * longest)];
    return { from: begin, to: end, bars: bars.filter(({ start }) => start >= begin && start < end) };
  });
}

const FIND = `
  select fetch_id as fetch, since::float8 as since, until::float8 as until, bars from app.bar_stretches
  where series = $1 and basis = $2 and until > $3 and until < $5 and since < $4
  order by stretch_id`;

const DAYS = `
  with newest as (
    select series, max(basis) as basis from app.bar_stretches where series like '% 1d %'
    group by series order by series collate "C" limit $1
  )
  select series, fetch_id as fetch, since::float8 as since, until::float8 as until, bars
  from newest join app.bar_stretches using (series, basis)
  order by series collate "C", stretch_id`;

/** What a crash loses of it is fetched again, so that no caller waits for the disk. */
const KEEP = `
  with unflushed as materialized (
    select set_config('synchronous_commit', 'off', true), app.may_end(names => $5) as known
  )
  insert into app.bar_stretches (series, basis, fetch_id, since, until, bars)
  select $1, $2, $3, p."from", p."to", p.bars
  from unflushed, jsonb_to_recordset($4::jsonb) as p("from" bigint, "to" bigint, bars text)
  where unflushed.known = 'end'`;
