import {
  firstDay,
  type OutcomeColumn,
  outcomeColumns,
  type Range,
  rangeOf,
  sumOf,
} from '../../agents/outcome-columns.ts';
import { ask } from '../../kit/ask.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { listPath } from '../../records/decision-query.ts';

export type Origin = 'realtime' | 'retroactive';

/** What the reader chose, as the address has it. */
export interface Choice {
  /** null: the usual one if it has a graded decision, else all. */
  readonly range: Range | null;
  /** null: those that were stated before the prices were known, if there are any. */
  readonly origin: Origin | null;
}

type Row = Schemas['OwnerDecisionSummary'];

/** The outcomes of a range, of one origin. */
export interface Counted {
  readonly range: Range;
  readonly since: string | null;
  readonly origin: Origin;
  /** The graded decisions of each origin. */
  readonly graded: Readonly<Record<Origin, number>>;
  readonly sums: ReturnType<typeof sumOf>;
  readonly columns: readonly OutcomeColumn[];
}

/** What parts of the overview read together, once for each showing. */
export interface Reads {
  counts(): Promise<Schemas['Dashboard']>;
  outcomes(): Promise<Counted>;
  /** The newest graded decisions of the range and origin, the newest submission first. */
  newest(): Promise<readonly Row[]>;
}

const MOST = 100;

export function readsOf(choice: Choice, signal: AbortSignal): Reads {
  const counts = shared(() => ask<Schemas['Dashboard']>('/api/v1/owner/dashboard', { signal }));
  const outcomes = shared(async () => {
    if (choice.range !== null) return countIn(choice.range, choice, signal);
    const usual = await countIn(rangeOf(null), choice, signal);
    return usual.graded.realtime + usual.graded.retroactive > 0 ? usual : countIn(rangeOf('all'), choice, signal);
  });
  const newest = shared(async () => {
    const { origin: submission_origin, since } = await outcomes();
    const filters = { lifecycle_state: 'evaluated', submission_origin, include_archived: 'true' };
    const path = listPath({ ...filters, ...(since !== null && { ended_since: since }) }, null, MOST);
    return (await ask<Schemas['OwnerDecisionPage']>(path, { signal })).items;
  });
  return { counts, outcomes, newest };
}

async function countIn(range: Range, { origin }: Choice, signal: AbortSignal): Promise<Counted> {
  const now = Date.now();
  const [since, by] = [firstDay(range, now), range.days === null ? 'month' : 'week'] as const;
  const query = new URLSearchParams({ by, ...(since !== null && { since: `${since}T00:00:00Z` }) });
  const { items } = await ask<Schemas['OwnerOutcomes']>(`/api/v1/owner/outcomes?${query}`, { signal });
  const of = (each: Origin) => items.filter(({ submission_origin }) => submission_origin === each);
  const graded = { realtime: gradedIn(of('realtime')), retroactive: gradedIn(of('retroactive')) };
  const shown = origin ?? (graded.realtime === 0 && graded.retroactive > 0 ? 'retroactive' : 'realtime');
  const own = of(shown);
  return { range, since, origin: shown, graded, sums: sumOf(own), columns: outcomeColumns(own, by, since, now) };
}

function gradedIn(items: Schemas['OwnerOutcomes']['items']): number {
  const { distribution, uncounted } = sumOf(items);
  return Object.values(distribution).reduce((sum, count) => sum + count, uncounted);
}

/** One request for all parts that need its reply; after a refusal the next part that asks sends it again. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  return () => {
    current ??= read().catch((error: unknown) => {
      current = undefined;
      throw error;
    });
    return current;
  };
}
