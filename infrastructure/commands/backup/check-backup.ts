import { canLog, logBackup, withStorage } from '../../backup/backup-log.ts';
import { type OpenedServer, openServer } from '../../backup/open-server.ts';
import { prepareRestored, restoreDump, UnusableBackup } from '../../backup/restore-dump.ts';
import { withScratchDatabase } from '../../backup/scratch-database.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { requireDatabaseIn } from '../../config/data-folder.ts';
import { argumentsIn } from '../arguments.ts';
import { type ExitCode, type OfflineCommand, type OfflineContext, UsageError } from '../command.ts';
import { checkEvidenceOn, type EvidenceResult } from '../evidence/check-evidence.ts';

/** Proves that a backup can be restored, on the server of the database but not in it. */
export const checkBackupCommand: OfflineCommand = {
  usage: 'FILE',
  summary: 'restore a backup into a scratch database of the same server, check its evidence, and drop it again',
  json: '{ ok, fault: null or why it cannot be restored, warnings, evidence: as of check-evidence, or null }',
  opens: 'nothing',
  read(args) {
    const [file, ...others] = argumentsIn(args, {}).positionals;
    if (file === undefined || others.length > 0) throw new UsageError('Name one file.');
    return (context) => checkBackup(context, file);
  },
};

interface Checked {
  readonly fault: string | null;
  /** What pg_restore printed. */
  readonly warnings: string;
  readonly evidence: EvidenceResult | null;
}

async function checkBackup({ env, print, report }: OfflineContext, file: string): Promise<ExitCode> {
  requireDatabaseIn(env);
  const config = readConfig(env);
  const server = await openServer(config);
  try {
    const { fault, warnings, evidence } = await checked(server, config, { env, print, file });
    const ok = fault === null && warnings === '' && evidence?.ok === true;
    for (const line of [fault, warnings]) if (line !== null && line !== '') print(line);
    print(ok ? 'The backup can be restored, and nothing in it is at fault.' : 'The backup did not pass the check.');
    const detail = { ok, records: evidence?.report.records ?? null };
    if (canLog(server)) await logBackup(server, config, 'check_backup', detail);
    report({ ok, fault, warnings, evidence: evidence?.report ?? null });
    return ok ? 0 : 1;
  } finally {
    await server.close();
  }
}

interface Check extends Pick<OfflineContext, 'env' | 'print'> {
  readonly file: string;
}

function checked(server: OpenedServer, config: Config, { env, print, file }: Check): Promise<Checked> {
  return withScratchDatabase(server, async (scratch) => {
    try {
      const warnings = await restoreDump(scratch, file, env);
      await prepareRestored(scratch);
      // As the owner: a pooler for the service may not know this database.
      const evidence = await withStorage(scratch.ownerUrl, config, (storage) =>
        checkEvidenceOn({ storage, print, withCohorts: true }),
      );
      return { fault: null, warnings, evidence };
    } catch (error) {
      if (!(error instanceof UnusableBackup)) throw error;
      return { fault: error.message, warnings: '', evidence: null };
    }
  });
}
