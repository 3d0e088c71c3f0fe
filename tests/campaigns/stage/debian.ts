import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The folder of the newest PostgreSQL of Debian that has this program. Installs the package `postgresql` when there is
 * none. The embedded PostgreSQL has the server alone, without pg_dump or pg_basebackup.
 */
export function requirePostgres(program: string): string {
  if (!findPostgres(program)) installPackages('postgresql');
  const folder = findPostgres(program);
  if (!folder) throw new Error(`The Debian package postgresql is installed and has no ${program}.`);
  return folder;
}

const POSTGRES = '/usr/lib/postgresql';
/** Each program of apt has it locked while it runs: campaigns that run at the same time wait for one another. */
const APT = '/var/lib/apt';

/** The folder of the newest PostgreSQL of Debian that has this program; undefined when there is none. */
export function findPostgres(program: string): string | undefined {
  if (!existsSync(POSTGRES)) return undefined;
  const versions = readdirSync(POSTGRES).toSorted((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(POSTGRES, version, 'bin')).find((bin) => existsSync(join(bin, program)));
}

/** Installs packages of Debian. @throws Error when this user may not, or when apt-get fails */
export function installPackages(...packages: readonly string[]): void {
  const names = packages.join(' ');
  if (process.geteuid?.() !== 0) throw new Error(`Install the Debian packages ${names}, or run this as root.`);
  console.log(`Installing ${names}...`);
  apt('apt-get', ['update']);
  apt('apt-get', ['install', '--yes', '--no-install-recommends', ...packages]);
}

/**
 * Unpacks a package of Debian, and those that it needs and that are not installed, and installs none.
 * @param unneeded packages to leave out, with what they alone need
 * @throws Error when a program of Debian is missing or fails
 */
export function unpackPackage(name: string, folder: string, unneeded: readonly string[]): void {
  console.log(`Unpacking ${name}...`);
  if (process.geteuid?.() === 0) apt('apt-get', ['update']);
  mkdirSync(folder);
  const others = ['recommends', 'suggests', 'enhances', 'conflicts', 'breaks', 'replaces'].map(
    (each) => `--no-${each}`,
  );
  const needs = needsOf(apt('apt-cache', ['depends', '--recurse', ...others, name]));
  const left = new Set([...unneeded, ...installedPackages()]);
  const wanted = new Set([name]);
  for (const each of wanted) for (const need of needs.get(each) ?? []) if (!left.has(need)) wanted.add(need);
  apt('apt-get', ['download', ...wanted], folder);
  const archives = readdirSync(folder).filter((file) => file.endsWith('.deb'));
  for (const archive of archives) runProgram('dpkg-deb', ['--extract', archive, '.'], folder);
}

/**
 * The packages that each package needs, as `apt-cache depends` lists them: the first one of alternatives, whose lines
 * begin with `|` but for the last; a package in angle brackets is one of several, which are listed below it.
 */
function needsOf(list: string): ReadonlyMap<string, readonly string[]> {
  const needs = new Map<string, string[]>();
  let [of, isAlternative]: [string[], boolean] = [[], false];
  for (const line of list.split('\n')) {
    const [, bar, need = ''] = /^ ([ |])(?:Pre)?Depends: (\S+)$/.exec(line) ?? [];
    if (/^\S/.test(line)) {
      of = [];
      needs.set(line, of);
    } else if (bar) {
      if (!isAlternative && !need.startsWith('<')) of.push(need);
      isAlternative = bar === '|';
    }
  }
  return needs;
}

function installedPackages(): readonly string[] {
  const list = runProgram('dpkg', ['--get-selections']);
  return [...list.matchAll(/^([^\s:]+)\S*\s+install$/gm)].flatMap(([, name]) => name ?? []);
}

function apt(program: string, args: readonly string[], cwd?: string): string {
  return runProgram('flock', [APT, program, ...args], cwd);
}

function runProgram(program: string, args: readonly string[], cwd = '.'): string {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, error, stdout, stderr } = spawnSync(program, [...args], { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
  return stdout;
}
