import type { ListedDecision } from '../../domain/decisions/own/owner-records.ts';
import {
  type FaultPart,
  faultyInRow,
  hasFigures,
  readable,
  readableStatus,
} from '../../domain/decisions/views/record-fault.ts';
import { RECORD_FAULTS } from '../../domain/limits.ts';
import type { FaultyRecord } from '../../domain/service-processes.ts';
import type { Ports, Storage } from '../ports.ts';

type Noted = Pick<Storage, 'decisions' | 'replies' | 'graph' | 'ownerRecords' | 'cohorts'>;

/**
 * The same stores; what of a record that they return cannot be read is noted for the operator. Views leave it out by
 * themselves (`readable`). It is looked for in what the reader may see, so for the owner also in the bars.
 */
export function withNotedFaults<S extends Noted>(storage: S, note: Ports['noteFault']): S {
  const { decisions, replies, graph, ownerRecords, cohorts } = storage;
  const formFor = (owner_id: string, viewer: string | null) => (owner_id === viewer ? 'owner' : 'public');
  const noteRows = <Row extends ListedDecision>(rows: readonly Row[]) => {
    for (const row of rows) noteParts(note, row.record_id, faultyInRow(row));
    return rows;
  };
  const noted: Noted = {
    decisions: {
      async find(record_ids, viewer) {
        const found = await decisions.find(record_ids, viewer);
        for (const each of found) {
          const { fault } = readable(each, formFor(each.owner_id, viewer));
          noteParts(note, each.record_id, fault?.parts);
        }
        return found;
      },
      async findStatus(record_ids, viewer) {
        const found = await decisions.findStatus(record_ids, viewer);
        for (const each of found) {
          const { fault } = readableStatus(each, formFor(each.owner_id, viewer));
          noteParts(note, each.record_id, fault?.parts);
        }
        return found;
      },
      async findTabled(record_ids, owner_id) {
        const found = await decisions.findTabled(record_ids, owner_id);
        for (const each of found) noteParts(note, each.record_id, readable(each, 'owner').fault?.parts);
        return found;
      },
    },
    replies: {
      ...replies,
      async find(record_id, viewer, edition) {
        const source = await replies.find(record_id, viewer, edition);
        if (source?.reply === null) {
          const { decision } = source;
          const { fault } = readable(decision, formFor(decision.owner_id, viewer));
          noteParts(note, record_id, fault?.parts);
        }
        return source;
      },
    },
    graph: { ...graph, find: async (record_ids, viewer) => noteRows(await graph.find(record_ids, viewer)) },
    ownerRecords: {
      ...ownerRecords,
      list: async (owner_id, filter, after, limit) => noteRows(await ownerRecords.list(owner_id, filter, after, limit)),
    },
    cohorts: {
      ...cohorts,
      async page(filter, request) {
        const rows = await cohorts.page(filter, request);
        for (const row of rows) if (!hasFigures(row)) note(row.record_id, ['path']);
        return rows;
      },
    },
  };
  return { ...storage, ...noted };
}

/**
 * Reads the records again that were found faulty some time ago: those that are faulty still are noted anew, and the others
 * are forgotten, those that are gone included.
 */
export async function readFaultyAgain(
  { processes, decisions, graph }: Pick<Storage, 'processes' | 'decisions' | 'graph'>,
  now: Date,
): Promise<void> {
  const before = new Date(now.getTime() - RECORD_FAULTS.readAgainAfter);
  const record_ids = await processes.faultyBefore(before, RECORD_FAULTS.readAgain);
  if (record_ids.length === 0) return;
  const found = await decisions.find(record_ids, null);
  const faulty: FaultyRecord[] = [];
  for (const { record_id, owner_id } of found) {
    const [decision] = await decisions.find([record_id], owner_id);
    const [row] = await graph.find([record_id], owner_id);
    const parts = new Set([
      ...((decision && readable(decision, 'owner').fault?.parts) ?? []),
      ...(row ? faultyInRow(row) : []),
    ]);
    if (parts.size > 0) faulty.push({ record_id, parts: [...parts] });
  }
  await processes.noteFaulty(faulty, now);
  await processes.forgetFaulty(record_ids, before);
}

function noteParts(note: Ports['noteFault'], record_id: string, parts: readonly FaultPart[] = []): void {
  if (parts.length > 0) note(record_id, parts);
}
