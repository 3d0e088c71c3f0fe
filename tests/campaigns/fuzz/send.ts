import { Agent, request } from 'node:http';
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
    const outgoing = request(options, (response) => void receive(response).then(resolve, reject));
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${TIMEOUT / 1_000} s`)));
    outgoing.on('error', reject);
    outgoing.end(body ?? undefined);
  });
}
