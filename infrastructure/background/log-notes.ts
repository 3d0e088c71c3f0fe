import { type Millis, SECOND } from '../../domain/time.ts';
import type { LogWatch } from './log-watch.ts';

/** Often, so that a worker misses few trees of the others when the database fails over; it costs some reads of single rows. */
const MOST_EVERY = 5 * SECOND;

/** Has this process note the newest tree of the evidence log at least once in each interval; returns the stop. */
export function followLog({ note }: Pick<LogWatch, 'note'>, interval: Millis): () => Promise<void> {
  let noting: Promise<void> | null = null;
  const round = () => {
    noting ??= note().finally(() => {
      noting = null;
    });
  };
  const timer = setInterval(round, Math.min(interval, MOST_EVERY));
  timer.unref();
  return async () => {
    clearInterval(timer);
    await noting;
  };
}
