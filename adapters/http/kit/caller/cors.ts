import type { RequestHandler } from 'express';
import { ALWAYS_SENT } from '../reply/header-names.ts';

const REQUEST_HEADERS = [
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-API-Key, X-Request-Id',
  'Mcp-Protocol-Version, Mcp-Method, Mcp-Name',
].join(', ');
/**
 * With `date`, clients in pages count waits from the time of the reply, as other clients do; with `www-authenticate` they
 * learn what to ask the identity provider for.
 */
const SHOWN = [
  'date',
  'idempotency-replayed',
  'location',
  'retry-after',
  'www-authenticate',
  'etag',
  ...ALWAYS_SENT,
].join(', ');
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const PREFLIGHT_SECONDS = '600';

/**
 * Allows pages of these origins to read replies; origins are compared exactly. Cookies are not allowed: a session works
 * from pages of this service only.
 */
export function cors(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  return (request, response, next) => {
    const { origin } = request.headers;
    response.setHeader('vary', 'Origin');
    if (origin !== undefined && allowed.has(origin)) {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('access-control-expose-headers', SHOWN);
      if (request.method === 'OPTIONS') {
        response.setHeader('access-control-allow-methods', METHODS);
        response.setHeader('access-control-allow-headers', REQUEST_HEADERS);
        response.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
      }
    }
    next();
  };
}
