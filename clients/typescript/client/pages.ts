import { unexpectedReply } from './errors.ts';

/** A page of a list with a cursor. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/**
 * All items of a list, page by page: the next page is read when its first item is needed.
 * @param read the page at a cursor; the first page for null
 */
export async function* itemsOf<T>(read: (cursor: string | null) => Promise<Page<T>>): AsyncGenerator<T, void> {
  const seen = new Set<string>();
  for (let cursor: string | null = null; ; ) {
    const page: Page<T> = await read(cursor);
    if (!Array.isArray(page?.items)) throw unexpectedReply(200, 'The reply is no page of a list.');
    cursor = page.next_cursor ?? null;
    if (cursor !== null && seen.has(cursor)) throw unexpectedReply(200, 'The list has the same cursor twice.');
    yield* page.items;
    if (cursor === null) return;
    seen.add(cursor);
  }
}
