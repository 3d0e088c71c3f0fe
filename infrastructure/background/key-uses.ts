import type { Ports } from '../../application/ports.ts';
import { FAULT_PARTS, type FaultPart } from '../../domain/decisions/views/record-fault.ts';
import { API_KEY, RECORD_FAULTS } from '../../domain/limits.ts';
import type { AdmissionDesk } from '../../domain/quotas/admission.ts';
import type { FaultyRecord, FaultyRecords } from '../../domain/service-processes.ts';
import type { Logger } from '../logging/logger.ts';

/**
 * The same desk, which also records the use of each admitted key. No request waits for that or fails because of it;
 * uses that a process has not written when it dies are lost.
 * @param networkOf a keyed hash of the network of an address
 */
export function notingKeyUses(
  { apiKeys, admission }: Pick<Ports, 'apiKeys' | 'admission'>,
  networkOf: (address: string) => string,
  onFault: (fault: unknown) => void,
): AdmissionDesk {
  const note = noteKeyUses(apiKeys, networkOf, onFault);
  return {
    ...admission,
    async admit(request) {
      const answer = await admission.admit(request);
      if ('caller' in answer && answer.caller?.credential === 'api_key') {
        note(answer.caller.key_prefix, request.from, answer.at);
      }
      return answer;
    },
  };
}

/**
 * Writes a key at most once a minute for each address; keys that arrive during a statement go into the next one together,
 * each with its last use.
 */
export function noteKeyUses(
  { noteUse }: Pick<Ports['apiKeys'], 'noteUse'>,
  networkOf: (address: string) => string,
  onFault: (fault: unknown) => void,
): (key_prefix: string, from: string | null, at: Date) => void {
  const seen = new Set<string>();
  const waiting = new Map<string, string | null>();
  let seenSince = 0;
  let writing = false;

  async function write(): Promise<void> {
    writing = true;
    while (waiting.size > 0) {
      const uses = [...waiting].map(([key_prefix, from]) => ({ key_prefix, network: from && networkOf(from) }));
      waiting.clear();
      await noteUse(uses).catch(onFault);
    }
    writing = false;
  }

  return (key_prefix, from, at) => {
    if (at.getTime() >= seenSince + API_KEY.noteEvery) {
      seen.clear();
      seenSince = at.getTime();
    }
    const use = `${key_prefix} ${from}`;
    if (seen.has(use)) return;
    seen.add(use);
    waiting.set(key_prefix, from);
    if (!writing) void write();
  };
}

/** The records of which this process found parts that it cannot read. */
export interface RecordFaults {
  note(record_id: string, parts: readonly FaultPart[]): void;
  /** For the report of this process. */
  found(): FaultyRecords;
  /** Those that were noted since the last call, also again, so that one that was repaired and damaged is known anew. */
  take(): readonly FaultyRecord[];
  /** How many records lacked each part, each counted once. */
  counts(): Readonly<Record<FaultPart, number>>;
}

/** Logs each record with each of its parts once; of very many records the oldest are forgotten, and logged again. */
export function recordFaults(log: Pick<Logger, 'error'>): RecordFaults {
  const known = new Map<string, Set<FaultPart>>();
  const untaken = new Map<string, Set<FaultPart>>();
  const counts = Object.fromEntries(FAULT_PARTS.map((part) => [part, 0])) as Record<FaultPart, number>;
  return {
    note(record_id, parts) {
      remember(untaken, record_id, parts);
      const before = known.get(record_id) ?? new Set();
      const added = parts.filter((part) => !before.has(part));
      if (added.length === 0) return;
      for (const part of added) counts[part] += 1;
      remember(known, record_id, parts);
      log.error('A record cannot be read in full; its views leave parts out', { record_id, reason: added.join(' ') });
    },
    found: () => ({ total: known.size, newest: [...known.keys()].slice(-RECORD_FAULTS.named).reverse() }),
    take() {
      const taken = [...untaken].map(([record_id, parts]) => ({ record_id, parts: [...parts] }));
      untaken.clear();
      return taken;
    },
    counts: () => ({ ...counts }),
  };
}

/** Of very many records the oldest are forgotten. */
function remember(known: Map<string, Set<FaultPart>>, record_id: string, parts: readonly FaultPart[]): void {
  known.set(record_id, new Set([...(known.get(record_id) ?? []), ...parts]));
  const [oldest] = known.keys();
  if (known.size > RECORD_FAULTS.remembered && oldest !== undefined) known.delete(oldest);
}
