import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Received, receive } from '../stage/receive.ts';

/**
 * What happens to a request. `reset`: the connection is reset, and the service gets nothing. `drop`: the service answers,
 * so what it wrote is committed, and the reply is lost. `truncate`: half of the reply arrives.
 */
export type Fault = 'reset' | 'drop' | 'truncate';

/** The faults of the first attempts of a request, in their order; later ones pass. */
export type PlanFaults = (subject: string) => readonly Fault[];

export interface LossyProxy {
  readonly url: string;
  /** How many faults of each kind were made so far. */
  readonly made: Readonly<Record<Fault, number>>;
  /** Replies of the service with `idempotency-replayed`, whether they arrived or not. */
  readonly replayed: () => number;
  /** How often each subject came so far. */
  readonly requests: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/**
 * A proxy in front of a service that loses what the plan says. The attempts of one request have one subject: its
 * Idempotency-Key, else its method and path.
 */
export async function openLossyProxy(target: string, plan: PlanFaults): Promise<LossyProxy> {
  const made = { reset: 0, drop: 0, truncate: 0 };
  const planned = new Map<string, Fault[]>();
  const requests = new Map<string, number>();
  let replayed = 0;
  const server = createServer((incoming, outgoing) => {
    const subject = String(incoming.headers['idempotency-key'] ?? `${incoming.method} ${incoming.url}`);
    requests.set(subject, (requests.get(subject) ?? 0) + 1);
    const faults = planned.get(subject) ?? [...plan(subject)];
    planned.set(subject, faults);
    const fault = faults.shift();
    if (fault) made[fault] += 1;
    if (fault === 'reset') return void incoming.socket.resetAndDestroy();
    forward(target, incoming).then(
      (reply) => {
        if (reply.headers['idempotency-replayed']) replayed += 1;
        passOn(reply, outgoing, fault);
      },
      () => incoming.socket.destroy(),
    );
  });
  return { url: await listen(server), made, requests, replayed: () => replayed, close: () => closeNow(server) };
}

async function forward(target: string, incoming: IncomingMessage): Promise<Received> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part);
  return new Promise((resolve, reject) => {
    const { method, headers, url = '' } = incoming;
    const host = new URL(target).host;
    const outgoing = request(`${target}${url}`, { method, headers: { ...headers, host } });
    outgoing.once('error', reject);
    outgoing.once('response', (response) => receive(response).then(resolve, reject));
    outgoing.end(Buffer.concat(parts));
  });
}

function passOn({ status, headers, body }: Received, outgoing: ServerResponse, fault: Fault | undefined): void {
  if (fault === 'drop') return void outgoing.socket?.destroy();
  const { 'transfer-encoding': _, connection: __, ...own } = headers;
  outgoing.writeHead(status, { ...own, 'content-length': body.length });
  if (fault !== 'truncate') return void outgoing.end(body);
  outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => outgoing.socket?.destroy());
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

function closeNow(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
