import type { Decision } from '../../../domain/decisions/decision.ts';
import { canMove, type LifecycleState } from '../../../domain/decisions/lifecycle.ts';
import { judgeQuarantine, type Moderation, releasedState } from '../../../domain/decisions/moderation/moderation.ts';
import type { Sql } from '../kit/sql.ts';

/** The row is locked first, so that what is judged is what is changed: claims and ends of evaluations wait or go by. */
export function postgresModeration(sql: Sql): Moderation {
  return {
    quarantine: (record_id, reason, now) =>
      sql.atomically(async (own) => {
        const [record] = await own.rows<Pick<Decision, 'lifecycle_state' | 'due_at'>>(LOCK, [record_id]);
        if (!record) return null;
        const verdict = judgeQuarantine(record, now);
        if (verdict === 'quarantined') await own.rows(QUARANTINE, [record_id, reason, now]);
        return verdict;
      }),

    release: (record_id) =>
      sql.atomically(async (own) => {
        const [record] = await own.rows<{ lifecycle_state: LifecycleState; graded: boolean }>(LOCK, [record_id]);
        if (!record) return null;
        if (!canMove(record.lifecycle_state, 'release')) {
          return { changed: false, lifecycle_state: record.lifecycle_state };
        }
        const lifecycle_state = releasedState(record.graded);
        await own.rows(RELEASE, [record_id, lifecycle_state]);
        return { changed: true, lifecycle_state };
      }),
  };
}

const LOCK = `
  select lifecycle_state, due_at, evaluated_at is not null as graded from app.decisions
  where record_id = $1 for no key update`;

const QUARANTINE = `
  update app.decisions
  set lifecycle_state = 'quarantined', due_at = null, eval_token = null, quarantined_at = $3, quarantine_reason = $2
  where record_id = $1`;

const RELEASE = `
  update app.decisions set lifecycle_state = $2, quarantined_at = null, quarantine_reason = null, last_error = null,
    attempts = case when $2 = 'evaluated' then attempts else 0 end
  where record_id = $1`;
