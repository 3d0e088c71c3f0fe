import type { Journal } from './journal.ts';
import type { ServedTree } from './served-log.ts';
import type { StoredRecord } from './stored.ts';

export type Violations = readonly string[];

/** Acknowledged submissions that are not stored under their id. */
export function lost({ entries }: Pick<Journal, 'entries'>, stored: readonly StoredRecord[]): Violations {
  const keys = new Map(stored.map(({ record_id, key }) => [record_id, key]));
  return entries
    .filter(({ record_id, key }) => record_id !== undefined && keys.get(record_id) !== key)
    .map(({ record_id, key }) => `${record_id} was acknowledged for ${key} and is not stored`);
}

/** Submissions that are stored as more than one record. */
export function doubled(stored: readonly StoredRecord[]): Violations {
  const counts = Map.groupBy(stored, ({ key }) => key);
  return [...counts]
    .filter(([, records]) => records.length > 1)
    .map(([key, records]) => `${key} is ${records.map(({ record_id }) => record_id).join(' and ')}`);
}

/** Stored records that were never sent. */
export function unsent({ entries }: Pick<Journal, 'entries'>, stored: readonly StoredRecord[]): Violations {
  const sent = new Set(entries.map(({ key }) => key));
  return stored.filter(({ key }) => !sent.has(key)).map(({ record_id }) => `${record_id} was never sent`);
}

/** Submissions that were never acknowledged. */
export function unacknowledged({ entries }: Pick<Journal, 'entries'>): Violations {
  return entries.filter(({ record_id }) => record_id === undefined).map(({ key }) => `${key} was never acknowledged`);
}

/** Sizes of a log with two roots, and nodes at which a log lost leaves and grew again: both are forks. */
export function forked(served: readonly ServedTree[]): Violations {
  const sizes = Map.groupBy(served, ({ origin, size }) => `${size} leaves of ${origin}`);
  const histories = Map.groupBy(served, ({ node, origin }) => `${origin} at ${node}`);
  return [
    ...[...sizes]
      .map(([tree, same]) => [tree, [...new Set(same.map(({ root }) => root))]] as const)
      .filter(([, roots]) => roots.length > 1)
      .map(([tree, roots]) => `${tree} have the roots ${roots.join(' and ')}`),
    ...[...histories].flatMap(([log, trees]) => {
      const sizeAgain = grownAgain(trees.map(({ size }) => size));
      return sizeAgain === null ? [] : [`${log} lost leaves and grew again, to ${sizeAgain}`];
    }),
  ];
}

/** The first size after a smaller one that itself came after a larger one; null for none. */
function grownAgain(sizes: readonly number[]): number | null {
  let [largest, before] = [0, 0];
  for (const size of sizes) {
    if (before < largest && size > before) return size;
    largest = Math.max(largest, size);
    before = size;
  }
  return null;
}
