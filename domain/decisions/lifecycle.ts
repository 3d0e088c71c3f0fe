/** The states of a record (settled.md section 5); quarantined is terminal, archived is a mark beside the state. */
export const LIFECYCLE_STATES = [
  'pending_verify',
  'verified',
  'rejected',
  'evaluating',
  'deferred',
  'data_unavailable',
  'evaluated',
  'quarantined',
] as const;
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];

export type Progress = 'awaiting_verification' | 'tracking' | 'awaiting_evaluation' | 'closed' | 'unavailable';

/** What `/state` says in one word (settled.md section 5). */
export function progress(state: LifecycleState, endTime: Date, now: Date): Progress {
  switch (state) {
    case 'pending_verify':
      return 'awaiting_verification';
    case 'verified':
      return now < endTime ? 'tracking' : 'awaiting_evaluation';
    case 'evaluating':
    case 'deferred':
      return 'awaiting_evaluation';
    case 'evaluated':
      return 'closed';
    case 'rejected':
    case 'data_unavailable':
    case 'quarantined':
      return 'unavailable';
  }
}

/** Public-visible = evaluated and not quarantined (settled.md section 5). */
export function isPublic(record: { readonly lifecycle_state: LifecycleState }): boolean {
  return record.lifecycle_state === 'evaluated';
}
