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

/** Sends to the service or the proxy at that address. Redirects are not followed. */
export function sendTo(url: string): Send {
  return async (operation, { params = {}, query = {}, headers = {}, body }) => {
    const [method = '', pattern = ''] = operation.split(' ');
    const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const search = new URLSearchParams(query).toString();
    const response = await fetch(`${url}${path}${search && `?${search}`}`, {
      method,
      redirect: 'manual',
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: jsonOf(text) };
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
