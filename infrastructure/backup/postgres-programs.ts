import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';

/** A program of PostgreSQL on this machine. The embedded PostgreSQL is the server alone, without these. */
export interface PostgresProgram {
  readonly path: string;
  /** Such as 18. */
  readonly major: number;
}

type ProgramName = 'pg_dump' | 'pg_restore';

/** The newest program of that name. @throws Error when there is none */
export function newestProgram(name: ProgramName, env: NodeJS.ProcessEnv): PostgresProgram {
  const [newest] = programsNamed(name, env).toSorted((a, b) => b.major - a.major);
  if (newest) return newest;
  throw new Error(`This needs ${name}, and there is none: on Debian install postgresql-client.`);
}

export interface Wanted {
  /** The oldest major version that can do the work. */
  readonly oldest: number;
  /** The major version that does it best; default: the oldest. */
  readonly best?: number;
  /** A sentence about what an operator without the program can do. */
  readonly otherwise?: string;
}

/** The program whose version is nearest to the best one. @throws Error that says which package of Debian contains one */
export function programFor(
  name: ProgramName,
  { oldest, best = oldest, otherwise = '' }: Wanted,
  env: NodeJS.ProcessEnv,
): PostgresProgram {
  const programs = programsNamed(name, env);
  const distance = ({ major }: PostgresProgram) => Math.abs(major - best);
  const [program] = programs.filter(({ major }) => major >= oldest).toSorted((a, b) => distance(a) - distance(b));
  if (program) return program;
  const found = programs.length === 0 ? 'none' : `only ${programs.map(nameOf).join(', ')}`;
  throw new Error(
    `This needs ${name} of PostgreSQL ${oldest} or later, and there is ${found}: on Debian install ` +
      `postgresql-client-${oldest}, from apt.postgresql.org if Debian has only older ones.${otherwise}`,
  );
}

/** The folder of Debian's packages, one folder below it for each major version. */
const DEBIAN = '/usr/lib/postgresql';

/** Every version of the program on this machine: those in the folders of PATH, then those of Debian's packages. */
function programsNamed(name: ProgramName, env: NodeJS.ProcessEnv): readonly PostgresProgram[] {
  const folders = env.PATH?.split(delimiter).filter((folder) => folder !== '') ?? [];
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : [];
  return [...folders, ...versions].flatMap((folder) => programAt(join(folder, name)));
}

function programAt(path: string): readonly PostgresProgram[] {
  try {
    accessSync(path, constants.X_OK);
    // Debian's wrapper runs another version for another server than the one that it reports.
    if (basename(realpathSync(path)) === 'pg_wrapper') return [];
  } catch {
    return [];
  }
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  const [, major] = /\(PostgreSQL\) (\d+)/.exec(stdout ?? '') ?? [];
  return major === undefined ? [] : [{ path, major: Number(major) }];
}

function nameOf({ path, major }: PostgresProgram): string {
  return `${major} (${path})`;
}

export interface ProgramResult {
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
  env: NodeJS.ProcessEnv,
): Promise<ProgramResult> {
  const bare = new URL(url);
  const password = decodeURIComponent(bare.password) || bare.searchParams.get('password') || env.PGPASSWORD;
  bare.password = '';
  bare.searchParams.delete('password');
  // Only the driver of the service knows these two.
  bare.searchParams.delete('uselibpqcompat');
  if (bare.searchParams.get('sslmode') === 'no-verify') bare.searchParams.set('sslmode', 'require');
  const all = password === undefined ? env : { ...env, PGPASSWORD: password };
  return runProgram(program, ['--no-password', `--dbname=${bare.href}`, ...args], all);
}

/** Runs the program to its end, with messages in English. */
export async function runProgram(
  { path }: PostgresProgram,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ProgramResult> {
  const child = spawn(path, [...args], { env: { ...env, LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
  const [code, output, complaints] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, output, complaints: complaints.trim() };
}
