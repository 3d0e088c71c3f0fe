import { Agent, request } from 'node:http';

/** What goes over the wire, byte for byte. */
export interface Sent {
  readonly method: string;
  /** With the query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

export interface Received {
  readonly status: number;
  /** Lower-case names; of those that came twice, all values. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** How a request gets to the service; a plant takes its place. */
export type Send = (sent: Sent) => Promise<Received>;

/** Nothing takes as long: whoever waits longer waits for an answer that never comes. */
const PATIENCE = 60_000;

export interface Line {
  readonly send: Send;
  close(): void;
}

/** A line of few connections to one address. */
export function openLine(url: string): Line {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return { send: (sent) => sendOver(agent, url, sent), close: () => agent.destroy() };
}

function sendOver(agent: Agent, url: string, { method, path, headers, body }: Sent): Promise<Received> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const framing = body === null || headers['transfer-encoding'] ? {} : { 'content-length': String(body.length) };
    const options = { agent, hostname, port, method, path, headers: { ...framing, ...headers }, timeout: PATIENCE };
    const outgoing = request(options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const told = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
        resolve({ status: response.statusCode ?? 0, headers: told, body: Buffer.concat(parts) });
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${PATIENCE / 1_000} s`)));
    outgoing.on('error', reject);
    outgoing.end(body ?? undefined);
  });
}
