import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a server does instead of answering. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** Takes the request and never answers. */
  | { readonly kind: 'silence' }
  /** Ends the connection before the answer. */
  | { readonly kind: 'reset' }
  /** Ends its own side of the connection and goes on reading. */
  | { readonly kind: 'half_closed' }
  /** Sends the head and half of the body, then ends the connection. */
  | { readonly kind: 'cut' }
  /** Sends half of the body and leaves the connection open. */
  | { readonly kind: 'stall' }
  | { readonly kind: 'text'; readonly text: string };

export interface FaultServer {
  readonly url: string;
  /** Path and query of every request, in order. */
  readonly asked: string[];
  /** The next requests meet these, one each; null is a good answer in between. */
  readonly faults: (Fault | null)[];
  close(): Promise<void>;
}

export type Answer = { readonly status: number; readonly json: unknown };

/** A server on loopback whose answers are `answer`'s but for the faults that a test plants. */
export async function faultServer(
  answer: (address: URL, headers: IncomingHttpHeaders) => Answer,
): Promise<FaultServer> {
  const asked: string[] = [];
  const faults: (Fault | null)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const reply = answer(new URL(request.url ?? '', 'http://exchange.example'), request.headers);
    const fault = faults.shift();
    if (fault) misbehave(fault, request, response, JSON.stringify(reply.json));
    else send(response, reply.status, JSON.stringify(reply.json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    faults,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}

function misbehave(fault: Fault, { socket }: IncomingMessage, response: ServerResponse, body: string): void {
  const { kind } = fault;
  if (kind === 'status') send(response, fault.status, '{}', fault.headers);
  if (kind === 'text') send(response, 200, fault.text);
  if (kind === 'reset') socket.destroy();
  if (kind === 'half_closed') socket.end();
  if (kind === 'cut') half(response, body, () => socket.destroy());
  if (kind === 'stall') half(response, body, () => undefined);
}

function half(response: ServerResponse, body: string, then: () => void): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(body.length) });
  response.write(body.slice(0, Math.floor(body.length / 2)), then);
}
