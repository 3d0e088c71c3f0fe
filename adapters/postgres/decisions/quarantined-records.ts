import type {
  QuarantinedRecord,
  QuarantinedRecords,
} from '../../../domain/decisions/moderation/quarantined-records.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresQuarantined(sql: Sql): QuarantinedRecords {
  return {
    list: ({ owner_id = null }, before, limit) =>
      sql.rows<QuarantinedRecord>(LIST, [
        ...[before?.submission_time ?? null, before?.record_id ?? null],
        ...[owner_id, limit],
      ]),
  };
}

/** SQL by hand: a row comparison, on an index of these records alone. */
const LIST = `
  select record_id, owner_id, agent_id, market, symbol, venue, asset_class, quote_currency, direction, submission_time,
    submission_origin, quarantine_reason as reason, evaluated_at is not null as graded
  from app.decisions
  where lifecycle_state = 'quarantined'
    and ($1::timestamptz is null or (submission_time, record_id) < ($1::timestamptz, $2::text))
    and ($3::uuid is null or owner_id = $3::uuid)
  order by submission_time desc, record_id desc limit $4`;
