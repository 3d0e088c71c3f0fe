import { SourceUnavailable } from '../../domain/market/market-data.ts';

export interface PageOfRows<T> {
  readonly rows: readonly T[];
  /** What leads to the next page; null on the last one. */
  readonly next: string | null;
}

/** Ten years of minutes, with room to spare. */
const MOST_PAGES = 500;

/** The rows of all pages. A source that leads in circles, or never ends, is unavailable. */
export async function everyPage<T>(
  source: string,
  ask: (next: string | null) => Promise<PageOfRows<T>>,
): Promise<readonly T[]> {
  const pages: (readonly T[])[] = [];
  const seen = new Set<string | null>();
  let next: string | null = null;
  do {
    if (seen.has(next) || pages.length === MOST_PAGES) throw new SourceUnavailable(`${source} has no last page`);
    seen.add(next);
    const page: PageOfRows<T> = await ask(next);
    pages.push(page.rows);
    next = page.next;
  } while (next !== null);
  return pages.flat();
}
