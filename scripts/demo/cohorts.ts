import { RESULT_BUCKETS } from '../../domain/grading/outcome.ts';
import type { Client } from './client.ts';

/** The queries about the records of all owners, with a name for each. */
const QUERIES: readonly { readonly of: string; readonly query: string }[] = [
  { of: 'all on MSFT', query: 'market=stock&symbol=MSFT&include_retroactive=true' },
  { of: 'bearish on MSFT', query: 'market=stock&symbol=MSFT&direction=bearish&include_retroactive=true' },
  { of: 'all on bitcoin', query: 'market=crypto&symbol=BTC&include_retroactive=true' },
  { of: 'all on MSFT, not retroactive', query: 'market=stock&symbol=MSFT' },
];

/** The path of the first query, for `curl`. */
export const COHORT_PATH = `/api/v1/agent/wisdom?${QUERIES[0]?.query}`;

/** The raw counts of the cohorts over all owners, and whether their pages contain each record once. */
export async function cohortsInWords(client: Client, key: string): Promise<string> {
  const lines = QUERIES.map(async ({ of, query }) => {
    const { overview } = await client.wisdom(key, query);
    const { sample_count, result_distribution: buckets, suppression } = overview;
    if (sample_count === null || !buckets) return `  ${of}: withheld, ${suppression.reason}`;
    return `  ${of}: ${sample_count} records; ${RESULT_BUCKETS.map((bucket) => `${buckets[bucket]} ${bucket}`).join(', ')}`;
  });
  return ['What cohorts of all owners say', ...(await Promise.all(lines)), await pagesInWords(client, key)].join('\n');
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
