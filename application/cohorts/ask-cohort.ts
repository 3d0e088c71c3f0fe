import { questionOf } from '../../domain/cohorts/question.ts';
import { questionHash } from '../../domain/plans/plan.ts';
import type { AskedBefore } from '../../domain/plans/plan-store.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import type { CohortQuery } from './cohort-filters.ts';
import { type Cohort, queryCohort } from './query-cohort.ts';

/** A cohort, with what its reader had asked and stated before. */
export interface AskedCohort extends Cohort {
  /** The first plan of the owner for exactly this question, whatever `as_of` and page; null for none. */
  readonly plan: Omit<NonNullable<AskedBefore['plan']>, 'plan_id'> | null;
  readonly queries_asked: number;
}

/**
 * `queryCohort` for an owner: counts the question, also where the cohort is withheld. A query that is refused is none.
 * @throws Problem as `queryCohort`
 */
export async function askCohort(
  ports: Parameters<typeof queryCohort>[0] & Pick<Ports, 'plans' | 'canonicalJson'>,
  owner_id: string,
  query: CohortQuery,
): Promise<AskedCohort> {
  const cohort = await queryCohort(ports, query);
  const { sort: _, limit: __, ...filter } = cohort.query;
  const question = questionHash(questionOf(filter), ports.canonicalJson, sha256);
  const { queries_asked, plan } = await ports.plans.ask(owner_id, question);
  return { ...cohort, queries_asked, plan: plan && { log_index: plan.log_index, stated_at: plan.stated_at } };
}
