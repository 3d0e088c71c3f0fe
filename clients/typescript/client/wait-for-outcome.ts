import { OutcomePendingError, OutcomeUnavailableError, QuotaExceededError } from './errors.ts';
import type { EventFeed, Watched } from './event-feed.ts';
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

/** What a wait reads. */
export interface WaitSources<S> {
  /** The state with the headers of its reply; spends a check. */
  readonly read: () => Promise<{ readonly state: S; readonly headers: Headers }>;
  readonly feed: EventFeed;
  readonly watched: Watched;
}

/** Seconds between two reads of an unchanged state: from, to. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [2, 900];

/** Seconds between two readings of the feed for one wait, at most. */
const LONGEST_FEED_PAUSE = 60;

/** Seconds without an event before a check, at first. */
const FIRST_SILENCE = 60;

/** Units of the pool `check` that are left to the caller. */
const SPARED_CHECKS = 2;

/** Sleeps for about the seconds. @throws OutcomePendingError */
type Pause = (seconds: number) => Promise<void>;

/**
 * The state once it is closed (docs/clients.md).
 * @throws OutcomeUnavailableError, OutcomePendingError, and what reading throws
 */
export async function waitForClosed<S extends FollowedState>(
  settings: Settings,
  sources: WaitSources<S>,
  { timeoutSeconds = Number.POSITIVE_INFINITY, signal, onState }: WaitOptions,
): Promise<S> {
  const { now, random, sleep } = settings;
  const end = now() + timeoutSeconds * 1_000;
  let newest: S | null = null;
  const pause: Pause = async (seconds) => {
    const wait = seconds + random() * Math.min(5, seconds / 4);
    if (now() + wait * 1_000 > end) {
      throw new OutcomePendingError('The timeout ends before the next read of the state.', newest);
    }
    await sleep(wait, signal);
  };
  for (let unchanged = 0; ; ) {
    sources.watched.forget();
    const found = await checked(sources.read);
    if ('emptyFor' in found) {
      await pause(found.emptyFor);
      continue;
    }
    const { state, headers } = found;
    if (state.state === 'closed') return state;
    if (state.state === 'unavailable') {
      throw new OutcomeUnavailableError(`${state.record_id} is ${state.lifecycle_state}: no outcome comes.`, state);
    }
    const isSame = newest?.state === state.state && newest.lifecycle_state === state.lifecycle_state;
    unchanged = isSame ? unchanged + 1 : 0;
    newest = state;
    if (!isSame) onState?.(state);
    const least = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** unchanged);
    const time = serverTimeOf(headers, now());
    await pause(Math.max(least, untilChange(state, time), untilSpared(headers, time)));
    const silence = Math.min(LONGEST_PAUSE, FIRST_SILENCE * 2 ** unchanged);
    await untilEvent(sources, state, { end: now() + silence * 1_000, now, pause, signal });
  }
}

interface EventWait {
  /** When the state is read without an event. */
  readonly end: number;
  readonly now: () => number;
  readonly pause: Pause;
  readonly signal: AbortSignal | undefined;
}

/** Returns when the state is worth a check: after an event that changes it, at the end, at once where there is no feed. */
async function untilEvent<S extends FollowedState>(
  { feed, watched }: WaitSources<S>,
  state: S,
  { end, now, pause, signal }: EventWait,
): Promise<void> {
  for (let seconds = FIRST_PAUSE; ; ) {
    // A reading that began before the check, or before the pause after it, says nothing new.
    await feed.refresh(seconds / 2, signal);
    if (feed.isMissing || isWorthCheck(watched.newest, state) || now() >= end) return;
    seconds = Math.min(LONGEST_FEED_PAUSE, seconds * 2);
    await pause(seconds);
  }
}

/** Steps on the way to the outcome change nothing for one who waits, but that of the verification names the next time. */
function isWorthCheck(newest: string | null, { lifecycle_state }: FollowedState): boolean {
  if (newest === null) return false;
  const isStep = newest === 'verified' || newest === 'deferred';
  return !isStep || lifecycle_state === 'pending_verify';
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
