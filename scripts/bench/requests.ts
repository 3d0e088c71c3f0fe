import { type Call, callOf, DIRECTIONS, hasKey } from './calls.ts';
import type { StoredRecord } from './population.ts';
import { submissionOf } from './submission.ts';

/** What is sent, in a form that goes to another process. */
export type RequestPlan =
  | {
      readonly kind: 'submit';
      readonly path: string;
      /** One per agent. */
      readonly keys: readonly string[];
      readonly at: string;
      /** The number of the first call. */
      readonly first: number;
    }
  | {
      readonly kind: 'read';
      readonly path: string;
      readonly records: readonly (StoredRecord & { readonly key: string })[];
    };

/** The text of the n-th request, as cheaply as it can be made. */
export function requestsOf(plan: RequestPlan): (n: number) => string {
  return plan.kind === 'submit' ? submits(plan) : reads(plan);
}

const COMMON = 'Host: 127.0.0.1\r\nUser-Agent: bench\r\nAccept: application/json\r\n';

function submits({ path, keys, at, first }: RequestPlan & { readonly kind: 'submit' }): (n: number) => string {
  const bodies = new Map(DIRECTIONS.map((direction) => [direction, bodyAround(direction, new Date(at))]));
  return (n) => {
    const number = first + n;
    const { agent, symbol, direction } = callOf(number);
    const [before, after] = bodies.get(direction) ?? ['', ''];
    const key = hasKey(number) ? `Idempotency-Key: bench-${number}\r\n` : '';
    const length = before.length + symbol.length + after.length;
    return (
      `POST ${path} HTTP/1.1\r\n${COMMON}X-API-Key: ${keys[agent]}\r\nContent-Type: application/json\r\n${key}` +
      `Content-Length: ${length}\r\n\r\n${before}${symbol}${after}`
    );
  };
}

/** The body up to the symbol and from there on; all of it is ASCII. */
function bodyAround(direction: Call['direction'], at: Date): readonly [string, string] {
  const [before = '', after = ''] = JSON.stringify(submissionOf({ symbol: '@', direction }, at)).split('@');
  return [before, after];
}

function reads({ path, records }: RequestPlan & { readonly kind: 'read' }): (n: number) => string {
  const texts = records.map(
    ({ record_id, key }) => `GET ${path}/${record_id} HTTP/1.1\r\n${COMMON}X-API-Key: ${key}\r\n\r\n`,
  );
  return () => texts[Math.floor(Math.random() * texts.length)] ?? '';
}
