import type { AlikeRecords } from '../cohorts/cohort-counts.ts';
import type { Thresholds } from '../cohorts/suppression.ts';
import type { PerspectiveType } from '../decisions/call.ts';
import type { PublicRow } from '../decisions/public-handle.ts';
import type { Instrument } from '../market/instrument.ts';
import type { Market } from '../market/venues.ts';
import type { ByScope, Scope } from './scopes.ts';

/** Public records that have something in common, of enough producers: how many. */
export interface Tally {
  readonly samples: number;
}

/** The cohorts of one scope that reach the thresholds they were asked with; others than public records never count. */
export interface Tallies {
  readonly instruments: readonly (Tally & Instrument)[];
  readonly perspectives: readonly (Tally & PerspectiveOf<{ readonly market: Market }>)[];
  readonly perspectivesOf: readonly (Tally & PerspectiveOf<OfInstrument>)[];
  /** Of workflows with a public snapshot of that hash, by the name that was published. */
  readonly workflows: readonly (Tally & { readonly hash: string; readonly name: string })[];
  readonly workflowsOf: readonly (Tally & OfInstrument & { readonly hash: string })[];
}

interface OfInstrument {
  /** Its key: `instrumentKey`. */
  readonly instrument: string;
}
type PerspectiveOf<Of> = Of & { readonly perspective_type: PerspectiveType };

/** What one UTC month of `data_cutoff` holds of an instrument. */
export interface MonthTally extends Tally, OfInstrument {
  /** Its first moment. */
  readonly month: Date;
}

/** A public record that may become a seed. */
export interface Candidate extends PublicRow {
  readonly workflow_hash: string | null;
}

/** What is looked at closer, once it is chosen. */
export interface Chosen {
  readonly scope: Scope;
  /** Their keys. */
  readonly instruments: readonly string[];
  readonly workflows: readonly string[];
}

/** Looks at all public records as they were at one moment. Nothing that it tells names or counts producers. */
export interface AtlasSurvey {
  /** How many there are. */
  records(): Promise<number>;
  tallies(thresholds: Thresholds): Promise<ByScope<Tallies>>;
  /** The whole cohort of each instrument, in parts whose records are of one origin. */
  cohorts(instruments: readonly string[]): Promise<ReadonlyMap<string, readonly AlikeRecords[]>>;
  /** The months of these instruments that reach the thresholds by themselves. */
  months(instruments: readonly string[], thresholds: Thresholds): Promise<ByScope<readonly MonthTally[]>>;
  /**
   * The newest records of the scope by `data_cutoff`, at most `limit` of each instrument, and of each workflow within these
   * instruments.
   */
  newest(chosen: Chosen, limit: number): Promise<readonly Candidate[]>;
}
