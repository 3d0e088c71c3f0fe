import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import type { Call } from '../stage/submission.ts';

/** Agents that share the load. Each has an owner and a key of its own. */
export const AGENTS = 256;
/** Verified instruments that the calls are spread over. */
export const SYMBOLS = 5_000;
/** Evaluated records that are read. */
export const RECORDS = 10_000;
export const CONNECTIONS = 64;

/** A call by its number. No two numbers share agent, symbol and direction, so no call meets a cooldown. */
export interface NumberedCall extends Call {
  readonly agent: number;
}

export const CALLS = AGENTS * SYMBOLS * DIRECTIONS.length;
/** Odd, so that neighbouring numbers have distant agents, and each agent comes once in `AGENTS` calls. */
const STRIDE = 40_503;

/** @param number 0 to CALLS - 1 */
export function callOf(number: number): NumberedCall {
  const round = Math.floor(number / AGENTS);
  const direction = DIRECTIONS[Math.floor(round / SYMBOLS) % DIRECTIONS.length] ?? 'neutral';
  return { agent: (number * STRIDE) % AGENTS, symbol: symbolOf(round % SYMBOLS), direction };
}

export function symbolOf(number: number): string {
  return `B${String(number).padStart(6, '0')}`;
}

/** The parts of `callOf` as SQL over a bigint `number`, for pgbench. */
export const CALL_SQL = {
  agent: `(number * ${STRIDE} % ${AGENTS})::int`,
  symbol: `'B' || lpad((number / ${AGENTS} % ${SYMBOLS})::text, 6, '0')`,
  direction: `(array['${DIRECTIONS.join("','")}'])[number / ${AGENTS * SYMBOLS} % ${DIRECTIONS.length} + 1]`,
};

/** Whether the call has an idempotency key: every other one has. */
export function hasKey(number: number): boolean {
  return number % 2 === 0;
}

/** Gives out each number of a call once. */
export interface CallNumbers {
  readonly next: number;
  used(count: number): void;
}

export function callNumbers(): CallNumbers {
  let next = 0;
  return {
    get next() {
      return next;
    },
    used(count) {
      next += count + (count % 2);
      if (next > CALLS - RECORDS) throw new Error('All numbers of calls are used. Run the bench for a shorter time.');
    },
  };
}
