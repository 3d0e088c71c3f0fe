import { ask } from '../kit/ask.ts';
import type { ListPage } from '../kit/lists.ts';
import type { OwnRow } from '../kit/wire.ts';
import { type Filters, listPath } from './decision-query.ts';

/** The most that a request of the list returns. */
const PAGE = 100;

/** What a file of the page has at most: more is a matter of the export, which is a stream. */
export const MOST_EXPORTED = 10_000;

/** All decisions that the filters select, the newest first, up to `MOST_EXPORTED`. @param progress the number so far */
export async function readFiltered(
  filters: Filters,
  signal: AbortSignal,
  progress: (count: number) => void,
): Promise<readonly OwnRow[]> {
  const rows: OwnRow[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: ListPage<OwnRow> = await ask<ListPage<OwnRow>>(listPath(filters, cursor, PAGE), { signal });
    rows.push(...page.items);
    progress(rows.length);
    cursor = page.next_cursor;
    if (cursor === null || rows.length >= MOST_EXPORTED) return rows;
  }
}
