import type { Decision } from './decision.ts';
import type { LifecycleState } from './lifecycle.ts';

interface InState {
  readonly lifecycle_state: LifecycleState;
}

/** Public-visible = evaluated and not quarantined (settled.md section 5). */
export function isPublic({ lifecycle_state }: InState): boolean {
  return lifecycle_state === 'evaluated';
}

/**
 * Whether a record exists for an owner: a public one for everybody, every other for its own owner only. Who may read
 * a record may also point to it (settled.md sections 4 and 5).
 * @param owner_id of the reader; null for nobody in particular
 */
export function mayRead(record: InState & Pick<Decision, 'owner_id'>, owner_id: string | null): boolean {
  return isPublic(record) || record.owner_id === owner_id;
}

/**
 * Whether others may see that a record received at `submission_time` points to the target: it is public now and was so
 * then (see `RelatedDecision`).
 */
export function isPublicTarget(
  target: InState & Pick<Decision, 'evaluated_at'>,
  { submission_time }: Pick<Decision, 'submission_time'>,
): boolean {
  return isPublic(target) && target.evaluated_at !== null && target.evaluated_at < submission_time;
}
