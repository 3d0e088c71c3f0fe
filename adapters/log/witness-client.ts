import type { WitnessClient } from '../../domain/log/notes/witness-client.ts';

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
export async function bytesOfReply({ body }: Response, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > most) throw new Error(`more than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { readonly cause?: { readonly code?: string } & Partial<Error> };
  if (name === 'TimeoutError') return 'no reply in time';
  return cause?.code ?? cause?.message ?? message;
}
