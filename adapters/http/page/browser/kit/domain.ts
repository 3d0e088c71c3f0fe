// What the page runs of the domain and of the client's statistics, so that no rule and no number is written twice. It is served with all that it needs.
export { readShare, wilsonInterval } from '../../../../../clients/typescript/stats/counted-share.ts';
export { SECURITY_EVENT_KINDS } from '../../../../../domain/accounts/security-event.ts';
export { namedPeriod } from '../../../../../domain/cohorts/calendar-periods.ts';
export { DIRECTIONS } from '../../../../../domain/decisions/call.ts';
export { LIFECYCLE_STATES, UNAVAILABLE_STATES } from '../../../../../domain/decisions/lifecycle.ts';
export { EVENT_TYPES, SENT_EVENT_TYPES } from '../../../../../domain/events/event.ts';
export { bucketOf } from '../../../../../domain/grading/bucket.ts';
export { GRADING } from '../../../../../domain/grading/method-numbers.ts';
export { RESULT_BUCKETS } from '../../../../../domain/grading/outcome.ts';
export { proofOf } from '../../../../../domain/log/tree/proof.ts';
export { wantsNotices } from '../../../../../domain/mail/notices.ts';
export { barsOfText } from '../../../../../domain/market/bar-cache.ts';
export { withShownTexts } from '../../../../../domain/shown-text.ts';
export { crc32 } from '../../../../../domain/zip.ts';
