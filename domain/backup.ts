/**
 * What keeps a process from making backups: no BACKUP_DIR, a folder that it cannot write to, a pg_dump that is missing or
 * older than the server, or no connection as the owner of the schema.
 */
export const BACKUP_OBSTACLES = ['no_folder', 'folder_unusable', 'no_pg_dump', 'no_connection'] as const;
export type BackupObstacle = (typeof BACKUP_OBSTACLES)[number];

/**
 * Why a backup was not made: `pg_dump_failed`; `no_right`: the role may not read every table; `no_room`: its disk has too
 * little; `stopped`: the process ended in order meanwhile; `process_lost`: it is gone or silent, so that the end is not known,
 * as it is in a database that was restored from that backup.
 */
export const BACKUP_FAILURES = [
  'pg_dump_failed',
  'no_right',
  'no_room',
  'folder_unusable',
  'stopped',
  'process_lost',
] as const;
export type BackupFailure = (typeof BACKUP_FAILURES)[number];

export type BackupOutcome =
  | { readonly failure: BackupFailure }
  | { readonly failure: null; readonly bytes: number; readonly pg_dump_version: number };

/** Makes backups of the database in the background, in the folder that the operator configured. */
export interface BackupMaker {
  /** The name of this process, as it reports itself. */
  readonly process: string;

  /** What keeps this process from making one; null: nothing that is known. */
  obstacle(): Promise<BackupObstacle | null>;

  /**
   * Begins a backup, unless one that was begun like this is under way on the database, in whichever process.
   * @param begun runs before anything is written; where it throws, nothing is, and `begin` throws the same
   * @param ended runs once, after the last byte; until it has ended no other backup begins
   * @returns whether this one was begun
   */
  begin(begun: () => Promise<void>, ended: (outcome: BackupOutcome) => Promise<void>): Promise<boolean>;
}
