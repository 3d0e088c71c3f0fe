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
 * Whether an owner may read a record: a public one everybody, every other one only its own owner. A record may be
 * pointed to by those who may read it (settled.md sections 4 and 5).
 * @param owner_id of the reader; null for an anonymous reader
 */
export function mayRead(record: InState & Pick<Decision, 'owner_id'>, owner_id: string | null): boolean {
  return isPublic(record) || record.owner_id === owner_id;
}

/**
 * Whether others may see that a record received at `submission_time` points to the target: the target is public now and
 * was so then (see `RelatedDecision`).
 */
export function isPublicTarget(
  target: InState & Pick<Decision, 'evaluated_at'>,
  { submission_time }: Pick<Decision, 'submission_time'>,
): boolean {
  return isPublic(target) && target.evaluated_at !== null && target.evaluated_at < submission_time;
}
