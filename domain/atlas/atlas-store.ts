import type { CohortRules } from '../cohorts/suppression.ts';
import type { AtlasSurvey, ByScope, Scope } from './atlas-survey.ts';
import type { Network } from './network.ts';
import type { Seed } from './seeds.ts';

export interface Atlas {
  /** How many public records cohorts counted. */
  readonly records: number;
  /** The thresholds that everything in it has reached. */
  readonly thresholds: CohortRules;
  readonly views: ByScope<AtlasView>;
}

/** The atlas of the records of one scope. */
export interface AtlasView {
  readonly network: Network;
  /** In the order in which they are listed. */
  readonly seeds: readonly Seed[];
}

export interface AtlasState extends Pick<Atlas, 'records' | 'thresholds'> {
  readonly expired: boolean;
}

/** A part of the atlas that was built last. */
export type Built<Part> = Part & { readonly generated_at: Date };

/** What a transaction may do about the atlas. */
export interface AtlasExpiry {
  /**
   * Marks the current atlas as due; it is still served until the next one is built. Does nothing before the first
   * build. Only a build that begins later clears the mark, and the mark delays no build.
   */
  expire(): Promise<void>;
}

/** The atlas that was built last, the same for all processes. */
export interface AtlasStore extends AtlasExpiry {
  /** The atlas that was built last, null before the first build; and the number of public records that cohorts count at this moment. */
  state(): Promise<{ readonly built: Built<AtlasState> | null; readonly records: number }>;

  /**
   * Replaces the atlas. Everything that `work` surveys is of the moment that becomes its `generated_at`. When `work`
   * throws, or this process dies, the current atlas stays. Returns false, without calling `work`, while another process
   * builds.
   */
  build(work: (survey: AtlasSurvey) => Promise<Atlas>): Promise<boolean>;

  /** null before the first build. */
  network(scope: Scope): Promise<Built<Network> | null>;

  /**
   * Up to `limit` of the seeds in their order; only those of one node where one is named. A seed is left out as soon as
   * its record, or any other of its instrument's cohort, has ceased to be public since the build. null before the first
   * build.
   */
  seeds(query: SeedQuery): Promise<Built<{ readonly items: readonly Seed[] }> | null>;
}

export interface SeedQuery {
  readonly scope: Scope;
  /** null for those of all nodes. */
  readonly node: string | null;
  readonly limit: number;
}
