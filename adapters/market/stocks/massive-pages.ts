import type { Instrument } from '../../../domain/market/instrument.ts';
import { fieldsOf, MalformedAnswer, textOf } from '../answer.ts';
import { everyPage } from '../every-page.ts';
import type { SourceClient } from '../source-client.ts';

export interface MassiveQuery<T> {
  readonly about: Instrument;
  readonly path: string;
  /** The rows of one page, and whether it is the last one. */
  read(body: unknown, isLast: boolean): readonly T[];
}

/**
 * The rows of every page of a reply of Massive.
 * @param baseUrl where the source is: its key goes with every request, so a page at another address is not requested
 */
export function massivePages<T>(client: SourceClient, baseUrl: string, { about, path, read }: MassiveQuery<T>) {
  return everyPage(client.source, (next) =>
    client.ask({
      about,
      path: next ?? path,
      read(body) {
        const following = nextOf(body, baseUrl);
        return { rows: read(body, following === null), next: following };
      },
    }),
  );
}

/** Preferred shares: `ABR.PRB` here is `ABRpB` there. */
export function massiveTicker({ symbol }: Instrument): string {
  return symbol.replace(/\.PR(?=[A-Z]$)/, 'p');
}

function nextOf(body: unknown, baseUrl: string): string | null {
  const { next_url } = fieldsOf(body);
  if (next_url === undefined || next_url === null) return null;
  const address = textOf(next_url);
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url?.href.startsWith(`${baseUrl}/`) || url.username !== '') throw new MalformedAnswer('a page elsewhere');
  return url.href.slice(baseUrl.length);
}
