import { UNAVAILABLE_STATES } from '../../../domain/decisions/lifecycle.ts';

const UNAVAILABLE = UNAVAILABLE_STATES.map((state) => `'${state}'`).join(', ');

/** `recordGroupOf` of a row `d` of app.decisions. */
export const RECORD_GROUP = `case when app.is_public(d.lifecycle_state) then d.result_bucket
  when d.lifecycle_state in (${UNAVAILABLE}) then 'unavailable' else 'pending' end`;

/** `ungradedReason` of a row `d` of app.decisions. */
export const UNGRADED_REASON = 'app.ungraded_reason(lifecycle_state => d.lifecycle_state, last_error => d.last_error)';
