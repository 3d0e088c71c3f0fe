/** A request of an operation; `params` fill its path. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON of the text, if it is one. */
  readonly body: unknown;
}

/** Sends a request of an operation, such as `GET /api/v1/nodes`. */
export type Send = (operation: string, call: Call) => Promise<Answer>;

/** The session that replaced another one, by the cookie of that one. */
const successors = new Map<string, string>();

/**
 * Sends to the service or the proxy at that address. Redirects are not followed. A session that a reply has replaced is
 * sent as its successor.
 */
export function sendTo(url: string): Send {
  return async (operation, { params = {}, query = {}, headers: sent = {}, body }) => {
    const cookie = sent.cookie && currentOf(sent.cookie);
    const headers = { ...sent, ...(cookie && { cookie }) };
    const [method = '', pattern = ''] = operation.split(' ');
    const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const search = new URLSearchParams(query).toString();
    const response = await fetch(`${url}${path}${search && `?${search}`}`, {
      method,
      redirect: 'manual',
      // The proxy closes a connection that is idle for five seconds, which a command of the operator may take.
      headers: {
        connection: 'close',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const begun = response.headers.get('set-cookie')?.split(';')[0];
    if (cookie && begun?.startsWith('sid=') && begun !== 'sid=') successors.set(cookie, begun);
    return { status: response.status, headers: response.headers, text, body: jsonOf(text) };
  };
}

function currentOf(cookie: string): string {
  const successor = successors.get(cookie);
  return successor === undefined ? cookie : currentOf(successor);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
