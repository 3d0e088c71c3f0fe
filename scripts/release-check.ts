// `npm run release-check [-- FOLDER]`: makes the files of a release in dist/release, and checks that they agree and install.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packInto } from './pack.ts';
import { IMAGE_FOLDERS, isLeftOutOfImage } from './release/image-context.ts';
import { notesOf, otherVersions } from './release/versions.ts';
import { buildWheel } from './wheel.ts';

const ROOT = join(import.meta.dirname, '..');
const PYTHON = process.env.PYTHON ?? 'python3';

const folder = resolve(process.argv[2] ?? join(ROOT, 'dist/release'));
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
const faults: string[] = [];
let passed = 0;

const trial = mkdtempSync(join(tmpdir(), 'stancebook-release-'));
try {
  check(`every file has version ${version}`, otherVersions(version));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const tarball = await packInto(trial);
  cpSync(tarball, join(folder, `stancebook-${version}.tgz`));
  buildWheel(folder, PYTHON);
  writeFileSync(join(folder, `stancebook-${version}.cdx.json`), run(process.execPath, ['scripts/sbom.ts'], ROOT));
  writeFileSync(join(folder, 'NOTES.md'), notesOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version));
  writeImageContext(join(folder, `stancebook-${version}-image.tar.gz`));
  const names = readdirSync(folder).sort();
  const expected = [
    'NOTES.md',
    `stancebook-${version}-image.tar.gz`,
    `stancebook-${version}-py3-none-any.whl`,
    `stancebook-${version}.cdx.json`,
    `stancebook-${version}.tar.gz`,
    `stancebook-${version}.tgz`,
  ];
  check(
    'the release has a package for npm, a wheel, an sdist, what the image is built of, a list of parts and notes',
    differing(names, expected),
  );
  check('the list of parts names this release', partsFaults());
  check('the package has nothing that git does not', await strangers());
  check('the package installs and runs', npmFaults());
  for (const name of expected.filter((each) => /\.whl$|\d\.tar\.gz$/.test(each)))
    check(`${name} installs and runs`, pipFaults(name));
  const sums = names.map((name) => `${sha256(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  check(
    'sha256sum accepts the checksums',
    faultsOf(() => run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], folder)),
  );
} catch (error) {
  check('the release is made', [error instanceof Error ? error.message : String(error)]);
} finally {
  rmSync(trial, { recursive: true, force: true });
}
console.log(`${folder}\nRelease: ${passed} passed, ${faults.length} failed`);
process.exitCode = faults.length === 0 ? 0 : 1;

function check(promise: string, found: readonly string[]): void {
  if (found.length === 0) passed += 1;
  else faults.push(promise);
  console.log([`${found.length === 0 ? 'held  ' : 'BROKEN'} ${promise}`, ...found].join('\n       '));
}

function differing(found: readonly string[], expected: readonly string[]): readonly string[] {
  const missing = expected.filter((name) => !found.includes(name)).map((name) => `${name} is missing`);
  return [...missing, ...found.filter((name) => !expected.includes(name)).map((name) => `${name} is there, too`)];
}

/** What `docker build` needs: the Dockerfile and what .dockerignore lets through, as far as git has it. */
function writeImageContext(file: string): void {
  const isIn = (path: string) => IMAGE_FOLDERS.some((name) => path === name || path.startsWith(`${name}/`));
  const tracked = run('git', ['ls-files'], ROOT)
    .split('\n')
    .filter((path) => isIn(path) && !isLeftOutOfImage(path));
  const list = join(trial, 'context');
  writeFileSync(list, ['.dockerignore', 'Dockerfile', ...tracked].map((path) => `${path}\n`).join(''));
  const same = [
    '--sort=name',
    '--mtime=@315532800',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=a+rX,u+w,go-w',
  ];
  run('tar', ['--create', '--file', file, '--use-compress-program=gzip -n', ...same, '--files-from', list], ROOT);
}

function partsFaults(): readonly string[] {
  const { metadata } = JSON.parse(readFileSync(join(folder, `stancebook-${version}.cdx.json`), 'utf8'));
  return metadata.component.version === version ? [] : [`it names ${metadata.component.version}`];
}

/** Files of the package that are read as they are, and are neither of the project nor made by the build. */
async function strangers(): Promise<readonly string[]> {
  const made = /\/(browser|libraries)\.json$|\.mjs$/;
  const known = new Set(run('git', ['ls-files'], ROOT).split('\n'));
  const listed = run('tar', ['-tzf', join(folder, `stancebook-${version}.tgz`)]).split('\n');
  const read = listed.filter((path) => path.startsWith('package/dist/files/') && !path.endsWith('/'));
  return read
    .map((path) => path.slice('package/dist/files/'.length))
    .filter((path) => !known.has(path) && !made.test(path));
}

/** Installed as a user does; the embedded PostgreSQL and the sample prices are optional. */
function npmFaults(): readonly string[] {
  const home = join(trial, 'npm');
  mkdirSync(home);
  return faultsOf(() => {
    const options = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
    run('npm', ['install', ...options, join(folder, `stancebook-${version}.tgz`)], home);
    return run(join(home, 'node_modules/.bin/stancebook'), ['--version'], home);
  });
}

/** Installed into an environment of its own, from the file alone. */
function pipFaults(name: string): readonly string[] {
  const home = join(trial, name);
  return faultsOf(() => {
    run(PYTHON, ['-m', 'venv', home]);
    run(join(home, 'bin/pip'), ['install', '--quiet', '--no-index', join(folder, name)]);
    run(join(home, 'bin/python'), [
      '-c',
      'import stancebook, importlib.resources as r; (r.files(stancebook) / "py.typed").read_bytes()',
    ]);
    return run(join(home, 'bin/stancebook'), ['--version']);
  });
}

/** What is wrong with a program that prints the version, or with any other that fails. */
function faultsOf(use: () => string): readonly string[] {
  try {
    const printed = use().trim();
    return printed.includes(version) || printed.includes('OK') ? [] : [`it printed ${printed}`];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function run(program: string, args: readonly string[], cwd: string = trial): string {
  const { status, error, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0)
    throw new Error(`${program} ${args[0]} failed: ${error?.message ?? (stdout + stderr).trim().slice(-2_000)}`);
  return stdout;
}
