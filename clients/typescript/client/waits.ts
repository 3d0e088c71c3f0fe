/** Seconds; the longest wait between two attempts of which the service says nothing. */
const LONGEST_BACKOFF = 30;

/** Seconds before the first repetition, at most. */
const FIRST_BACKOFF = 0.5;

/**
 * The seconds that `Retry-After` names, as a number or as a date. Null where it is missing, unreadable or over.
 * @param now by the own clock, in milliseconds; it counts where the reply has no `Date`
 */
export function retryAfterOf(headers: Headers, now: number): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - serverTimeOf(headers, now)) / 1_000;
  return seconds > 0 ? seconds : null;
}

/** The time of the reply by its `Date`, else by the own clock; in milliseconds. */
export function serverTimeOf(headers: Headers, now: number): number {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? now : date;
}

/** The seconds that the service names, and a jitter of up to a second or a tenth, whichever is more. */
export function spreadWait(seconds: number, random: () => number): number {
  return seconds + random() * Math.max(1, seconds / 10);
}

/**
 * Between half and all of 0.5, 1, 2, 4 ... 30 seconds.
 * @param failures how many attempts have failed, from 1
 */
export function backoff(failures: number, random: () => number): number {
  const longest = Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** (failures - 1));
  return longest * (0.5 + random() / 2);
}

/** More milliseconds than this make setTimeout return at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Sleeps; rejects with the reason of the signal when that aborts. */
export async function sleepFor(seconds: number, signal?: AbortSignal): Promise<void> {
  for (let left = seconds * 1_000; left > 0; left -= LONGEST_TIMER) {
    await timer(Math.min(left, LONGEST_TIMER), signal);
  }
}

function timer(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timeout);
      reject(signal?.reason);
    };
    const timeout = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
