import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import type { Call } from '../stage/submission.ts';

/** How many agents, each of an owner of its own with a key of its own, share the load. */
export const AGENTS = 256;
/** Instruments that the calls are spread over, all of them verified. */
export const SYMBOLS = 5_000;
/** Evaluated records that are read. */
export const RECORDS = 10_000;
export const CONNECTIONS = 64;

/** A decision by its number: no two numbers share agent, symbol and direction, so that no call meets a cooldown. */
export interface NumberedCall extends Call {
  readonly agent: number;
}

export const CALLS = AGENTS * SYMBOLS * DIRECTIONS.length;
/** Odd, so that neighbouring numbers meet distant agents and every agent once in `AGENTS` calls. */
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

/** Every other call is sent with an idempotency key. */
export function hasKey(number: number): boolean {
  return number % 2 === 0;
}

/** Gives out the numbers of calls, each once: to a load, or to all that a run of pgbench may need. */
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
      if (next > CALLS - RECORDS) throw new Error('All calls are used up: bench for a shorter time.');
    },
  };
}
