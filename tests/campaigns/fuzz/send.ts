import { Agent, type ClientRequest, request } from 'node:http';
import { type Received, receive } from '../stage/receive.ts';

/** A request exactly as it is sent. */
export interface Sent {
  readonly method: string;
  /** The percent-encoded path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** Sends a request to the service. A plant replaces it. */
export type Send = (sent: Sent) => Promise<Received>;

/** Milliseconds. No reply takes this long. */
const TIMEOUT = 60_000;

export interface Line {
  readonly send: Send;
  close(): void;
}

/** Why a request got no reply: a connection that was idle may be closed at the moment at which it is used again. */
function failure(error: Error, { reusedSocket }: ClientRequest, began: number): Error {
  const code = 'code' in error ? `${error.code}: ` : '';
  const connection = reusedSocket ? 'a connection that was used before' : 'a new connection';
  return new Error(`${code}${error.message}, on ${connection}, after ${Math.round(performance.now() - began)} ms`);
}

/** Opens a pool of connections to one address. */
export function openLine(url: string): Line {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return { send: (sent) => sendOver(agent, url, sent), close: () => agent.destroy() };
}

function sendOver(agent: Agent, url: string, { method, path, headers, body }: Sent): Promise<Received> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const framing = body === null || headers['transfer-encoding'] ? {} : { 'content-length': String(body.length) };
    const options = { agent, hostname, port, method, path, headers: { ...framing, ...headers }, timeout: TIMEOUT };
    const began = performance.now();
    const fail = (error: Error) => reject(failure(error, outgoing, began));
    const outgoing = request(options, (response) => void receive(response).then(resolve, fail));
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${TIMEOUT / 1_000} s`)));
    outgoing.on('error', fail);
    outgoing.end(body ?? undefined);
  });
}
