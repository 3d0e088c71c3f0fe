import type { WitnessClient } from '../../domain/log/notes/signature-store.ts';
import type { TimestampClient } from '../../domain/log/timestamps/timestamp.ts';

/** 16 signatures of any type need less. */
const MOST_BYTES = 64 * 1024;

/** Asks witnesses over HTTP. Redirects are not followed, and longer replies are refused. */
export function httpWitnessClient(): WitnessClient {
  return {
    async addCheckpoint(url, body, signal) {
      try {
        const headers = { 'content-type': 'text/plain; charset=utf-8', 'user-agent': 'stancebook' };
        const response = await fetch(`${url.replace(/\/$/, '')}/add-checkpoint`, {
          ...{ method: 'POST', body, headers, redirect: 'manual', signal },
        });
        const [type = ''] = (response.headers.get('content-type') ?? '').toLowerCase().split(';');
        return {
          status: response.status,
          type: type.trim(),
          body: (await bytesOfReply(response, MOST_BYTES)).toString('utf8'),
        };
      } catch (error) {
        throw new Error(reasonOf(error), { cause: error });
      }
    },
  };
}

/** Counted after decompression, so that a small reply cannot expand into a large one. */
async function bytesOfReply({ body }: Response, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > most) throw new Error(`more than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { readonly cause?: { readonly code?: string } & Partial<Error> };
  if (name === 'TimeoutError') return 'no reply in time';
  return cause?.code ?? cause?.message ?? message;
}

/** A token with some certificates has less than 10 KiB. */
const MOST_TOKEN_BYTES = 64 * 1024;

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
        return await bytesOfReply(response, MOST_TOKEN_BYTES);
      } catch (error) {
        throw new Error(reasonOf(error), { cause: error });
      }
    },
  };
}
