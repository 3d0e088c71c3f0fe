import type { NoteSignature } from '../../../domain/log/notes/note.ts';
import type { SignatureStore, StoredKey, WitnessReport } from '../../../domain/log/notes/signature-store.ts';
import type { Table } from '../kit/table.ts';
import type { LogTables } from './log-tables.ts';

export interface SignatureTables {
  /** By log and key. */
  readonly logKeys: Table<string, StoredKey & { readonly log: number }>;
  /** By log, size and key. */
  readonly logSignatures: Table<string, NoteSignature & { readonly log: number; readonly size: number }>;
  /** By log and key. */
  readonly logWitnesses: Table<string, WitnessReport & { readonly log: number }>;
}

type Tables = SignatureTables & Pick<LogTables, 'logCheckpoints'>;

export function memorySignatures(
  { logKeys, logSignatures, logWitnesses, logCheckpoints }: Tables,
  now: () => Date,
): SignatureStore {
  return {
    keys: async (log) => logKeys.where((row) => row.log === log).map(({ log: _, ...row }) => row),
    async addKey(log, key) {
      const at = `${log} ${key.key_id}`;
      if (!logKeys.get(at)) logKeys.set(at, { log, ...key, since: now() });
    },
    signatures: async (log, size) =>
      logSignatures
        .where((row) => row.log === log && row.size === size)
        .map(({ name, id, signature }) => ({ name, id, signature })),
    async addSignature(log, size, signature) {
      const at = `${log} ${size} ${signature.name} ${signature.id}`;
      if (!logSignatures.get(at)) logSignatures.set(at, { log, size, ...signature });
    },
    reports: async (log) => logWitnesses.where((row) => row.log === log).map(({ log: _, ...row }) => row),
    async report(log, report) {
      const at = `${log} ${report.name} ${report.id}`;
      if ((logWitnesses.get(at)?.size ?? 0) <= report.size) logWitnesses.set(at, { log, ...report });
    },
    async meetQuorum(log, size) {
      const at = `${log} ${size}`;
      const row = logCheckpoints.get(at);
      const later = logCheckpoints.where((each) => each.log === log && each.size > size && each.witnessed_at !== null);
      if (row?.witnessed_at === null && later.length === 0) logCheckpoints.set(at, { ...row, witnessed_at: now() });
    },
  };
}
