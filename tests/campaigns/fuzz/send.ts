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

/** Opens a pool of connections to one address. */
export function openLine(url: string): Line {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const send: Send = async (sent) => {
    try {
      return await sendOver(agent, url, sent);
    } catch (error) {
      if (!(error instanceof NoReply) || !error.wasIdle) throw error;
      return await sendOver(false, url, sent);
    }
  };
  return { send, close: () => agent.destroy() };
}

/** Why a request got no reply. */
class NoReply extends Error {
  /**
   * Whether the connection was closed while it was idle: as the request was sent, its end had not been read. HTTP leaves it to
   * the client to send such a request again (RFC 9112, 9.3.1); one that the service drops is dropped again.
   */
  readonly wasIdle: boolean;

  constructor(error: Error, { reusedSocket }: ClientRequest, began: number) {
    const code = 'code' in error ? `${error.code}` : error.name;
    const connection = reusedSocket ? 'a connection that was used before' : 'a new connection';
    super(`${code}: ${error.message}, on ${connection}, after ${Math.round(performance.now() - began)} ms`);
    this.wasIdle = reusedSocket && code === 'ECONNRESET';
  }
}

function sendOver(agent: Agent | false, url: string, { method, path, headers, body }: Sent): Promise<Received> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const framing = body === null || headers['transfer-encoding'] ? {} : { 'content-length': String(body.length) };
    const options = { agent, hostname, port, method, path, headers: { ...framing, ...headers }, timeout: TIMEOUT };
    const began = performance.now();
    const fail = (error: Error) => reject(new NoReply(error, outgoing, began));
    const outgoing = request(options, (response) => void receive(response).then(resolve, reject));
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${TIMEOUT / 1_000} s`)));
    outgoing.on('error', fail);
    outgoing.end(body ?? undefined);
  });
}
