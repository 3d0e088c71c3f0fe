import { moveRangeOf } from '../../../domain/decisions/own/record-counts.ts';
import { countsByBucket, uncountedReason } from '../../../domain/decisions/ungraded.ts';
import { identityOf } from '../../../domain/market/instrument.ts';
import { type RecallReader, type RecallRow, type RecallSubject, recallWords } from '../../../domain/recall/recall.ts';
import type { DecisionRow, DecisionTables } from './decision-tables.ts';

export function memoryRecall({ decisions, notes }: Pick<DecisionTables, 'decisions' | 'notes'>): RecallReader {
  return {
    async newest(subject, as_of, sealedEnds, most) {
      const rows = decisions.where(
        (row) => isOfAgent(row, subject) && isAbout(row, subject) && row.submission_time <= as_of,
      );
      return rows
        .toSorted(
          (a, b) => Number(b.submission_time) - Number(a.submission_time) || (a.record_id < b.record_id ? 1 : -1),
        )
        .slice(0, most)
        .map((row) => recallRow(row, sealedEnds ? as_of : null));
    },

    async wordsOf(ids) {
      const rows = ids.flatMap((id) => decisions.get(id) ?? []);
      return new Map(rows.map(({ record_id, submission, facts }) => [record_id, recallWords(submission, facts)]));
    },

    async notedElsewhere(subject, as_of, most) {
      return notes
        .where((note) => isOfAgent(note, subject) && note.text !== null && note.written_at <= as_of)
        .toSorted(
          (a, b) =>
            Number(b.written_at) - Number(a.written_at) ||
            (a.record_id === b.record_id ? b.number - a.number : a.record_id < b.record_id ? 1 : -1),
        )
        .slice(0, most)
        .flatMap(({ record_id, number, text, written_at }) => {
          const row = decisions.get(record_id);
          if (!row || isAbout(row, subject) || !countsByBucket(row)) return [];
          return [{ row: recallRow(row, null), note: { number, text, written_at } }];
        });
    },
  };
}

function isOfAgent(row: Pick<DecisionRow, 'owner_id' | 'agent_id'>, { owner_id, agent_id }: RecallSubject): boolean {
  return row.owner_id === owner_id && row.agent_id === agent_id;
}

function isAbout(row: DecisionRow, { market, symbol }: RecallSubject): boolean {
  return row.market === market && row.symbol === symbol;
}

/** @param sealedAt null, or the time by which a window without an outcome ends as the receipt says */
function recallRow(row: DecisionRow, sealedAt: Date | null): RecallRow {
  const { direction, horizon_kind, horizon_value, submission_origin, group_id, group_place, anchor_time } = row;
  const known_at = countsByBucket(row) ? row.evaluated_at : null;
  const isSealed = sealedAt !== null && (known_at === null || known_at > sealedAt);
  return {
    ...identityOf(row),
    ...{ id: row.record_id, direction, horizon_kind, horizon_value, submission_origin, group_id, group_place },
    confidence: row.submission.confidence ?? null,
    received_at: row.submission_time,
    anchor_time,
    end_time: isSealed ? new Date(row.receipt.end_time) : row.end_time,
    isQuarantined: row.lifecycle_state === 'quarantined',
    known_at,
    result_bucket: known_at && row.result_bucket,
    move: known_at && moveRangeOf(row),
    ungraded: uncountedReason(row),
  };
}
