import { OutcomePendingError, OutcomeUnavailableError, QuotaExceededError } from './errors.ts';
import type { Settings } from './settings.ts';
import { serverTimeOf } from './waits.ts';

/** The members of a state that the waiting follows. */
export interface FollowedState {
  readonly record_id: string;
  readonly lifecycle_state: string;
  readonly state: string;
  readonly next_check_at: string | null;
  readonly poll_after_seconds?: number | null;
}

export interface WaitOptions {
  /** Seconds; without it, the waiting has no end. */
  readonly timeoutSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with each state that differs from the one before and is not the end. */
  readonly onState?: ((state: FollowedState) => void) | undefined;
}

/** Seconds between two reads of an unchanged state: from, to. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [2, 900];

/** Units of the pool `check` that are left to the caller. */
const SPARED_CHECKS = 2;

/**
 * The state once it is closed (docs/clients.md).
 * @param read the state with the headers of its reply
 * @throws OutcomeUnavailableError, OutcomePendingError, and what `read` throws
 */
export async function waitForClosed<S extends FollowedState>(
  { now, random, sleep }: Settings,
  read: () => Promise<{ readonly state: S; readonly headers: Headers }>,
  { timeoutSeconds = Number.POSITIVE_INFINITY, signal, onState }: WaitOptions,
): Promise<S> {
  const end = now() + timeoutSeconds * 1_000;
  let newest: S | null = null;
  for (let unchanged = 0; ; ) {
    const found = await checked(read);
    let wait: number;
    if ('emptyFor' in found) wait = found.emptyFor;
    else {
      const { state, headers } = found;
      if (state.state === 'closed') return state;
      if (state.state === 'unavailable') {
        throw new OutcomeUnavailableError(`${state.record_id} is ${state.lifecycle_state}: no outcome comes.`, state);
      }
      const isSame = newest?.state === state.state && newest.lifecycle_state === state.lifecycle_state;
      unchanged = isSame ? unchanged + 1 : 0;
      newest = state;
      if (!isSame) onState?.(state);
      const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** unchanged);
      const time = serverTimeOf(headers, now());
      wait = Math.max(pause, untilChange(state, time), untilSpared(headers, time));
    }
    wait += random() * Math.min(5, wait / 4);
    if (now() + wait * 1_000 > end) {
      throw new OutcomePendingError('The timeout ends before the next read of the state.', newest);
    }
    await sleep(wait, signal);
  }
}

/** The state, or for how many seconds the pool of checks stays empty. */
async function checked<T>(read: () => Promise<T>): Promise<T | { readonly emptyFor: number }> {
  try {
    return await read();
  } catch (error) {
    const isEmpty = error instanceof QuotaExceededError && error.code === 'DAILY_QUOTA_EXCEEDED';
    if (!isEmpty || error.retryAfterSeconds === null) throw error;
    return { emptyFor: error.retryAfterSeconds };
  }
}

/** Seconds to `next_check_at`, else `poll_after_seconds`. */
function untilChange({ next_check_at, poll_after_seconds }: FollowedState, time: number): number {
  const seconds = (Date.parse(next_check_at ?? '') - time) / 1_000;
  return seconds > 0 ? seconds : (poll_after_seconds ?? 0);
}

/** Seconds to the next day of the pool where only the spared checks are left. */
function untilSpared(headers: Headers, time: number): number {
  const left = Number(headers.get('x-quota-remaining') ?? Number.NaN);
  if (headers.get('x-quota-resource') !== 'check' || !(left <= SPARED_CHECKS)) return 0;
  return Number(headers.get('x-quota-reset')) - time / 1_000;
}
