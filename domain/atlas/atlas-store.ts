import type { Thresholds } from '../cohorts/suppression.ts';
import type { AtlasSurvey } from './atlas-survey.ts';
import type { Network } from './network.ts';
import type { ByScope, Scope } from './scopes.ts';
import type { Seed } from './seeds.ts';

export interface Atlas {
  /** How many public records there were. */
  readonly records: number;
  /** What everything in it has reached. */
  readonly thresholds: Thresholds;
  readonly views: ByScope<AtlasView>;
}

/** The atlas of the records of one scope. */
export interface AtlasView {
  readonly network: Network;
  /** In the order in which they are told. */
  readonly seeds: readonly Seed[];
}

export interface AtlasState extends Pick<Atlas, 'records' | 'thresholds'> {
  readonly expired: boolean;
}

/** Something of the atlas that was built last. */
export type Built<Part> = Part & { readonly generated_at: Date };

/** What a transaction may do about the atlas. */
export interface AtlasExpiry {
  /**
   * Has the one there is counted as due, though it is told until there is another; nothing before the first build. Only a
   * build that began after it makes up for it, and it holds up no build.
   */
  expire(): Promise<void>;
}

/** The atlas as it was built last, the same for all processes. */
export interface AtlasStore extends AtlasExpiry {
  /** What was built last, null before the first build; and how many public records there are at this moment. */
  state(): Promise<{ readonly built: Built<AtlasState> | null; readonly records: number }>;

  /**
   * Puts a new atlas in the place of the one there is. All that `work` surveys is of the moment that becomes its
   * `generated_at`. When `work` throws, or this process dies, the one there is stays. False, and `work` is not called,
   * while another process builds.
   */
  build(work: (survey: AtlasSurvey) => Promise<Atlas>): Promise<boolean>;

  /** null before the first build. */
  network(scope: Scope): Promise<Built<Network> | null>;

  /**
   * Up to `limit` of the seeds in their order; those of one node where one is named. A seed is left out from the moment
   * its record, or any other of its instrument's cohort, has left the public since it was built. null before the first build.
   */
  seeds(asked: SeedsAsked): Promise<Built<{ readonly items: readonly Seed[] }> | null>;
}

export interface SeedsAsked {
  readonly scope: Scope;
  /** null for those of all nodes. */
  readonly node: string | null;
  readonly limit: number;
}
