/** What was read from files, kept as long as they have not changed and there is room. */
export type FileCache<T> = (key: string, fingerprint: string, load: () => Promise<T>) => Promise<T>;

interface Entry<T> {
  readonly fingerprint: string;
  readonly value: Promise<T>;
  weight: number;
}

/**
 * Callers that ask for the same files at once share one reading of them; a reading that fails is not kept. Beyond
 * `capacity` (in units of `weigh`) what was used longest ago goes first; the last one
 * used stays, however heavy.
 */
export function fileCache<T>(capacity: number, weigh: (value: T) => number): FileCache<T> {
  const entries = new Map<string, Entry<T>>();
  return (key, fingerprint, load) => {
    const known = entries.get(key);
    const entry = known?.fingerprint === fingerprint ? known : { fingerprint, value: load(), weight: 0 };
    entries.delete(key);
    entries.set(key, entry);
    if (entry !== known) settle(entries, key, entry, weigh, capacity);
    return entry.value;
  };
}

function settle<T>(
  entries: Map<string, Entry<T>>,
  key: string,
  entry: Entry<T>,
  weigh: (value: T) => number,
  capacity: number,
): void {
  entry.value.then(
    (value) => {
      entry.weight = weigh(value);
      shrink(entries, capacity);
    },
    () => {
      if (entries.get(key) === entry) entries.delete(key);
    },
  );
}

function shrink<T>(entries: Map<string, Entry<T>>, capacity: number): void {
  let excess = [...entries.values()].reduce((sum, { weight }) => sum + weight, -capacity);
  for (const [key, { weight }] of entries) {
    if (excess <= 0 || entries.size === 1) return;
    if (weight > 0) entries.delete(key);
    excess -= weight;
  }
}
