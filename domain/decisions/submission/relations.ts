import type { ProblemDetail } from '../../problem.ts';
import type { LifecycleState } from '../lifecycle.ts';
import { mayRead } from '../visibility.ts';
import type { RefusedRelation } from './decision-intake.ts';
import type { RelatedRecord } from './submission.ts';

/** The fields that decide whether another record may point to this one. */
export interface RelationTarget {
  readonly record_id: string;
  readonly owner_id: string;
  readonly agent_id: string;
  readonly data_cutoff: Date;
  readonly lifecycle_state: LifecycleState;
}

interface Source {
  readonly owner_id: string;
  readonly agent_id: string;
  readonly data_cutoff: Date;
  readonly related: readonly RelatedRecord[];
}

/**
 * The relations that settled.md section 4 refuses: to a record that the caller may not see, whose data are later, or
 * that another agent would supersede. `targets` are the existing ones of the named records.
 */
export function refusedRelations(source: Source, targets: readonly RelationTarget[]): RefusedRelation[] {
  const byId = new Map(targets.map((target) => [target.record_id, target]));
  return source.related.flatMap(({ record_id, relation }, index): RefusedRelation[] => {
    const target = byId.get(record_id);
    if (!target || !mayRead(target, source.owner_id)) return [{ index, reason: 'unseen' }];
    if (target.data_cutoff > source.data_cutoff) return [{ index, reason: 'later' }];
    return relation === 'supersedes' && target.agent_id !== source.agent_id ? [{ index, reason: 'other_agent' }] : [];
  });
}

const ADVICE = {
  unseen: 'Name a record of your own or a public one; this one does not exist for you.',
  later: 'Name a record whose data_cutoff is not later than that of this submission.',
  other_agent: 'Use supersedes only for a record of the same agent; references fits others.',
} as const;

/** The refused relations as faults of the submission. */
export function relationFaults(
  related: readonly RelatedRecord[],
  refused: readonly RefusedRelation[],
): ProblemDetail[] {
  return refused.map(({ index, reason }) => {
    const field = reason === 'other_agent' ? 'relation' : 'record_id';
    const path = `related_records.${index}.${field}`;
    return { path, message: ADVICE[reason], received: related[index]?.[field] };
  });
}
