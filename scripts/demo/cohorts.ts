import { DIRECTIONS } from '../../domain/decisions/call.ts';
import { RESULT_BUCKETS, type ResultBucket } from '../../domain/grading/outcome.ts';
import type { Client, Cohort } from './client.ts';

/** The queries about the records of all owners, with a name for each. */
const QUERIES: readonly { readonly of: string; readonly query: string }[] = [
  { of: 'all on MSFT', query: 'market=stock&symbol=MSFT&include_retroactive=true' },
  { of: 'bearish on MSFT', query: 'market=stock&symbol=MSFT&direction=bearish&include_retroactive=true' },
  { of: 'all on bitcoin', query: 'market=crypto&symbol=BTC&include_retroactive=true' },
  { of: 'all on MSFT, not retroactive', query: 'market=stock&symbol=MSFT' },
];

/** The path of the first query, for `curl`. */
export const COHORT_PATH = `/api/v1/agent/wisdom?${QUERIES[0]?.query}`;

/**
 * The raw counts of the cohorts over all owners, with what each direction would have got in the same windows, and whether
 * their pages contain each record once.
 */
export async function cohortsInWords(client: Client, key: string): Promise<string> {
  const lines = QUERIES.map(async ({ of, query }) => countsInWords(of, (await client.wisdom(key, query)).overview));
  return ['What cohorts of all owners say', ...(await Promise.all(lines)), await pagesInWords(client, key)].join('\n');
}

/** One line, and one below it with `had_said`. */
function countsInWords(
  of: string,
  { sample_count, result_distribution, had_said, suppression }: Cohort['overview'],
): string {
  if (sample_count === null || !result_distribution) return `  ${of}: withheld, ${suppression.reason}`;
  const line = `  ${of}: ${sample_count} records; ${RESULT_BUCKETS.map((bucket) => `${result_distribution[bucket]} ${bucket}`).join(', ')}`;
  if (!had_said) return line;
  const directions = DIRECTIONS.map((direction) => `${direction} ${slashed(had_said[direction])}`);
  return `${line}\n    in the same windows: ${directions.join('; ')}`;
}

function slashed(counts: Readonly<Record<ResultBucket, number>>): string {
  return RESULT_BUCKETS.map((bucket) => counts[bucket]).join(' / ');
}

async function pagesInWords(client: Client, key: string): Promise<string> {
  const query = `${QUERIES[0]?.query}&limit=20`;
  const pages = [await client.wisdom(key, query)];
  for (let next = pages[0]?.next_cursor ?? null; next !== null; next = pages.at(-1)?.next_cursor ?? null) {
    pages.push(await client.wisdom(key, `${query}&cursor=${next}`));
  }
  const ids = pages.flatMap(({ items }) => items.map(({ record_id }) => record_id));
  return `  The first of them in ${pages.length} pages: ${ids.length} rows, ${new Set(ids).size} records.`;
}
