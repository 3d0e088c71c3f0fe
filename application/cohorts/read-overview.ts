import { createHmac } from 'node:crypto';
import { ALL_TIME, type Period, periodsWithin } from '../../domain/cohorts/calendar-periods.ts';
import { type CohortFilter, evaluatedUntil, withoutAsOf } from '../../domain/cohorts/cohort-filter.ts';
import type { CohortReader, CohortSummary, OwnerProof } from '../../domain/cohorts/cohort-reader.ts';
import { NO_RECORD_FACTS, type Overview, overviewOf, type RecordFacts } from '../../domain/cohorts/cohort-views.ts';
import { type OwnerShare, ownerShare, shareSize } from '../../domain/cohorts/owner-share.ts';
import {
  type CohortRules,
  inPeriod,
  mayBeJudged,
  needsSurePart,
  partThresholds,
  reasonToWithhold,
  type SuppressionReason,
  shownUngraded,
  type Thresholds,
} from '../../domain/cohorts/suppression.ts';
import { countsUngraded } from '../../domain/cohorts/ungraded-cohort.ts';
import { COHORT } from '../../domain/limits.ts';
import type { Settings } from '../ports.ts';
import { derivedKey, type SecretValues } from '../sealed-secret.ts';

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
  summary: CohortSummary,
): Promise<RecordFacts> {
  const { result, moment, edition } = summary;
  // The database would read mostWindows records before it returns null.
  const countsWindows = result.samples <= COHORT.mostWindows;
  const [windows, largest_owner_share, ungraded] = await Promise.all([
    countsWindows ? cohorts.windows(filter, moment, edition) : null,
    readOwnerShare(cohorts, filter, summary, settings),
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

/**
 * The share of the largest owner of a cohort that may be shown (settled.md section 14); null where none is shown, and
 * when so many records have ceased to be public since they were counted that the sample is not full.
 */
async function readOwnerShare(
  cohorts: Pick<CohortReader, 'largestOwner'>,
  filter: CohortFilter,
  { result: { samples }, moment, edition }: CohortSummary,
  { wisdom, sessionSecret }: Pick<Settings, 'wisdom' | 'sessionSecret'>,
): Promise<OwnerShare | null> {
  const size = shareSize(filter, samples, wisdom.minSamples);
  if (size === null) return null;
  const largest = await cohorts.largestOwner(filter, moment, size, edition);
  if (largest === null) return null;
  // One owner is enough to show a cohort: nothing is protected.
  const lean = wisdom.minProducers > 1 ? leanOf(largest.sample, sessionSecret) : 0;
  return ownerShare(largest.records, size, lean);
}

/** Evenly spread from -1 to 1, and the same for the same records, so that repeated queries show no more. */
export function leanOf(sample: string, secret: SecretValues): number {
  const mac = createHmac('sha256', derivedKey(secret, 'largest owner share')).update(sample).digest();
  return mac.readUInt32BE() / 2 ** 31 - 1;
}

interface Summariser {
  summarise(filter: CohortFilter, producers: number): Promise<CohortSummary>;
}

/** The counts of a cohort, and why they are withheld; null when they may be shown. */
interface JudgedCohort {
  readonly summary: CohortSummary;
  readonly reason: SuppressionReason | null;
}

/**
 * Counts a cohort and judges whether it may be shown (settled.md section 6, docs/cohorts.md). A whole cohort is shown
 * from the thresholds on; one narrowed by `result_bucket`, `method`, `grid` and time bounds must also contain a calendar
 * period that meets them by itself. The only question about producers is whether there are at least the required number.
 */
export async function judgeCohort(
  reader: Pick<CohortReader, 'summarise'>,
  filter: CohortFilter,
  thresholds: CohortRules,
): Promise<JudgedCohort> {
  const cohorts = onceEach(reader, thresholds.ownerProof);
  const summary = await cohorts.summarise(filter, thresholds.minProducers);
  const reason = reasonToWithhold(summary, thresholds);
  if (reason !== null || !needsSurePart(summary, thresholds)) return { summary, reason };
  const isSure = await holdsSurePart(cohorts, filter, summary.whole.samples, partThresholds(thresholds));
  return { summary, reason: isSure ? null : 'narrowed_too_far' };
}

/** Asks each question once: the first period is all of time, and without bounds a period and its part are equal. */
function onceEach(cohorts: Pick<CohortReader, 'summarise'>, ownerProof: OwnerProof): Summariser {
  const answers = new Map<string, Promise<CohortSummary>>();
  return {
    summarise(filter, producers) {
      const question = JSON.stringify([producers, ...Object.entries(filter).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
      const answer = answers.get(question) ?? cohorts.summarise(filter, producers, ownerProof);
      answers.set(question, answer);
      return answer;
    },
  };
}

/**
 * The choice of periods depends on public facts only: of the producers only the answer for a period ends the search.
 */
async function holdsSurePart(cohorts: Summariser, filter: CohortFilter, whole: number, thresholds: Thresholds) {
  let looks = 0;
  let periods: readonly Period[] = [ALL_TIME];
  while (periods.length > 0) {
    const smaller: Period[] = [];
    for (const period of periods) {
      if (++looks > COHORT.mostPeriods) return false;
      const look = await lookAt(cohorts, filter, period, whole, thresholds);
      if (look === 'sure') return true;
      smaller.push(...look);
    }
    periods = smaller;
  }
  return false;
}

/** `sure` when all records of the period are in the result and enough for it; else the smaller periods to check. */
async function lookAt(
  cohorts: Summariser,
  filter: CohortFilter,
  period: Period,
  whole: number,
  { minProducers, minSamples }: Thresholds,
): Promise<'sure' | readonly Period[]> {
  const { result: part } = await cohorts.summarise(inPeriod(withoutAsOf(filter), period), minProducers);
  if (part.samples < minSamples || part.earliest === null || part.latest === null) return [];
  const summary = await cohorts.summarise(inPeriod(withoutTime(filter), period), minProducers);
  const { result: all } = summary;
  const isWhole = all.samples === part.samples && (await isGraded(cohorts, filter, period, summary, minProducers));
  if (!isWhole || !mayBeJudged(all.samples, whole, { minProducers, minSamples })) {
    return periodsWithin(period, part.earliest, earlier(part.latest, filter.as_of));
  }
  // A smaller period within it has no more producers.
  return all.enoughProducers ? 'sure' : [];
}

/** Whether all records of the period were graded by `as_of`. */
async function isGraded(
  cohorts: Summariser,
  filter: CohortFilter,
  period: Period,
  { result: all, lastGraded }: CohortSummary,
  producers: number,
): Promise<boolean> {
  const until = evaluatedUntil(filter);
  if (until === undefined) return true;
  if (lastGraded !== null) return lastGraded <= until;
  const { result: graded } = await cohorts.summarise(inPeriod(filter, period), producers);
  return graded.samples === all.samples;
}

function earlier(a: Date, b: Date | undefined): Date {
  return b && b < a ? b : a;
}

function withoutTime(filter: CohortFilter): CohortFilter {
  const { data_cutoff_since: _since, data_cutoff_until: _until, as_of: _asOf, ...untimed } = filter;
  return untimed;
}
