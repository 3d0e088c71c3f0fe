import type { Request } from 'express';
import type { PageContent } from '../served-page.ts';
import { entityTag, namesTag } from './entity-tag.ts';
import { COMMON_HEADERS, INERT } from './headers.ts';
import { encodingFor, encodingHeaders, type Packed, packed } from './packed.ts';

/** A text that is the same for every caller while the service runs. */
export interface StaticText {
  /** Its content type. */
  readonly type: string;
  readonly body: Packed;
  /** Different bytes have a different tag. */
  readonly etags: Readonly<Record<keyof Packed, string>>;
}

/**
 * For texts that are not pages: any cache may use its copy for five minutes, because they change only with a release or
 * a setting. Scripts in them cannot run.
 */
export const TEXT_HEADERS: readonly string[] = [
  ...COMMON_HEADERS,
  ...['cache-control', 'public, max-age=300'],
  ...INERT,
];

export function staticText(type: string, text: string): StaticText {
  const body = packed(text);
  return { type, body, etags: { plain: entityTag(body.plain), gzip: entityTag(body.gzip) } };
}

/**
 * The text in the encoding that the client accepts, with its ETag; 304 for a client that already has it.
 * @param headers in addition to the ETag and those of the encoding, as name, value, name, value
 */
export function staticReply(text: StaticText, request: Request, headers: readonly string[]): PageContent {
  const encoding = encodingFor(request);
  const etag = text.etags[encoding];
  const own = [...headers, ...encodingHeaders(encoding), 'etag', etag];
  if (namesTag(request.headers['if-none-match'], etag)) return { status: 304, headers: own };
  return { status: 200, type: text.type, body: text.body[encoding], headers: own };
}
