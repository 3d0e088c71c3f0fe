import type { Millis } from '../../domain/time.ts';

/** A value that is loaded once for many callers, and remains while it cannot be loaded again. */
export interface CachedValue<T> {
  /**
   * The cached value. Only the first caller waits for it: a stale value is returned at once and loaded again in the
   * background; it remains if that fails. Throws the error of `load` if there is no value yet.
   */
  get(): Promise<T>;

  /**
   * Loads the value again for a caller who needs a newer one, at most once in `renewEvery` for all callers. Before that
   * time has passed they get the result of the last attempt: the value, or the error.
   */
  renew(): Promise<T>;
}

export interface CacheTimes {
  readonly freshFor: Millis;
  readonly renewEvery: Millis;
  /** The time between attempts while there is no value yet. */
  readonly retryEvery: Millis;
  readonly now: () => Millis;
}

export function cachedValue<T>(
  load: () => Promise<T>,
  { freshFor, renewEvery, retryEvery, now }: CacheTimes,
): CachedValue<T> {
  let value: { readonly loaded: T; readonly at: Millis } | undefined;
  let last: { readonly at: Millis; readonly result: Promise<T> } | undefined;
  let underWay = false;

  /** The result of the last attempt, if it is under way or was recent, else of a new one. */
  function attempt(every: Millis): Promise<T> {
    if (last && (underWay || !hasPassed(every, last.at, now()))) return last.result;
    underWay = true;
    const at = now();
    const result = load().then(
      (loaded) => {
        value = { loaded, at };
        underWay = false;
        return loaded;
      },
      (error: unknown) => {
        underWay = false;
        throw error;
      },
    );
    last = { at, result };
    return result;
  }

  return {
    async get() {
      if (!value) return attempt(retryEvery);
      // A caller that needs a newer value calls `renew`, which throws the failure.
      if (hasPassed(freshFor, value.at, now())) attempt(renewEvery).catch(() => undefined);
      return value.loaded;
    },
    renew: () => attempt(renewEvery),
  };
}

/** If the clock was set back, the time counts as passed; otherwise a caller would wait until the clock caught up. */
function hasPassed(span: Millis, since: Millis, now: Millis): boolean {
  return now < since || now >= since + span;
}
