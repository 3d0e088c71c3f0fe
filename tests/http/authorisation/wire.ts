import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Headers = Readonly<Record<string, string>>;

/** What is asked for, whoever asks. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Headers;
  readonly body?: unknown;
}

export interface Reply {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: whoever asks knows what is answered.
  readonly body: any;
}

/** An application that listens on loopback. */
export interface Wire {
  /** One request of a caller; where both have cookies, both are sent. */
  send(asked: Asked, caller?: Headers): Promise<Reply>;
  close(): Promise<void>;
}

export async function listen(app: RequestListener): Promise<Wire> {
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    async send({ method, path, headers = {}, body }, caller = {}) {
      const cookie = [caller.cookie, headers.cookie].filter((each) => each !== undefined).join('; ');
      const response = await fetch(`${origin}${path}`, {
        method,
        redirect: 'manual',
        headers: { ...headers, ...caller, ...(cookie && { cookie }), ...(body !== undefined && JSON_BODY) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const JSON_BODY = { 'content-type': 'application/json' };
