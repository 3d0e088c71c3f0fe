import { DIRECTIONS, type Direction } from '../../../domain/decisions/call.ts';
import { submissionOf } from '../stage/submission.ts';
import { callOf, hasKey } from './calls.ts';

/** The requests of a load, in a form that can be sent to another process. */
export type RequestPlan =
  | {
      readonly kind: 'submit';
      readonly path: string;
      /** Header lines with a credential: one for each agent, or one for all. */
      readonly credentials: readonly string[];
      /** Whether every other request has an idempotency key. */
      readonly keyed: boolean;
      readonly at: string;
      /** The number of the first call. */
      readonly first: number;
    }
  | {
      /** A random one of these, which are complete. */
      readonly kind: 'any';
      readonly requests: readonly string[];
    };

/** Returns a function for the text of the n-th request. It uses little CPU. */
export function requestsOf(plan: RequestPlan): (n: number) => string {
  return plan.kind === 'submit' ? submits(plan) : () => anyOf(plan.requests);
}

/** The text of a request without a body. */
export function getRequest(path: string, credential: string): string {
  return `GET ${path} HTTP/1.1\r\n${COMMON}${credential}\r\n`;
}

/** The text of a request with a body of ASCII. */
export function postRequest(path: string, credential: string, body: string): string {
  const about = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `POST ${path} HTTP/1.1\r\n${COMMON}${credential}${about}\r\n${body}`;
}

export function keyLine(key: string): string {
  return `X-API-Key: ${key}\r\n`;
}

const COMMON = 'Host: 127.0.0.1\r\nUser-Agent: bench\r\nAccept: application/json\r\n';

function submits({
  path,
  credentials,
  keyed,
  at,
  first,
}: RequestPlan & { readonly kind: 'submit' }): (n: number) => string {
  const bodies = new Map(DIRECTIONS.map((direction) => [direction, bodyAround(direction, new Date(at))]));
  return (n) => {
    const number = first + n;
    const { agent, symbol, direction } = callOf(number);
    const [before, after] = bodies.get(direction) ?? ['', ''];
    const key = keyed && hasKey(number) ? `Idempotency-Key: bench-${number}\r\n` : '';
    const length = before.length + symbol.length + after.length;
    return (
      `POST ${path} HTTP/1.1\r\n${COMMON}${credentials[agent % credentials.length]}Content-Type: application/json\r\n${key}` +
      `Content-Length: ${length}\r\n\r\n${before}${symbol}${after}`
    );
  };
}

/** The body before and after the symbol; all of it is ASCII. */
function bodyAround(direction: Direction, at: Date): readonly [string, string] {
  const [before = '', after = ''] = JSON.stringify(submissionOf({ symbol: '@', direction }, at)).split('@');
  return [before, after];
}

function anyOf(requests: readonly string[]): string {
  return requests[Math.floor(Math.random() * requests.length)] ?? '';
}
