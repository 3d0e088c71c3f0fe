import type { AlikeRecords } from '../cohorts/cohort-reader.ts';
import type { CohortRules } from '../cohorts/suppression.ts';
import type { PerspectiveType } from '../decisions/call.ts';
import type { PublicRow } from '../decisions/views/public-views.ts';
import { ATLAS } from '../limits.ts';
import type { Instrument } from '../market/instrument.ts';
import type { Market } from '../market/venues.ts';

/** The least count that has a band: smaller ones are not shown, whatever the operator configures. */
export const LEAST_BANDED = ATLAS.countBands[0];

/**
 * Which public records are counted (evaluation.md section 1): `realtime` ones, received before their outcome could be
 * known, or `all` of them, retroactive ones too, as with `include_retroactive`.
 */
export const SCOPES = ['realtime', 'all'] as const;

/** The number of public records that have something in common and enough producers. */
export interface Tally {
  readonly samples: number;
}

/** The cohorts of one scope that reach the requested thresholds; only public records that cohorts count do. */
export interface Tallies {
  readonly instruments: readonly (Tally & Instrument)[];
  readonly perspectives: readonly (Tally & PerspectiveOf<{ readonly market: Market }>)[];
  readonly perspectivesOf: readonly (Tally & PerspectiveOf<OfInstrument>)[];
  /** By snapshot hash, of workflows with a public snapshot; the name is the published one. */
  readonly workflows: readonly (Tally & { readonly hash: string; readonly name: string })[];
  readonly workflowsOf: readonly (Tally & OfInstrument & { readonly hash: string })[];
}

interface OfInstrument {
  /** Its key: `instrumentKey`. */
  readonly instrument: string;
}
type PerspectiveOf<Of> = Of & { readonly perspective_type: PerspectiveType };

/** The records of an instrument in one UTC month of `data_cutoff`. */
export interface MonthTally extends Tally, OfInstrument {
  /** Its first moment. */
  readonly month: Date;
}

/** A public record that may become a seed. */
export interface Candidate extends PublicRow {
  readonly workflow_hash: string | null;
}

/** What is surveyed in detail, once it is chosen. */
export interface Chosen {
  readonly scope: Scope;
  /** Their keys. */
  readonly instruments: readonly string[];
  readonly workflows: readonly string[];
}

/** Surveys all public records as of one moment. Its results neither name nor count producers. */
export interface AtlasSurvey {
  /** The number of public records that cohorts count. */
  records(): Promise<number>;
  tallies(thresholds: CohortRules): Promise<ByScope<Tallies>>;
  /** The whole cohort of each instrument, in parts whose records are of one origin. */
  cohorts(instruments: readonly string[]): Promise<ReadonlyMap<string, readonly AlikeRecords[]>>;
  /** The months of these instruments that reach the thresholds on their own. */
  months(instruments: readonly string[], thresholds: CohortRules): Promise<ByScope<readonly MonthTally[]>>;
  /**
   * The newest records of the scope by `data_cutoff`, at most `limit` of each instrument, and of each workflow within
   * these instruments.
   */
  newest(chosen: Chosen, limit: number): Promise<readonly Candidate[]>;
}

export type Scope = (typeof SCOPES)[number];

export type ByScope<T> = { readonly [S in Scope]: T };

export function byScope<T>(of: (scope: Scope) => T): ByScope<T> {
  return { realtime: of('realtime'), all: of('all') };
}

/** Whether a record that cohorts count as of that origin counts (`countedAs`). */
export function isWithin(scope: Scope, { submission_origin }: { readonly submission_origin: string }): boolean {
  return scope === 'all' || submission_origin === 'realtime';
}
