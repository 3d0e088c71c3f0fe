import type { ResultBucket } from '../../grading/outcome.ts';
import { COHORT } from '../../limits.ts';
import type { Market } from '../../market/venues.ts';
import type { Direction } from '../call.ts';
import type { Decision } from '../decision.ts';
import type { Knowledge } from '../submission/submission.ts';
import {
  countsOf,
  distributionOf,
  hasOutcome,
  type RecordCounts,
  type RecordGroupCount,
  type ResultDistribution,
} from './record-counts.ts';
import type { WindowCounts } from './window-counts.ts';

/**
 * The facets of a track record. A record is counted once in each facet in which it has a key. `owner` counts the records
 * of all agents of the owner, the others those of one agent.
 */
export type Facet = 'all' | 'direction' | 'symbol' | 'month' | 'confidence' | 'owner';

/** The number of records with the same key of a facet, group and reason. */
export interface FacetTally<Named extends string = Facet> extends RecordGroupCount {
  readonly facet: Named;
  /**
   * Empty for `all` and `owner`, the direction, `market:symbol`, the UTC month `YYYY-MM`, the tenth of the confidence from
   * `0` to `9`.
   */
  readonly key: string;
}

/** The number of records with the same key of a facet, origin, group and reason. Several tallies may count the same key. */
export interface RecordTally extends FacetTally<Facet> {
  readonly submission_origin: Decision['submission_origin'];
  /** Of submission_time. Tallies of other facets than `all` may have the times of `all`. */
  readonly first: Date;
  readonly last: Date;
}

/** The track record of settled.md section 6: raw counts of realtime records, with those of retroactive ones apart. */
export interface TrackRecord extends CountedFacets {
  readonly agent_id: string;
  readonly retroactive: CountedFacets;
  readonly all_agents: AllAgentsCounts;
}

/** Tallies of one agent and of all agents of its owner. */
export interface AgentTallies {
  /** The agents of the owner, also those without records. */
  readonly agent_count: number;
  readonly tallies: readonly RecordTally[];
  /** Of the evaluated records of the agent; see `windowCountsUpToLimit`. */
  readonly windows: Readonly<Record<Decision['submission_origin'], WindowCounts | null>>;
  /** The records of the agent by what the model knew (`knowledgeOf`); null of more than COHORT.mostWindows. */
  readonly knowledge: Readonly<Record<Decision['submission_origin'], readonly KnowledgeTally[] | null>>;
  /** The records of the agent that are further horizons of decision groups (`isFurtherHorizon`). */
  readonly further: Readonly<Record<Decision['submission_origin'], number>>;
}

/** The number of records with data from before, or after, the end of what their model knew. */
export interface KnowledgeTally extends RecordGroupCount {
  readonly key: Knowledge;
}

export interface CountedFacets extends RecordCounts {
  /** The records where a decision group counts once, by the horizon that leads. */
  readonly calls: number;
  /** How much these overlap, of those that are evaluated; null for more than COHORT.mostWindows. */
  readonly windows: WindowCounts | null;
  readonly by_direction: Readonly<Record<Direction, RecordCounts>>;
  /** Null for more than COHORT.mostWindows records. */
  readonly by_knowledge_cutoff: Readonly<Record<Knowledge, RecordCounts>> | null;
  /** The symbols with the most submissions, at most 20. */
  readonly by_symbol: readonly (RecordCounts & { readonly market: Market; readonly symbol: string })[];
  /** The months with submissions, in order. */
  readonly by_month: readonly (RecordCounts & { readonly month: string })[];
  readonly first_submission: Date | null;
  readonly last_submission: Date | null;
  /** The outcomes of decisions by their stated confidence; absent where no record has both. */
  readonly calibration?: readonly ConfidenceBand[];
}

export interface ConfidenceBand {
  readonly confidence_from: number;
  /** Exclusive, except for 1. */
  readonly confidence_to: number;
  readonly result_distribution: ResultDistribution;
}

/**
 * Counts realtime records at the top, and retroactive ones apart (settled.md section 6).
 * @param result_bucket the filter of the tallies; under it no counts show `had_said`
 */
export function trackRecord(
  agent_id: string,
  { agent_count, tallies, windows, knowledge, further }: AgentTallies,
  result_bucket: ResultBucket | null = null,
): TrackRecord {
  const count: Count = result_bucket ? (all) => ({ ...countsOf(all), had_said: null }) : countsOf;
  const of = (origin: Decision['submission_origin']) =>
    countedFacets(
      tallies.filter(({ submission_origin }) => submission_origin === origin),
      { windows: windows[origin], knowledge: knowledge[origin], further: further[origin] },
      count,
    );
  const ofOwner = agentCounts(
    tallies.filter(({ facet }) => facet === 'owner'),
    count,
  );
  return { agent_id, ...of('realtime'), retroactive: of('retroactive'), all_agents: { agent_count, ...ofOwner } };
}

/** The counts of an agent in a list: realtime records, and retroactive ones apart. */
export interface AgentCounts extends RecordCounts {
  readonly retroactive: RecordCounts;
}

/** The counts of all agents of an owner, next to those of one agent: an owner may show the best of many agents. */
export interface AllAgentsCounts extends AgentCounts {
  /** Also of agents without records. */
  readonly agent_count: number;
}

type Count = typeof countsOf;
type KeyedTally = RecordGroupCount & Pick<FacetTally, 'key'>;

/** @param tallies of the facet `all` or `owner` */
export function agentCounts(
  tallies: readonly Pick<RecordTally, 'submission_origin' | 'record_group' | 'ungraded' | 'move' | 'records'>[],
  count: Count = countsOf,
): AgentCounts {
  const of = (origin: Decision['submission_origin']) =>
    count(tallies.filter(({ submission_origin }) => submission_origin === origin));
  return { ...of('realtime'), retroactive: of('retroactive') };
}

/** The tenth of 0..1 that contains a confidence, 0 to 9; 1 is in the last. */
export function confidenceTenth(confidence: number): number {
  return Math.min(9, Math.floor(confidence * 10));
}

function countedFacets(
  tallies: readonly RecordTally[],
  {
    windows,
    knowledge,
    further,
  }: {
    readonly windows: WindowCounts | null;
    readonly knowledge: readonly KnowledgeTally[] | null;
    readonly further: number;
  },
  count: Count,
): CountedFacets {
  const of = (wanted: Facet) => tallies.filter(({ facet }) => facet === wanted);
  const all = of('all');
  const calibration = calibrationOf(of('confidence'));
  const counts = count(all);
  return {
    ...counts,
    calls: counts.submission_count - further,
    windows,
    by_direction: byDirection(of('direction'), count),
    by_knowledge_cutoff: knowledge && byKnowledge(knowledge, count),
    by_symbol: bySymbol(of('symbol'), count),
    by_month: byMonth(of('month'), count),
    first_submission: outermost(all, 'first', Math.min),
    last_submission: outermost(all, 'last', Math.max),
    ...(calibration.length > 0 ? { calibration } : {}),
  };
}

/** @param tallies of the facet `direction` */
export function byDirection(tallies: readonly KeyedTally[], count: Count = countsOf): CountedFacets['by_direction'] {
  const of = (direction: Direction) => count(tallies.filter(({ key }) => key === direction));
  return { bullish: of('bullish'), bearish: of('bearish'), neutral: of('neutral') };
}

function bySymbol(tallies: readonly RecordTally[], count: Count): CountedFacets['by_symbol'] {
  const counted = byKey(tallies).map(([key, same]) => {
    const colon = key.indexOf(':');
    return { market: key.slice(0, colon) as Market, symbol: key.slice(colon + 1), ...count(same) };
  });
  // byKey returns the order of the keys, and the sort is stable.
  return counted.toSorted((a, b) => b.submission_count - a.submission_count).slice(0, COHORT.trackRecordSymbols);
}

export function byKnowledge(
  tallies: readonly KeyedTally[],
  count: Count = countsOf,
): Readonly<Record<Knowledge, RecordCounts>> {
  const of = (wanted: Knowledge) => count(tallies.filter(({ key }) => key === wanted));
  return { before: of('before'), after: of('after'), without: of('without') };
}

/** @param tallies of the facet `month` */
export function byMonth(tallies: readonly KeyedTally[], count: Count = countsOf): CountedFacets['by_month'] {
  return byKey(tallies).map(([month, same]) => ({ month, ...count(same) }));
}

/** @param tallies of the facet `confidence` */
export function calibrationOf(tallies: readonly KeyedTally[]): ConfidenceBand[] {
  const readable = tallies.filter((tally) => hasOutcome(tally) && TENTH.test(tally.key));
  return byKey(readable).map(([tenth, same]) => ({
    confidence_from: Number(tenth) / 10,
    confidence_to: (Number(tenth) + 1) / 10,
    result_distribution: distributionOf(same),
  }));
}

/** Of a confidence from 0 to 1: one that is stored as something else is in no band. */
const TENTH = /^[0-9]$/;

function byKey(tallies: readonly KeyedTally[]): [string, KeyedTally[]][] {
  return [...Map.groupBy(tallies, ({ key }) => key)].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function outermost(tallies: readonly RecordTally[], end: 'first' | 'last', pick: typeof Math.min): Date | null {
  const [one, ...rest] = tallies.map((tally) => tally[end].getTime());
  return one === undefined ? null : new Date(rest.reduce((a, b) => pick(a, b), one));
}
