import type { QuarantinedPlace, QuarantinedRecords } from '../../../domain/decisions/moderation/quarantined-records.ts';
import type { DecisionTables } from './decision-tables.ts';

export function memoryQuarantined({ decisions }: Pick<DecisionTables, 'decisions'>): QuarantinedRecords {
  return {
    async list({ owner_id }, before, limit) {
      const rows = decisions
        .where(
          (row) =>
            row.lifecycle_state === 'quarantined' &&
            (owner_id === undefined || row.owner_id === owner_id) &&
            (before === null || order(row, before) > 0),
        )
        .toSorted(order)
        .slice(0, limit);
      return rows.map((row) => ({
        ...{ record_id: row.record_id, owner_id: row.owner_id, agent_id: row.agent_id },
        ...{ market: row.market, symbol: row.symbol, venue: row.venue, asset_class: row.asset_class },
        ...{ quote_currency: row.quote_currency, direction: row.direction, submission_time: row.submission_time },
        submission_origin: row.submission_origin,
        reason: row.quarantine_reason,
        graded: row.evaluated_at !== null,
      }));
    },
  };
}

/** The one submitted last first. */
function order(a: QuarantinedPlace, b: QuarantinedPlace): number {
  return b.submission_time.getTime() - a.submission_time.getTime() || b.record_id.localeCompare(a.record_id);
}
