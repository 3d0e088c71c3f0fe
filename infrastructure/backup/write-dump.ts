import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, realpathSync } from 'node:fs';
import { link, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { ABANDONED_BACKUP } from '../../domain/limits.ts';
import { errorCode } from '../error-code.ts';
import type { OpenedServer } from './open-server.ts';

/** The folder of Debian's packages, one folder below it for each major version. */
const DEBIAN = '/usr/lib/postgresql';

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
 * so a backup that was interrupted never looks like one, and no other file is replaced, also where several are made at once.
 * @param place a file that does not exist, or a folder, in which the file is named by the time
 * @throws Error when no pg_dump fits the server, the file exists, or pg_dump fails
 */
export async function writeDump(server: OpenedServer, place: string, now: Date, ground: Ground): Promise<Dump> {
  const program = await pgDumpFor(server, ground.env);
  const names = await namesAt(place, now);
  const { folder, base } = names;
  await removeAbandoned(folder).catch(() => undefined);
  const partial = join(folder, `.${base}.${randomBytes(4).toString('hex')}.partial`);
  try {
    await (await open(partial, 'wx', 0o600)).close();
    const args = ['--format=custom', '--exclude-table-data=app.reply_texts', `--file=${partial}`];
    const { code, complaints } = await runOnDatabase(program, server.ownerUrl, args, ground);
    if (code !== 0) throw new Error(failure(server, complaints));
    await sync(partial);
    const file = await nameWhole(partial, names);
    await sync(folder);
    const { size } = await stat(file);
    return { file, bytes: size, pg_dump: program.major, warnings: complaints };
  } finally {
    await rm(partial, { force: true });
  }
}

/** The pg_dump that fits the server. @throws Error that says which package of Debian contains one */
export function pgDumpFor(
  { major, ownerName }: Pick<OpenedServer, 'major' | 'ownerName'>,
  env: NodeJS.ProcessEnv,
): Promise<PostgresProgram> {
  const otherwise = ownerName === 'embedded' ? ' Or stop the service and copy DATA_DIR as a whole.' : '';
  return programFor('pg_dump', { oldest: major, otherwise }, env);
}

/** Where a backup gets its name. */
interface Names {
  readonly folder: string;
  readonly base: string;
  /** Whether a name that is taken gets a number: the operator named the folder alone. */
  readonly isFree: boolean;
}

async function namesAt(place: string, now: Date): Promise<Names> {
  const path = resolve(place);
  const state = await stat(path).catch(unlessAbsent);
  if (state?.isDirectory()) {
    const at = now.toISOString().replace(/\.\d+|[-:]/g, '');
    return { folder: path, base: `stancebook-${at}.dump`, isFree: true };
  }
  if (existsSync(path)) throw taken(path);
  if (!existsSync(dirname(path))) throw new Error(`There is no folder ${dirname(path)}: make it first.`);
  return { folder: dirname(path), base: basename(path), isFree: false };
}

function taken(file: string): Error {
  return new Error(`${file} exists already, and a backup never replaces a file: name another.`);
}

/** Gives a whole backup its name. @returns the file */
async function nameWhole(partial: string, { folder, base, isFree }: Names): Promise<string> {
  for (let number = 1; ; number += 1) {
    const file = join(folder, number === 1 ? base : base.replace(/\.dump$/, `-${number}.dump`));
    if (await linked(partial, file)) return file;
    if (!isFree) throw taken(file);
  }
}

/** @returns false where there is such a file */
async function linked(partial: string, file: string): Promise<boolean> {
  try {
    await link(partial, file);
    return true;
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.includes(code)) throw error;
  }
  if (existsSync(file)) return false;
  await rename(partial, file);
  return true;
}

/** What file systems without hard links answer. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

const PARTIAL = /^\..+\.[0-9a-f]{8}\.partial$/;

/** Removes those whose process was killed; pg_dump writes to the others. */
async function removeAbandoned(folder: string): Promise<void> {
  const until = Date.now() - ABANDONED_BACKUP;
  for (const name of (await readdir(folder)).filter((each) => PARTIAL.test(each))) {
    const file = join(folder, name);
    const state = await stat(file).catch(unlessAbsent);
    if (state?.isFile() && state.mtimeMs < until) await rm(file, { force: true });
  }
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

/** A program of PostgreSQL on this machine. The embedded PostgreSQL is the server alone, without these. */
export interface PostgresProgram {
  readonly path: string;
  /** Such as 18. */
  readonly major: number;
}

type ProgramName = 'pg_dump' | 'pg_restore';

/** What a program runs in: the environment, and the signal that ends it early. */
export interface Ground {
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

const run = promisify(execFile);

/** The newest program of that name. @throws Error when there is none */
export async function newestProgram(name: ProgramName, env: NodeJS.ProcessEnv): Promise<PostgresProgram> {
  const [newest] = (await programsNamed(name, env)).toSorted((a, b) => b.major - a.major);
  if (newest) return newest;
  throw new Error(`This needs ${name}, and there is none: on Debian install postgresql-client.`);
}

interface Wanted {
  /** The oldest major version that can do the work. */
  readonly oldest: number;
  /** The major version that does it best; default: the oldest. */
  readonly best?: number;
  /** A sentence about what an operator without the program can do. */
  readonly otherwise?: string;
}

/** The program whose version is nearest to the best one. @throws Error that says which package of Debian contains one */
export async function programFor(
  name: ProgramName,
  { oldest, best = oldest, otherwise = '' }: Wanted,
  env: NodeJS.ProcessEnv,
): Promise<PostgresProgram> {
  const programs = await programsNamed(name, env);
  const distance = ({ major }: PostgresProgram) => Math.abs(major - best);
  const [program] = programs.filter(({ major }) => major >= oldest).toSorted((a, b) => distance(a) - distance(b));
  if (program) return program;
  const found = programs.length === 0 ? 'none' : `only ${programs.map(nameOf).join(', ')}`;
  throw new Error(
    `This needs ${name} of PostgreSQL ${oldest} or later, and there is ${found}: on Debian install ` +
      `postgresql-client-${oldest}, from apt.postgresql.org if Debian has only older ones.${otherwise}`,
  );
}

/** Every version of the program on this machine: those in the folders of PATH, then those of Debian's packages. */
async function programsNamed(name: ProgramName, env: NodeJS.ProcessEnv): Promise<readonly PostgresProgram[]> {
  const folders = env.PATH?.split(delimiter).filter((folder) => folder !== '') ?? [];
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : [];
  return (await Promise.all([...folders, ...versions].map((folder) => programAt(join(folder, name))))).flat();
}

async function programAt(path: string): Promise<readonly PostgresProgram[]> {
  try {
    accessSync(path, constants.X_OK);
    // Debian's wrapper runs another version for another server than the one that it reports.
    if (basename(realpathSync(path)) === 'pg_wrapper') return [];
  } catch {
    return [];
  }
  const { stdout } = await run(path, ['--version'], { timeout: 10_000 }).catch(() => ({ stdout: '' }));
  const [, major] = /\(PostgreSQL\) (\d+)/.exec(stdout) ?? [];
  return major === undefined ? [] : [{ path, major: Number(major) }];
}

function nameOf({ path, major }: PostgresProgram): string {
  return `${major} (${path})`;
}

interface ProgramResult {
  readonly code: number | null;
  readonly output: string;
  /** Warnings and errors. */
  readonly complaints: string;
}

/** Runs the program on the database of the URL. The password is passed in the environment, which others cannot read. */
export function runOnDatabase(
  program: PostgresProgram,
  url: string,
  args: readonly string[],
  { env, ...ground }: Ground,
): Promise<ProgramResult> {
  const bare = new URL(url);
  const password = decodeURIComponent(bare.password) || bare.searchParams.get('password') || env.PGPASSWORD;
  bare.password = '';
  bare.searchParams.delete('password');
  // Only the driver of the service knows these two.
  bare.searchParams.delete('uselibpqcompat');
  if (bare.searchParams.get('sslmode') === 'no-verify') bare.searchParams.set('sslmode', 'require');
  const all = password === undefined ? env : { ...env, PGPASSWORD: password };
  return runProgram(program, ['--no-password', `--dbname=${bare.href}`, ...args], { ...ground, env: all });
}

/** Runs the program to its end, with messages in English. */
export async function runProgram(
  { path }: PostgresProgram,
  args: readonly string[],
  { env, ...ground }: Ground,
): Promise<ProgramResult> {
  const own = { ...env, LC_ALL: 'C' };
  const child = spawn(path, [...args], { ...ground, env: own, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
  const [code, output, complaints] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, output, complaints: complaints.trim() };
}
