import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWheel } from '../../../scripts/wheel.ts';
import { installPackages } from '../stage/debian.ts';
import type { Tally } from '../stage/tally.ts';
import { decisionOn, openAccount, tradingDays } from './accounts.ts';
import { type Run, run } from './programs.ts';

/** What a program with types uses of the package. */
const TYPED = `from typing import Any, Dict
from stancebook import Stancebook, StancebookError
reply: Dict[str, Any] = Stancebook("http://127.0.0.1:3000").submit({"market": "stock"})
error: StancebookError = ValueError()
`;

/** The wheel, installed by pip into an environment of its own, from a login to a grade; on Debian's Python and the newest. */
export async function walkWheel(url: string, python: string, folder: string, tally: Tally): Promise<void> {
  const files = join(folder, 'wheel');
  const [wheel = '', sdist = ''] = buildWheel(files, python);
  const newest = newestPython();
  const tried = [
    [python, wheel] as const,
    [python, sdist] as const,
    ...(newest === null ? [] : [[newest, wheel] as const]),
  ];
  for (const [place, [program, file]] of tried.entries()) {
    const home = join(folder, `python-${place}`);
    const installed = await install(program, home, join(files, file));
    const version = await run(join(home, 'bin/python'), ['--version']);
    const name = `${file} on ${version.stdout.trim()}`;
    tally.holds(`pip installs ${name}`, installed.status === 0, installed);
    await walk(url, home, name, tally);
  }
  await checkTypes(join(folder, 'python-0'), tally);
}

/** The newest of the machine besides Debian's, which may be none. */
function newestPython(): string | null {
  for (let minor = 20; minor > 11; minor -= 1)
    if (spawnSync(`python3.${minor}`, ['-c', 'import venv, ensurepip']).status === 0) return `python3.${minor}`;
  return null;
}

async function install(python: string, home: string, file: string): Promise<Run> {
  if ((await run(python, ['-c', 'import ensurepip'])).status !== 0) installPackages('python3-venv');
  const made = await run(python, ['-m', 'venv', home]);
  if (made.status !== 0) throw new Error(`${python} made no environment: ${made.stdout}${made.stderr}`);
  return run(join(home, 'bin/pip'), ['install', '--quiet', '--no-index', file]);
}

async function walk(url: string, home: string, name: string, { holds }: Tally): Promise<void> {
  const { email, password } = await openAccount(url);
  const config = join(home, 'config');
  mkdirSync(config);
  const options = { environment: { XDG_CONFIG_HOME: config, STANCEBOOK_URL: url }, folder: home };
  const call = (args: readonly string[], input = '') => run(join(home, 'bin/stancebook'), args, { ...options, input });
  const login = await call(['login', '--email', email, '--agent-name', 'Wheel'], `${password}\n`);
  holds(`${name}: login`, login.status === 0, login);
  writeFileSync(join(home, 'decision.json'), JSON.stringify(decisionOn(tradingDays(1)[0] ?? '')));
  const submitted = await call(['submit', 'decision.json']);
  const { record_id = '' } = JSON.parse(submitted.stdout || '{}');
  const graded = await call(['watch', record_id, '--timeout', '90']);
  holds(`${name}: submit and watch, to the grade`, graded.stdout.includes('strong_correct'), [submitted, graded]);
  const reads = [
    ['list', 'market=stock', '--limit', '1'],
    ['show', record_id],
    ['events'],
    ['cohort', 'market=stock', 'symbol=MSFT'],
    ['recall', 'stock', 'MSFT'],
    ['limits'],
    ['plans'],
  ];
  for (const args of reads) {
    const { status, stdout, stderr } = await call(args);
    holds(`${name}: ${args[0]}`, status === 0 && stdout !== '', stdout + stderr);
  }
  const exported = await call(['export', '--email', email], `${password}\n`);
  holds(`${name}: export`, exported.status === 0 && exported.stdout.includes(record_id), exported.stderr);
}

/** A checker of types reads those of the installed package, where the machine has one. */
async function checkTypes(home: string, { holds }: Tally): Promise<void> {
  if (spawnSync('mypy', ['--version']).error !== undefined) {
    console.log('The types of the package are not checked here: install the Debian package mypy.');
    return;
  }
  writeFileSync(join(home, 'typed.py'), TYPED);
  const args = [
    '--strict',
    '--python-executable',
    join(home, 'bin/python'),
    '--cache-dir',
    join(home, 'mypy'),
    'typed.py',
  ];
  const { stdout } = await run('mypy', args, { folder: home });
  const isTyped = /typed\.py:4: error: .*StancebookError/.test(stdout) && stdout.includes('Found 1 error in 1 file');
  holds('mypy knows the types of the package, and finds the planted fault', isTyped, stdout);
  const settings = join(import.meta.dirname, '../../../clients/python/pyproject.toml');
  const own = await run('mypy', ['--config-file', settings, '--cache-dir', join(home, 'mypy'), 'stancebook.py'], {
    folder: join(import.meta.dirname, '../../../clients/python'),
  });
  holds('mypy finds no fault in the client, in its strict mode', own.status === 0, own.stdout);
}
