import { Agent, request } from 'node:http';
import { type Received, receive } from '../stage/receive.ts';
import type { Exchange } from './history.ts';
import type { Planned } from './plan.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Sends one request to a node. Returns what the checks need of it. */
export async function exchange(planned: Planned, url: string, node: number): Promise<Exchange> {
  const started = now();
  const { status, headers, body: bytes } = await send(planned, url);
  const ended = now();
  const body = bytes.length === 0 ? {} : JSON.parse(bytes.toString());
  const { caller, address, pool, record_id, submission } = planned;
  return {
    node,
    started,
    ended,
    key_prefix: caller?.key_prefix ?? null,
    address,
    owner_id: caller?.owner_id ?? null,
    agent_id: caller?.agent_id ?? null,
    pool,
    record_id,
    submission,
    status,
    code: body.error?.code ?? null,
    retry_after_seconds: body.error?.retry_after_seconds ?? null,
    headers,
    replied_record: body.record_id ?? null,
  };
}

/** The time of this machine's clock, finer than a millisecond. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

function send({ method, path, headers, body }: Planned, url: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers, agent }, (response) => {
      void receive(response).then(resolve, reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
