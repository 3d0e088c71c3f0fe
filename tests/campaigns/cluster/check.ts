import type { Journal } from './journal.ts';
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
