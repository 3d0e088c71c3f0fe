import type { TimestampClient } from '../../domain/log/timestamps/timestamp-client.ts';
import { bytesOfReply, reasonOf } from './witness-client.ts';

/** A token with some certificates has less than 10 KiB. */
const MOST_BYTES = 64 * 1024;

/** Asks time-stamp authorities over HTTP. Redirects are not followed, and longer replies are refused. */
export function httpTimestampClient(): TimestampClient {
  return {
    async stamp(url, request, signal) {
      try {
        const headers = { 'content-type': 'application/timestamp-query', 'user-agent': 'stancebook' };
        const body = Uint8Array.from(request);
        const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal });
        if (response.status !== 200) throw new Error(`it answers ${response.status}`);
        const [type = ''] = (response.headers.get('content-type') ?? '').toLowerCase().split(';');
        if (type.trim() !== 'application/timestamp-reply')
          throw new Error(
            `it answers with the content type ${type.slice(0, 50) || 'none'}, not application/timestamp-reply`,
          );
        return await bytesOfReply(response, MOST_BYTES);
      } catch (error) {
        throw new Error(reasonOf(error), { cause: error });
      }
    },
  };
}
