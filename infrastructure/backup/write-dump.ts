import { existsSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode } from '../error-code.ts';
import type { OpenedServer } from './open-server.ts';
import { type PostgresProgram, programFor, runOnDatabase } from './postgres-programs.ts';

export interface Dump {
  /** Absolute. */
  readonly file: string;
  readonly bytes: number;
  /** Major version of pg_dump. */
  readonly pg_dump: number;
  /** What pg_dump printed; empty unless something is wrong. */
  readonly warnings: string;
}

/**
 * Dumps the database into a file that only this user can read. The file gets its name when it is complete and on disk,
 * so a backup that was interrupted never looks like one.
 * @param place a file that does not exist, or a folder, in which the file is named by the time
 * @throws Error when no pg_dump fits the server, the file exists, or pg_dump fails
 */
export async function writeDump(server: OpenedServer, place: string, now: Date, env: NodeJS.ProcessEnv): Promise<Dump> {
  const program = pgDumpFor(server, env);
  const file = await fileAt(place, now);
  const partial = join(dirname(file), `.${basename(file)}.partial`);
  try {
    await (await open(partial, 'w', 0o600)).close();
    const args = ['--format=custom', '--exclude-table-data=app.reply_texts', `--file=${partial}`];
    const { code, complaints } = await runOnDatabase(program, server.ownerUrl, args, env);
    if (code !== 0) throw new Error(failure(server, complaints));
    await sync(partial);
    await rename(partial, file);
    await sync(dirname(file));
    const { size } = await stat(file);
    return { file, bytes: size, pg_dump: program.major, warnings: complaints };
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

function pgDumpFor({ major, ownerName }: OpenedServer, env: NodeJS.ProcessEnv): PostgresProgram {
  const otherwise = ownerName === 'embedded' ? ' Or stop the service and copy DATA_DIR as a whole.' : '';
  return programFor('pg_dump', { oldest: major, otherwise }, env);
}

async function fileAt(place: string, now: Date): Promise<string> {
  const path = resolve(place);
  const state = await stat(path).catch(unlessAbsent);
  const at = now.toISOString().replace(/\.\d+|[-:]/g, '');
  const file = state?.isDirectory() ? join(path, `stancebook-${at}.dump`) : path;
  if (existsSync(file)) throw new Error(`${file} exists already, and a backup never replaces a file: name another.`);
  if (!existsSync(dirname(file))) throw new Error(`There is no folder ${dirname(file)}: make it first.`);
  return file;
}

function unlessAbsent(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
}

function failure({ ownerName }: OpenedServer, complaints: string): string {
  const isDenied = ownerName === 'DATABASE_URL' && complaints.includes('permission denied');
  const advice = isDenied ? '\nSet MIGRATION_DATABASE_URL to the URL of the role that owns the schema.' : '';
  return `pg_dump failed, and no backup was written:\n${complaints}${advice}`;
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
