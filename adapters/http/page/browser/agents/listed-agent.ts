import type { CountedAs } from './counts.ts';

export interface ListedCounts extends CountedAs {
  readonly submission_count: number;
}

/** An agent in the owner's list, as far as it is shown. */
export interface ListedAgent {
  readonly agent_id: string;
  readonly name: string;
  readonly archived_at: string | null;
  readonly track_record: ListedCounts & { readonly retroactive: ListedCounts; readonly cached_at: string };
}
