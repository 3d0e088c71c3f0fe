import { canMove } from '../../../domain/decisions/lifecycle.ts';
import { judgeQuarantine, type Moderation, releasedState } from '../../../domain/decisions/moderation/moderation.ts';
import type { DecisionTables } from './decision-tables.ts';

export function memoryModeration({ decisions }: DecisionTables): Moderation {
  return {
    async quarantine(record_id, quarantine_reason, now) {
      const row = decisions.get(record_id);
      if (!row) return null;
      const verdict = judgeQuarantine(row, now);
      if (verdict === 'quarantined') {
        const ended = { lifecycle_state: 'quarantined', due_at: null, eval_token: null } as const;
        decisions.set(record_id, { ...row, ...ended, quarantine_reason });
      }
      return verdict;
    },

    async release(record_id) {
      const row = decisions.get(record_id);
      if (!row) return null;
      if (!canMove(row.lifecycle_state, 'release')) return { changed: false, lifecycle_state: row.lifecycle_state };
      const graded = row.evaluated_at !== null;
      const lifecycle_state = releasedState(graded);
      const attempts = graded ? row.attempts : 0;
      decisions.set(record_id, { ...row, lifecycle_state, attempts, last_error: null, quarantine_reason: null });
      return { changed: true, lifecycle_state };
    },
  };
}
