import type { AuditLog } from '../../domain/audit-log.ts';

/** When the command line last made and last checked a backup; null: never, as far as this database knows. */
export interface BackupState {
  readonly last_made_at: Date | null;
  readonly last_checked_at: Date | null;
  /** Whether the last check found no fault. */
  readonly last_check_ok: boolean | null;
}

/** From the entries of the audit log that the commands `backup` and `check-backup` write. */
export async function backupState(audit: Pick<AuditLog, 'about'>): Promise<BackupState> {
  const [made] = await audit.about('backup', 1);
  const [checked] = await audit.about('check_backup', 1);
  return {
    last_made_at: made?.at ?? null,
    last_checked_at: checked?.at ?? null,
    last_check_ok: checked === undefined ? null : checked.detail.ok === true,
  };
}
