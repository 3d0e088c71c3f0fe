import type { IncomingMessage } from 'node:http';
import { Problem } from '../../../domain/problem.ts';

/**
 * The headers that a request may have once only: of two, this service and a proxy in front of it could each use another
 * one. Node refuses two different Content-Lengths, and its parser two ways of framing a body.
 */
const SINGLE: ReadonlyMap<string, string> = new Map(
  ['Host', 'Authorization', 'X-API-Key', 'Idempotency-Key', 'Content-Type'].map((name) => [name.toLowerCase(), name]),
);

/** A name or address with an optional port, in the characters of RFC 3986, 3.2.2; it may be empty. */
const HOST = /^(\[[\da-f:.]+\]|[\w.~%!$&'()*+,;=-]*)(:\d*)?$/i;

/** The refusal of a request without a valid Host (RFC 9112, 3.2), or with two of a header that it may have once only. */
export function headerRefusal({ headers, rawHeaders, httpVersion }: IncomingMessage): Problem | undefined {
  if (headers.host === undefined && httpVersion === '1.1') {
    return new Problem('VALIDATION_ERROR', 'The header Host is missing.', { suggestion: 'Send the header Host.' });
  }
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = SINGLE.get(rawHeaders[index]?.toLowerCase() ?? '');
    if (name === undefined) continue;
    if (seen.has(name)) return repeated(name);
    seen.add(name);
  }
  if (headers.host === undefined || HOST.test(headers.host)) return undefined;
  return new Problem('VALIDATION_ERROR', 'The header Host is not a host with an optional port.', {
    suggestion: 'Send the host and port of the address as the header Host.',
  });
}

function repeated(name: string): Problem {
  return new Problem('VALIDATION_ERROR', `The header ${name} was sent more than once.`, {
    suggestion: `Send the header ${name} once.`,
  });
}
