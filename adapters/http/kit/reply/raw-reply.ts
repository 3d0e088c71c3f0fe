import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { replyJson } from '../../../../application/json-text.ts';
import { Problem } from '../../../../domain/problem.ts';
import { envelope, refusalHeaders } from './envelope.ts';
import { DATA_HEADERS } from './headers.ts';
import { limitHeaders, uncountable } from './limit-headers.ts';

/** The refusal for an error of the HTTP parser; null when the connection is closed. */
export function parserProblem(code: string | undefined): Problem | null {
  switch (code) {
    case 'ECONNRESET':
    case 'EPIPE':
      return null;
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('HEADERS_TOO_LARGE', 'The request line and headers are larger than 16 KiB.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('PAYLOAD_TOO_LARGE', 'The chunk extensions are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('REQUEST_TIMEOUT', 'The request did not arrive in time.');
    default:
      return new Problem('VALIDATION_ERROR', 'This is not a valid HTTP request.', {
        suggestion: 'Send a well-formed HTTP/1.1 request.',
      });
  }
}

/** A refusal as the headers and body of a response outside of any exchange, the common headers included. */
export function bareReply(
  problem: Problem,
  addressPerMinute: number,
): { readonly headers: string[]; readonly body: string } {
  const requestId = randomUUID();
  const body = replyJson(envelope(problem, requestId));
  const headers = [
    'x-request-id',
    requestId,
    ...limitHeaders(uncountable(problem.retry_after_seconds, addressPerMinute), null),
    ...DATA_HEADERS,
    ...refusalHeaders(problem),
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(Buffer.byteLength(body)),
    'connection',
    'close',
  ];
  return { headers, body };
}

/** The same as the bytes of a whole HTTP response, for a socket without a parsed request. */
export function rawReply(problem: Problem, addressPerMinute: number, extra: readonly string[] = []): string {
  const { headers, body } = bareReply(problem, addressPerMinute);
  const fields = ['date', new Date().toUTCString(), ...headers, ...extra];
  const lines = [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? 'Error'}`];
  for (let i = 0; i + 1 < fields.length; i += 2) lines.push(`${fields[i]}: ${fields[i + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
