import type { Headers } from './wire.ts';

/** The header that a browser sends from a page of the service. */
const OWN_PAGE: Headers = { 'sec-fetch-site': 'same-origin' };

export function byKey(api_key: string): Headers {
  return { 'x-api-key': api_key };
}

export function byBearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

/** @param page the headers by which the browser names the origin of the page; default: a page of the service */
export function bySession(id: string, page: Headers = OWN_PAGE): Headers {
  return { cookie: `__Host-sid=${id}`, ...page };
}
