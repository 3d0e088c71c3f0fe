import type { Millis } from '../../domain/time.ts';

/** What is remembered of each instrument, for a while. */
export interface SourceMemory<T> {
  recall(key: string, now: Millis): T | undefined;
  keep(key: string, value: T, now: Millis): void;
  forget(key: string): void;
}

const MOST = 10_000;

/** Beyond 10,000 instruments what was kept first goes first. */
export function sourceMemory<T>(keepFor: Millis): SourceMemory<T> {
  const kept = new Map<string, { readonly value: T; readonly until: Millis }>();
  return {
    recall(key, now) {
      const entry = kept.get(key);
      return entry && now < entry.until ? entry.value : undefined;
    },
    keep(key, value, now) {
      kept.delete(key);
      kept.set(key, { value, until: now + keepFor });
      const [first] = kept.keys();
      if (kept.size > MOST && first !== undefined) kept.delete(first);
    },
    forget: (key) => void kept.delete(key),
  };
}
