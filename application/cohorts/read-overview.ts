import type { CohortFilter } from '../../domain/cohorts/cohort-filter.ts';
import type { CohortReader, CohortSummary } from '../../domain/cohorts/cohort-reader.ts';
import { NO_RECORD_FACTS, type Overview, overviewOf, type RecordFacts } from '../../domain/cohorts/cohort-views.ts';
import { partThresholds, shownUngraded } from '../../domain/cohorts/suppression.ts';
import { countsUngraded } from '../../domain/cohorts/ungraded-cohort.ts';
import { COHORT } from '../../domain/limits.ts';
import type { Settings } from '../ports.ts';
import { type JudgedCohort, judgeCohort } from './judge-cohort.ts';
import { readOwnerShare } from './read-owner-share.ts';

export interface JudgedOverview extends JudgedCohort {
  readonly overview: Overview;
}

type OverviewReader = Pick<CohortReader, 'summarise' | 'windows' | 'largestOwner' | 'ungraded'>;
type OverviewSettings = Pick<Settings, 'wisdom' | 'sessionSecret'>;

/** Judges a cohort and reads what its overview shows; of a withheld cohort nothing more is read. */
export async function readOverview(
  cohorts: OverviewReader,
  filter: CohortFilter,
  settings: OverviewSettings,
): Promise<JudgedOverview> {
  const { summary, reason } = await judgeCohort(cohorts, filter, settings.wisdom);
  const facts = reason === null ? await readFacts(cohorts, filter, settings, summary) : NO_RECORD_FACTS;
  return { summary, reason, overview: overviewOf(filter, summary.result, reason, settings.wisdom, facts) };
}

async function readFacts(
  cohorts: OverviewReader,
  filter: CohortFilter,
  settings: OverviewSettings,
  { result: { samples }, moment }: CohortSummary,
): Promise<RecordFacts> {
  // The database would read mostWindows records before it returns null.
  const countsWindows = samples <= COHORT.mostWindows;
  const [windows, largest_owner_share, ungraded] = await Promise.all([
    countsWindows ? cohorts.windows(filter, moment) : null,
    readOwnerShare(cohorts, filter, { samples, moment }, settings),
    readUngraded(cohorts, filter, settings.wisdom),
  ]);
  return { windows, largest_owner_share, ungraded };
}

async function readUngraded(
  cohorts: Pick<CohortReader, 'ungraded'>,
  filter: CohortFilter,
  rules: Settings['wisdom'],
): Promise<RecordFacts['ungraded']> {
  if (!countsUngraded(filter)) return null;
  const ungraded = await cohorts.ungraded(filter, partThresholds(rules).minProducers, rules.ownerProof);
  return ungraded && shownUngraded(ungraded, rules);
}
