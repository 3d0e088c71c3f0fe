import pg from 'pg';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import type { PublicRow } from '../../../domain/decisions/views/public-views.ts';
import { onClient } from '../stage/client.ts';

export interface Shape {
  readonly name: string;
  readonly filter: CohortFilter;
}

/** Queries about the most popular crypto instrument of the universe, which is the most work, and about all of them. */
export async function shapesOf(url: string): Promise<readonly Shape[]> {
  const { market, symbol, venue, asset_class, quote_currency, cohort_key, horizon_kind, horizon_value, direction } =
    await popular(url);
  const all = { market, include_retroactive: false } as const;
  const window = {
    data_cutoff_since: new Date('2024-05-13T07:31:00Z'),
    data_cutoff_until: new Date('2024-08-11T07:31:00Z'),
  };
  const long = {
    data_cutoff_since: new Date('2023-01-20T07:31:00Z'),
    data_cutoff_until: new Date('2025-10-11T07:31:00Z'),
  };
  const as_of = new Date('2025-02-20T09:15:00Z');
  const call = { direction, analysis_class: 'opinion', perspective_type: 'technical' } as const;
  const instrument = { symbol, venue, asset_class, quote_currency };
  const horizon = { horizon_kind, horizon_value };
  const everything = { ...all, ...instrument, ...call, ...horizon, ...window, cohort_key };
  return [
    { name: 'market alone', filter: all },
    { name: 'direction', filter: { ...all, direction: 'bearish' } },
    { name: 'one symbol', filter: { ...all, symbol } },
    { name: 'pinned instrument', filter: { ...all, ...instrument } },
    { name: 'rare class', filter: { ...all, analysis_class: 'trade_plan' } },
    { name: 'venue alone', filter: { ...all, venue } },
    { name: 'horizon kind and value', filter: { ...all, ...horizon } },
    { name: '90-day window', filter: { ...all, ...window } },
    { name: 'bucket', filter: { ...all, result_bucket: 'strong_incorrect' } },
    { name: 'method', filter: { ...all, method: 'eval/2' } },
    { name: 'coarse grid', filter: { ...all, grid: 'coarse' } },
    { name: 'everything at once', filter: { ...everything, result_bucket: 'weak_correct', include_retroactive: true } },
    { name: 'horizon, 33 months', filter: { ...all, ...horizon, ...long } },
    { name: 'venue, 33 months', filter: { ...all, venue, ...long } },
    { name: 'venue, horizon, 33 mo.', filter: { ...all, venue, ...horizon, ...long } },
    { name: 'venue, direction, 33 mo.', filter: { ...all, venue, direction, ...long } },
    { name: 'instrument, 33 months', filter: { ...all, ...instrument, ...long } },
    { name: 'as_of', filter: { ...all, as_of } },
    { name: 'as_of, horizon', filter: { ...all, ...horizon, as_of } },
    { name: 'as_of, venue', filter: { ...all, venue, as_of } },
    { name: 'as_of, symbol', filter: { ...all, symbol, as_of } },
  ];
}

type Popular = Pick<
  PublicRow,
  | 'market'
  | 'symbol'
  | 'venue'
  | 'asset_class'
  | 'quote_currency'
  | 'cohort_key'
  | 'horizon_kind'
  | 'horizon_value'
  | 'direction'
>;

/** A usual record of the most popular instrument. */
async function popular(url: string): Promise<Popular> {
  return onClient(url, async (client) => {
    const { rows } = await client.query<Popular>(POPULAR);
    const [record] = rows;
    if (!record) throw new Error('The universe has no crypto records.');
    return record;
  });
}

const POPULAR = `
  select d.market, d.symbol, d.venue, d.asset_class, d.quote_currency, d.cohort_key, d.horizon_kind, d.horizon_value,
    d.direction
  from app.decisions d
  join (select * from bench.instruments where market = 'crypto' order by place limit 1) i
    using (market, symbol, venue, asset_class, quote_currency)
  where d.direction = 'bullish' and d.analysis_class = 'opinion' and d.horizon_value = 86400 limit 1`;

/** SQL that counts the numbers of the overview from the records, without cells. The values are ours, so they are safe. */
export function plainCount(filter: CohortFilter): string {
  const { include_retroactive, data_cutoff_since, data_cutoff_until, as_of, ...equal } = filter;
  const conditions = [
    `lifecycle_state = 'evaluated'`,
    ...Object.entries(equal).map(([name, value]) => `${name} = ${pg.escapeLiteral(String(value))}`),
    ...(include_retroactive ? [] : [`submission_origin = 'realtime'`]),
    ...(data_cutoff_since ? [`data_cutoff >= '${data_cutoff_since.toISOString()}'`] : []),
    ...(data_cutoff_until ? [`data_cutoff < '${data_cutoff_until.toISOString()}'`] : []),
    ...(as_of ? [`evaluated_at <= date_trunc('minute', timestamptz '${as_of.toISOString()}')`] : []),
  ];
  return `select perspective_type, result_bucket, submission_origin, count(*), min(data_cutoff), max(data_cutoff),
      count(distinct owner_id)
    from app.decisions where ${conditions.join(' and ')} group by 1, 2, 3`;
}
