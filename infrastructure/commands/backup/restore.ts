import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Storage } from '../../../application/ports.ts';
import { logBackup, withStorage } from '../../backup/backup-log.ts';
import { type OpenedServer, openServer } from '../../backup/open-server.ts';
import { prepareRestored, restoreDump } from '../../backup/restore-dump.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { connectDatabase } from '../../database/connect-database.ts';
import { otherSecrets, replaceNotedSecret, usedSecrets } from '../../database/secret-fingerprints.ts';
import { argumentsIn } from '../arguments.ts';
import { type ExitCode, type OfflineCommand, type OfflineContext, UsageError } from '../command.ts';
import { checkEvidenceOn } from '../evidence/check-evidence.ts';

/** The documented restore: pg_restore, the schema of this release, what a new cluster needs, and a check. */
export const restoreCommand: OfflineCommand = {
  usage: 'FILE [--new-secrets]',
  summary:
    'restore a backup into an empty database (DATABASE_URL, else a new DATA_DIR) and check its evidence; ' +
    '--new-secrets: without the PASSWORD_PEPPER of the lost service',
  json: '{ warnings: text of pg_restore, empty for a good restore, other_secrets: names, evidence: as of check-evidence }',
  opens: 'nothing',
  read(args) {
    const { positionals, values } = argumentsIn(args, { 'new-secrets': { type: 'boolean', default: false } });
    const [file, ...others] = positionals;
    if (file === undefined || others.length > 0) throw new UsageError('Name one file.');
    return (context) => restore(context, file, values['new-secrets']);
  },
};

async function restore({ env, print, report }: OfflineContext, file: string, newSecrets: boolean): Promise<ExitCode> {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  if (!newSecrets) requirePepper(env);
  const config = readConfig(env);
  const server = await openServer(config);
  try {
    const warnings = await restoreDump(server, file, env);
    await prepareRestored(server);
    print(`${file} was restored. It contains no bar files: copy yours to ${config.marketData.barsDir}.`);
    if (warnings !== '') print(`pg_restore printed warnings:\n${warnings}`);
    const others = await restoredSecrets(server, config, newSecrets);
    if (others.length > 0) print(`The backup was used with another ${others.join(' and another ')}: ${ADVICE}`);
    const evidence = await withStorage(server.serviceUrl, config, async (storage) => {
      for (const line of await restoredLogLines(storage)) print(line);
      return checkEvidenceOn({ storage, print, withCohorts: true });
    });
    await logBackup(server, config, 'restore', { ok: evidence.ok, records: evidence.report.records });
    report({ warnings, other_secrets: others, evidence: evidence.report });
    return evidence.ok && warnings === '' && others.length === 0 ? 0 : 1;
  } finally {
    await server.close();
  }
}

const ADVICE =
  'copy the secrets of the lost service to the folder, or into the variables, before a start; where they are lost, run ' +
  'npm run admin -- renew-secret session-secret --lost, and the same for password-pepper.';

/** The names of secrets that are not those of the lost service; new ones take their place where that is wanted. */
async function restoredSecrets({ serviceUrl, ownerName }: OpenedServer, config: Config, newSecrets: boolean) {
  const client = await connectDatabase(serviceUrl, ownerName);
  try {
    const others = await otherSecrets(client, config);
    if (!newSecrets) return others;
    for (const secret of usedSecrets(config).filter(({ name }) => others.includes(name)))
      await replaceNotedSecret(client, secret);
    return [];
  } finally {
    await client.end();
  }
}

/** A worker on another machine has no note of later leaves, so it would sign other ones in their place. */
async function restoredLogLines({ log: store }: Pick<Storage, 'log'>): Promise<readonly string[]> {
  const log = await store.newest();
  if (log === null) return [];
  const size = (await store.published(log.log))?.size ?? 0;
  return [
    `The backup has the first ${size} leaves of ${log.origin}. If anybody may have seen later ones, run ` +
      'npm run admin -- log-new before a worker starts (docs/log-operation.md).',
  ];
}

/** With DATABASE_URL the configuration requires the variable; a new DATA_DIR would get a new pepper. */
function requirePepper(env: NodeJS.ProcessEnv): void {
  if (env.DATABASE_URL || env.PASSWORD_PEPPER) return;
  const secrets = join(resolve(env.DATA_DIR || './data'), 'secrets');
  if (existsSync(join(secrets, 'password-pepper'))) return;
  throw new Error(
    `${secrets} has no password-pepper, and with a new one no password of the backup works. ` +
      'Copy password-pepper, session-secret and log-key of the lost service there, or send --new-secrets.',
  );
}
