import { type NumberedPage, offsetOf, type PageOf } from '../../../domain/page.ts';
import type { Sql } from './sql.ts';

export interface PagedSelect {
  /** Selects the rows of the list. */
  readonly matching: string;
  /** Their order, by their columns; the last of these is unique. */
  readonly order: string;
  /** Further columns, computed for the rows of the page only, whose alias is `page`. */
  readonly pageColumns?: string;
}

/**
 * A page of a list in one statement, so that its rows and their number are of one moment. A page behind the last row has
 * the number and no row.
 */
export async function pageOf<Row extends object>(
  sql: Sql,
  { matching, order, pageColumns }: PagedSelect,
  values: readonly unknown[],
  page: NumberedPage,
): Promise<PageOf<Row>> {
  const [limit, offset] = [values.length + 1, values.length + 2];
  const text = `
    with matching as (${matching}),
    page as (
      select row_number() over (order by ${order}) as place, matching.* from matching
      order by place limit $${limit} offset $${offset}
    )
    select total.n as total, page.*${pageColumns === undefined ? '' : `, ${pageColumns}`}
    from (select count(*)::int as n from matching) total left join page on true order by page.place`;
  const rows = await sql.rows<Row & Placed>(text, [...values, page.per_page, offsetOf(page)]);
  return { total: rows[0]?.total ?? 0, items: rows.filter(({ place }) => place !== null).map(unplaced) };
}

interface Placed {
  readonly total: number;
  /** null where the page has no row. */
  readonly place: string | null;
}

function unplaced<Row extends object>({ total, place, ...row }: Row & Placed): Row {
  return row as unknown as Row;
}
