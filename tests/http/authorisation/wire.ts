import { Agent, createServer, type IncomingHttpHeaders, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';

export type Headers = Readonly<Record<string, string>>;

/** A request without the credentials of a caller. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Headers;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the type of the reply.
  readonly body: any;
}

/** An application that listens on loopback. */
export interface Wire {
  /** One request of a caller; where both have cookies, both are sent. */
  send(request: Asked, caller?: Headers): Promise<Reply>;
  close(): Promise<void>;
}

export async function listen(app: RequestListener): Promise<Wire> {
  const server = createServer(app);
  // A busy machine may leave a connection idle for long; it must stay open for the next request.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  return {
    send: ({ method, path, headers = {}, body }, caller = {}) =>
      new Promise((resolve, reject) => {
        const cookie = [caller.cookie, headers.cookie].filter((each) => each !== undefined).join('; ');
        const isJson = body !== undefined && typeof body !== 'string';
        const sent = { ...headers, ...caller, ...(cookie && { cookie }), ...(isJson && JSON_BODY) };
        const asking = request({ agent, host: '127.0.0.1', port, method, path, headers: sent }, (response) => {
          const { statusCode: status = 0 } = response;
          textOf(response).then(
            (text) => resolve({ status, headers: response.headers, text, body: parsed(text) }),
            reject,
          );
        });
        asking.on('error', reject).end(isJson ? JSON.stringify(body) : body);
      }),
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const JSON_BODY = { 'content-type': 'application/json' };

/** The parsed body; null for a reply that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
