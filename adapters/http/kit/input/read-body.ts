import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
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

/**
 * Refuses a body of another media type or in another encoding than UTF-8. The charset may have any label that the
 * Encoding Standard gives UTF-8 (`utf-8`, `utf8`, in any case, quoted or not); other parameters are ignored.
 * @param sent the header Content-Type @param wanted the media type, in lower case and without parameters
 * @throws Problem UNSUPPORTED_MEDIA_TYPE
 */
export function requireType(sent: string | undefined, wanted: string): void {
  if (sent === wanted) return;
  const type = parsed(sent);
  if (type?.essence !== wanted) {
    throw refusal(`The body must be ${wanted} in UTF-8.`, `Send the header Content-Type: ${wanted}.`);
  }
  const charset = type.params.get('charset');
  if (charset !== null && !namesUtf8(charset)) {
    const suggestion = `Send the body in UTF-8, with the header Content-Type: ${wanted}; charset=utf-8.`;
    throw refusal(`The body must be in UTF-8, not in the charset ${charset.slice(0, 40)}.`, suggestion);
  }
}

function parsed(sent: string | undefined): MIMEType | undefined {
  try {
    return sent === undefined ? undefined : new MIMEType(sent);
  } catch {
    return undefined;
  }
}

function namesUtf8(label: string): boolean {
  try {
    return new TextDecoder(label).encoding === 'utf-8';
  } catch {
    return false;
  }
}

function refusal(message: string, suggestion: string): Problem {
  return new Problem('UNSUPPORTED_MEDIA_TYPE', message, { suggestion });
}
