import type { DecisionReader, StoredReplies } from '../../../domain/decisions/views/decision-reader.ts';

/** Stores none: reading a record from memory is no work. */
export function memoryReplies({ find }: Pick<DecisionReader, 'find'>): StoredReplies {
  return {
    async find(record_id, viewer) {
      const [decision] = await find([record_id], viewer);
      return decision ? { reply: null, decision, basis: null } : null;
    },
    keep: async () => undefined,
    recordsAfter: async () => [],
    prune: async () => undefined,
  };
}
