import type { SourceHealthStore, ToldReport } from '../../../domain/market/source-health.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresSourceHealth(sql: Sql): SourceHealthStore {
  return {
    tell: (process, reports, now) =>
      sql.atomically(async (own) => {
        await own.rows(FORGET, [process, now]);
        await own.rows(TELL, [process, now, JSON.stringify(reports)]);
      }),
    told: (since) => sql.rows<ToldReport>(TOLD, [since]),
  };
}

const FORGET = `
  delete from app.source_health where process = $1 or told_at < $2::timestamptz - interval '1 day'`;

const TELL = `
  insert into app.source_health (process, source, serves, state, failures, last_error_at, last_success_at, told_at)
  select $1, source, serves, state, failures, last_error_at, last_success_at, $2
  from jsonb_to_recordset($3::jsonb) as r(source text, serves text, state text, failures int,
    last_error_at timestamptz, last_success_at timestamptz)
  on conflict (process, source) do nothing`;

const TOLD = `
  select process, source, serves, state, failures, last_error_at, last_success_at, told_at
  from app.source_health where told_at >= $1 order by source collate "C", process collate "C"`;
