import { join } from 'node:path';
import { canLog, logBackup } from '../../backup/backup-log.ts';
import { type OpenedServer, openServer } from '../../backup/open-server.ts';
import { type Dump, writeDump } from '../../backup/write-dump.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { requireDatabaseIn } from '../../config/data-folder.ts';
import { argumentsIn } from '../arguments.ts';
import { type ExitCode, type OfflineCommand, type OfflineContext, UsageError } from '../command.ts';

/** A dump of the whole database, of any release, while the service runs or while it does not. */
export const backupCommand: OfflineCommand = {
  usage: 'FILE | DIR',
  summary: 'write a backup of the database with pg_dump, into a new file or one named by the time in the folder',
  json: '{ file, bytes, server_version, pg_dump_version, warnings: text of pg_dump, empty for a good backup }',
  opens: 'nothing',
  read(args) {
    const [place, ...others] = argumentsIn(args, {}).positionals;
    if (place === undefined || others.length > 0) throw new UsageError('Name one file or folder.');
    return (context) => backUp(context, place);
  },
};

async function backUp({ env, print, report }: OfflineContext, place: string): Promise<ExitCode> {
  requireDatabaseIn(env);
  const config = readConfig(env);
  const server = await openServer(config);
  try {
    if (server.schema.isNew)
      throw new Error('The database has no tables of the service yet, so there is nothing to back up.');
    const dump = await writeDump(server, place, new Date(), env);
    const { file, bytes, pg_dump, warnings } = dump;
    for (const line of linesOf(dump, server, config)) print(line);
    if (canLog(server)) await logBackup(server, config, 'backup', { bytes, pg_dump_version: pg_dump });
    else print('The audit log has no entry of it, because the schema is not of this release.');
    report({ file, bytes, server_version: server.major, pg_dump_version: pg_dump, warnings });
    return warnings === '' ? 0 : 1;
  } finally {
    await server.close();
  }
}

function linesOf({ file, bytes, pg_dump, warnings }: Dump, { major }: OpenedServer, config: Config): readonly string[] {
  const { database, dataDir, marketData } = config;
  const secrets =
    database.url === null ? `the secrets in ${join(dataDir, 'secrets')}` : 'SESSION_SECRET, PASSWORD_PEPPER';
  return [
    `${file}: ${(bytes / 1e6).toFixed(1)} MB, from PostgreSQL ${major} by pg_dump ${pg_dump}.`,
    `It does not contain ${secrets} and the bar files in ${marketData.barsDir}: keep copies of them in another place.`,
    ...(pg_dump > major
      ? [
          `Restore it on PostgreSQL ${pg_dump} or later, because pg_dump is newer than the server: ` +
            `for this version install postgresql-client-${major} and back up again.`,
        ]
      : []),
    ...(warnings === '' ? [] : [`pg_dump printed warnings; check the backup with check-backup:\n${warnings}`]),
  ];
}
