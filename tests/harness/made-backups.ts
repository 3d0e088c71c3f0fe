import type { BackupMaker, BackupOutcome } from '../../domain/backup.ts';

/** A process that makes no backups. */
export const NO_BACKUPS: BackupMaker = {
  process: 'none',
  obstacle: async () => 'no_folder',
  begin: async () => false,
};

/** A process whose backups end at once, without a program that writes one. */
export function madeBackups(
  outcome: BackupOutcome = { failure: null, bytes: 1_024, pg_dump_version: 99 },
): BackupMaker {
  return {
    process: 'a:1',
    obstacle: async () => null,
    async begin(begun, ended) {
      await begun();
      await ended(outcome);
      return true;
    },
  };
}
