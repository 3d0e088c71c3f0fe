import { readConfig } from '../config/config.ts';
import { bringUpToDate } from '../database/database.ts';
import { requireUsableDatabase, requireUsableServer } from '../database/database-check.ts';
import { argumentsIn } from './arguments.ts';
import { type OfflineCommand, UsageError } from './command.ts';

/** Brings the schema up to this release before the nodes that have no right to it start. */
export const migrateCommand: OfflineCommand = {
  usage: '',
  summary: 'bring the schema of your own PostgreSQL up to this release, as a start with MIGRATION_DATABASE_URL does',
  opens: 'nothing',
  read(args) {
    if (argumentsIn(args, {}).positionals.length > 0) throw new UsageError('This command takes nothing.');
    return async ({ env, print }) => {
      if (!env.DATABASE_URL)
        throw new Error('DATABASE_URL is not set: the service itself migrates its embedded database.');
      const { url, migrationUrl, pooled } = readConfig(env).database;
      const check = { url: url ?? '', external: true, pooled };
      await requireUsableServer(check);
      const changed = await bringUpToDate({ owner: migrationUrl ?? check.url, url: check.url }, SILENT);
      await requireUsableDatabase(check);
      print(changed.ran.length > 0 ? `These migrations ran: ${changed.ran.join(', ')}.` : 'No migration was missing.');
      print(`The functions of the database are ${STATES[changed.functions]}.`);
      return 0;
    };
  },
};

const SILENT = { info: () => undefined, warn: () => undefined };
const STATES = {
  applied: 'those of this release now',
  current: 'those of this release, as before',
  newer: 'those of a newer release, and stay',
} as const;
