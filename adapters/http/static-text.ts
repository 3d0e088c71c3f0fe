import type { Request } from 'express';
import { entityTag, namesTag } from './entity-tag.ts';
import { COMMON_HEADERS } from './headers.ts';
import type { PageContent } from './pages.ts';

/** A text that everybody is told alike for as long as the service runs. */
export interface StaticText {
  /** Its content type. */
  readonly type: string;
  readonly body: string;
  readonly etag: string;
}

/**
 * For texts that are no page: any cache may use its copy unasked for five minutes, as they change with a release or a
 * setting, and nothing in them can run.
 */
export const TEXT_HEADERS: readonly string[] = [
  ...COMMON_HEADERS,
  ...['cache-control', 'public, max-age=300'],
  ...['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
];

export function staticText(type: string, body: string): StaticText {
  return { type, body, etag: entityTag(body) };
}

/**
 * The text under its ETag; 304 for whoever has it already.
 * @param headers beside the ETag, as name, value, name, value
 */
export function staticReply(text: StaticText, { headers: sent }: Request, headers: readonly string[]): PageContent {
  const { type, body, etag } = text;
  const own = [...headers, 'etag', etag];
  if (namesTag(sent['if-none-match'], etag)) return { status: 304, headers: own };
  return { status: 200, type, body, headers: own };
}
