import { FAULT_PARTS, type FaultPart } from '../../domain/decisions/views/record-fault.ts';
import { RECORD_FAULTS } from '../../domain/limits.ts';
import type { FaultyRecords } from '../../domain/service-processes.ts';
import type { Logger } from '../logging/logger.ts';

/** The records of which this process found parts that it cannot read. */
export interface RecordFaults {
  note(record_id: string, parts: readonly FaultPart[]): void;
  /** For the report of this process. */
  found(): FaultyRecords;
  /** How many records lacked each part, each counted once. */
  counts(): Readonly<Record<FaultPart, number>>;
}

/** Logs each record with each of its parts once; of very many records the oldest are forgotten, and logged again. */
export function recordFaults(log: Pick<Logger, 'error'>): RecordFaults {
  const known = new Map<string, Set<FaultPart>>();
  const counts = Object.fromEntries(FAULT_PARTS.map((part) => [part, 0])) as Record<FaultPart, number>;
  return {
    note(record_id, parts) {
      const before = known.get(record_id) ?? new Set();
      const added = parts.filter((part) => !before.has(part));
      if (added.length === 0) return;
      for (const part of added) counts[part] += 1;
      known.set(record_id, new Set([...before, ...added]));
      const [oldest] = known.keys();
      if (known.size > RECORD_FAULTS.remembered && oldest !== undefined) known.delete(oldest);
      log.error('A record cannot be read in full; its views leave parts out', { record_id, reason: added.join(' ') });
    },
    found: () => ({ total: known.size, newest: [...known.keys()].slice(-RECORD_FAULTS.named).reverse() }),
    counts: () => ({ ...counts }),
  };
}
