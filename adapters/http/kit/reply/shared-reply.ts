import type { Request } from 'express';
import { SECOND } from '../../../../domain/time.ts';
import type { Endpoint, Replies } from '../endpoint.ts';
import type { Content } from '../exchange.ts';
import { entityTag, namesTag } from './entity-tag.ts';

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
