import { Agent, request } from 'node:http';
import type { Exchange } from './history.ts';
import type { Planned } from './plan.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Sends one request to a node. Returns what the checks need of it. */
export async function exchange(planned: Planned, url: string, node: number): Promise<Exchange> {
  const started = now();
  const { status, headers, text } = await send(planned, url);
  const ended = now();
  const body = text === '' ? {} : JSON.parse(text);
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

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

function send({ method, path, headers, body }: Planned, url: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers, agent }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const single = Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
        );
        resolve({ status: response.statusCode ?? 0, headers: single, text: Buffer.concat(parts).toString() });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
