import { promisify } from 'node:util';
import { brotliCompress, constants, gzipSync } from 'node:zlib';
import type { Request } from 'express';
import { sha256 } from '../../../../application/sha256.ts';
import { SECOND } from '../../../../domain/time.ts';
import type { Endpoint, Replies } from '../endpoint.ts';
import type { Content } from '../exchange.ts';
import type { PageContent } from '../unmatched.ts';
import { COMMON_HEADERS, INERT } from './headers.ts';

const compress = promisify(brotliCompress);

const BEST = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };

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

/** A text in each encoding in which it can be sent. */
interface Packed {
  readonly plain: Uint8Array;
  readonly gzip: Uint8Array;
}

function packed(text: string): Packed {
  const plain = Buffer.from(text);
  return { plain, gzip: gzipSync(plain, { level: 9 }) };
}

/** A file that also comes in Brotli (RFC 7932), which browsers accept over https and from their own machine. */
export interface TightlyPacked extends Packed {
  readonly br: Promise<Uint8Array>;
}

/** Brotli takes seconds for a library, so each file is compressed when it is first requested so, next to other requests. */
export function tightlyPacked(text: string): TightlyPacked {
  const { plain, gzip } = packed(text);
  let br: Promise<Uint8Array> | undefined;
  return {
    plain,
    gzip,
    get br() {
      br ??= compress(plain, BEST);
      return br;
    },
  };
}

/** The encoding that the client accepts, gzip before none. */
export function encodingFor(request: Request): keyof Packed {
  return request.acceptsEncodings('gzip') === 'gzip' ? 'gzip' : 'plain';
}

/** The same with Brotli before gzip. */
export function tightEncodingFor(request: Request): keyof TightlyPacked {
  return request.acceptsEncodings('br') === 'br' ? 'br' : encodingFor(request);
}

/** As name, value, name, value. This `vary` replaces the one of CORS, so it contains `origin`. */
export function encodingHeaders(encoding: keyof TightlyPacked): readonly string[] {
  return ['vary', 'accept-encoding, origin', ...(encoding === 'plain' ? [] : ['content-encoding', encoding])];
}

type Shared = Pick<Endpoint, 'sharedFor'>;

/** A reply that caches may store, if its endpoint allows it; 304 for a caller who already has this reply. */
export function sharedReply({ sharedFor }: Shared, { headers: sent }: Request, content: Content): Content {
  if (sharedFor === undefined || content.status !== 200 || content.body === undefined) return content;
  const etag = entityTag(content.body);
  const headers = { ...content.headers, 'cache-control': cacheControl(sharedFor), etag };
  if (namesTag(sent['if-none-match'], etag)) return { status: 304, headers };
  return { ...content, headers };
}

/** The replies of an endpoint, with the headers and the 304 of cached replies, for the reference. */
export function documentedReplies({ sharedFor, replies }: Shared & { readonly replies: Replies }): Replies {
  const { 200: found } = replies;
  if (sharedFor === undefined || !found) return replies;
  const headers = {
    'cache-control': `\`${cacheControl(sharedFor)}\``,
    etag: 'Identifies this reply. Send it in `If-None-Match` to get 304 while it is unchanged.',
  };
  const unchanged = { description: 'The reply that `If-None-Match` names is unchanged.', headers };
  return { ...replies, 200: { ...found, headers: { ...found.headers, ...headers } }, 304: unchanged };
}

/** The age from one cache counts for the next one, so that a chain of caches does not store a reply for longer. */
function cacheControl(sharedFor: number): string {
  return `public, max-age=${Math.floor(sharedFor / SECOND)}, must-revalidate`;
}

/** A strong ETag: equal content has an equal tag, different content a different one. */
export function entityTag(content: string | Uint8Array): string {
  return `"${sha256(content).toString('base64url').slice(0, 22)}"`;
}

/** Whether `If-None-Match` names the tag; a weak tag matches too (RFC 9110, 13.1.2). */
export function namesTag(sent: string | undefined, tag: string): boolean {
  return (sent ?? '').split(',').some((named) => ['*', tag].includes(named.trim().replace(/^W\//, '')));
}
