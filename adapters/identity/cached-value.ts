import type { Millis } from '../../domain/time.ts';

/** A value that is loaded once for many callers, and stays while it cannot be loaded again. */
export interface CachedValue<T> {
  /**
   * What is kept. Only the first caller has to wait for it: once it is no longer fresh it is loaded anew behind the
   * answer, and stays as it is while that fails. Throws what `load` threw while there is nothing yet.
   */
  get(): Promise<T>;

  /**
   * Loads it anew for a caller whom what is kept does not serve, at most once in `renewEvery` however many ask: within
   * that time they get the result of the last attempt: the value, or the error.
   */
  renew(): Promise<T>;
}

export interface CacheTimes {
  readonly freshFor: Millis;
  readonly renewEvery: Millis;
  /** Between attempts while there is nothing yet. */
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

  /** The result of the last attempt, if that is under way or not so long ago, else of a new one. */
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

/** A clock that was set back counts as time that has passed: nothing may wait for it to catch up. */
function hasPassed(span: Millis, since: Millis, now: Millis): boolean {
  return now < since || now >= since + span;
}
