import type { Millis } from '../../domain/time.ts';

/** What is remembered of each instrument, for a while. */
export interface SourceMemory<T> {
  recall(key: string, now: Millis): T | undefined;
  keep(key: string, value: T, now: Millis): void;
  forget(key: string): void;
}

const MOST = 10_000;

/** Beyond 10,000 instruments the oldest entry goes first. */
export function sourceMemory<T>(keepFor: Millis): SourceMemory<T> {
  const entries = new Map<string, { readonly value: T; readonly until: Millis }>();
  return {
    recall(key, now) {
      const entry = entries.get(key);
      return entry && now < entry.until ? entry.value : undefined;
    },
    keep(key, value, now) {
      entries.delete(key);
      entries.set(key, { value, until: now + keepFor });
      const [first] = entries.keys();
      if (entries.size > MOST && first !== undefined) entries.delete(first);
    },
    forget: (key) => void entries.delete(key),
  };
}
