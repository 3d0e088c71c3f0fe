import type { IncomingMessage } from 'node:http';
import { Problem } from '../../../../domain/problem.ts';

/** The client disconnected before its request was complete: there is no connection for a reply. */
export class ClientGone extends Error {}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The body as text without a byte order mark. Bytes beyond `limit` are never stored: the rest of an oversized body is
 * read and dropped, up to the server's request deadline, so that the client can read the refusal.
 * @throws Problem PAYLOAD_TOO_LARGE, MALFORMED_BODY when it is not UTF-8
 * @throws ClientGone
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<string> {
  if (Number(request.headers['content-length']) > limit) throw tooLarge(limit);
  const bytes = await collect(request, limit);
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new Problem('MALFORMED_BODY', 'The body is not valid UTF-8.', { suggestion: 'Send the body in UTF-8.' });
  }
}

function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge(limit));
      }
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', () => reject(new ClientGone()));
    request.on('close', () => {
      if (!request.readableEnded) reject(new ClientGone());
    });
  });
}

function tooLarge(limit: number): Problem {
  return new Problem('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`, {
    suggestion: `Send at most ${limit} bytes.`,
  });
}
