import { RefusedRequest } from './refused-request.ts';

/**
 * Seconds. Somebody waits about so long without turning to something else (J. Nielsen, "Usability Engineering", 1993); a
 * view that loads later would change under a reader who reads another part of it.
 */
const LONGEST_WAIT = 10;

/** In a row. What is refused more often is not refused for a moment, and the reader decides. */
const MOST = 3;

/**
 * Seconds after which the page reads again by itself what was refused for a moment; null where the reader decides. What
 * a person sent is never sent again.
 * @param attempt how often the page has read it again by itself since the reader last asked for it
 */
export function ownRetryAfter(error: unknown, attempt: number): number | null {
  if (!(error instanceof RefusedRequest) || !error.isReading) return null;
  const { status, wait } = error;
  if (wait === null || wait > LONGEST_WAIT || attempt >= MOST) return null;
  return status === 429 || status === 503 ? Math.max(wait, 1) : null;
}
