import { randomUUID } from 'node:crypto';
import type { AuditLog } from '../../domain/audit-log.ts';
import { BACKUP_FAILURES, type BackupObstacle } from '../../domain/backup.ts';
import { Problem } from '../../domain/problem.ts';
import type { ConfirmLogin } from '../accounts/sign-in/recent-login.ts';
import type { Ports } from '../ports.ts';
import type { BackupState, ProcessStatus } from './status-figures.ts';

/** Each action is its own subject in the audit log, so that its newest entry is found at once. */
const [REQUESTED, MADE, FAILED, CHECKED] = ['request_backup', 'backup', 'fail_backup', 'check_backup'];

/**
 * Begins a backup in the background, for an operator. The audit log gets an entry when it begins and one when it ends; the
 * latter is that of the command `backup`.
 * @param actor the owner_id of the operator
 * @returns `already_running`: one that an operator requested is not done yet, and no other begins
 * @throws Problem BACKUP_NOT_CONFIGURED, REAUTHENTICATION_REQUIRED
 */
export async function requestBackup(
  { backupMaker, transaction }: Pick<Ports, 'backupMaker' | 'transaction'>,
  actor: string,
  confirmLogin: ConfirmLogin,
): Promise<'started' | 'already_running'> {
  const obstacle = await backupMaker.obstacle();
  if (obstacle !== null) throw new Problem('BACKUP_NOT_CONFIGURED', OBSTACLES[obstacle]);
  await transaction(({ sessions }) => confirmLogin({ sessions }));
  const request_id = randomUUID();
  const append = (action: string, detail: Readonly<Record<string, unknown>>) =>
    transaction(({ audit }) => audit.append({ actor, action, subject: action, detail: { request_id, ...detail } }));
  const isBegun = await backupMaker.begin(
    () => append(REQUESTED, { process: backupMaker.process }),
    ({ failure, ...made }) => (failure === null ? append(MADE, made) : append(FAILED, { failure })),
  );
  return isBegun ? 'started' : 'already_running';
}

const OBSTACLES: Readonly<Record<BackupObstacle, string>> = {
  no_folder: 'BACKUP_DIR names no folder for backups.',
  folder_unusable: 'The folder of BACKUP_DIR is not there, or cannot be written to.',
  no_pg_dump: 'There is no pg_dump that fits the server of the database.',
  no_connection: 'The database cannot be reached as the owner of its schema.',
};

/** More than are made while one is under way. */
const MEANWHILE = 10;

/** From the entries of the audit log that `requestBackup` and the commands `backup` and `check-backup` write. */
export async function backupState(
  audit: Pick<AuditLog, 'about'>,
  obstacle: BackupObstacle | null,
  processes: readonly ProcessStatus[],
): Promise<BackupState> {
  const made = await audit.about(MADE, MEANWHILE);
  const [failed] = await audit.about(FAILED, 1);
  const [checked] = await audit.about(CHECKED, 1);
  const [requested] = await audit.about(REQUESTED, 1);
  const isDone = [...made, ...(failed ? [failed] : [])].some(
    ({ detail }) => detail.request_id === requested?.detail.request_id,
  );
  const open = requested === undefined || isDone ? null : requested;
  const isAlive =
    open !== null &&
    processes.some(
      ({ process, state, started_at }) =>
        state === 'reporting' && process === open.detail.process && started_at <= open.at,
    );
  const lost = open !== null && !isAlive ? { at: open.at, failure: 'process_lost' as const } : null;
  const failure = lost?.failure ?? BACKUP_FAILURES.find((each) => each === failed?.detail.failure) ?? null;
  return {
    last_made_at: made[0]?.at ?? null,
    last_checked_at: checked?.at ?? null,
    last_check_ok: checked === undefined ? null : checked.detail.ok === true,
    running_since: isAlive ? open.at : null,
    last_failed_at: lost?.at ?? failed?.at ?? null,
    last_failure: failure,
    obstacle,
  };
}
