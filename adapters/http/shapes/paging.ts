import { z } from 'zod';
import { PAGE } from '../../../domain/limits.ts';
import { queryInteger } from '../kit/input/query-values.ts';

interface Paging {
  /** How many a page has unless the request says so. */
  readonly usual?: number;
  /** Of a cursor, in characters. */
  readonly length?: number;
}

/** The parameters of a request for a page: `Items per page`. */
export function paged(items: string, { usual = PAGE.defaultLimit, length = PAGE.cursorLength }: Paging = {}) {
  return {
    cursor: z.string().max(length).optional().describe('The `next_cursor` of a page of the same query.'),
    limit: queryInteger(1, PAGE.limit).optional().describe(`${items} per page; default ${usual}.`),
  };
}

/** A page of items, by the name that its schema has in the document. */
export function pageOf<Item extends z.ZodType>(item: Item, id: string) {
  return z.strictObject({ items: z.array(item).readonly(), next_cursor: nextCursor() }).meta({ id });
}

export function nextCursor() {
  return z.string().nullable().describe('The cursor of the next page; null on the last page.');
}
