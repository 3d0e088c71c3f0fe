import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPostgres } from '../stage/debian.ts';
import { CONNECTIONS } from './calls.ts';
import type { Measured } from './measured.ts';

export interface Transactions {
  readonly databaseUrl: string;
  /** A pgbench script; it may use `:first`, and `:n`, which begins at -1. */
  readonly script: string;
  readonly first: number;
  readonly seconds: number;
  /** The folder for its files during the run. */
  readonly folder: string;
}

const SHARE_LOGGED = 0.1;

/** The path of pgbench, from the PATH or Debian's PostgreSQL packages; null when there is none. */
export function findPgbench(): string | null {
  if (spawnSync('pgbench', ['--version']).status === 0) return 'pgbench';
  const folder = findPostgres('pgbench');
  return folder ? join(folder, 'pgbench') : null;
}

export function versionOf(pgbench: string): string {
  return spawnSync(pgbench, ['--version'], { encoding: 'utf8' }).stdout.trim();
}

/** Runs the script with prepared statements over as many connections as the HTTP load has. */
export async function runPgbench(pgbench: string, transactions: Transactions, onChild: OnChild): Promise<Timed> {
  const { databaseUrl, script, first, seconds } = transactions;
  const folder = mkdtempSync(join(transactions.folder, 'pgbench-'));
  try {
    const file = join(folder, 'script.sql');
    writeFileSync(file, script);
    const { hostname, port, username, password, pathname } = new URL(databaseUrl);
    const output = await run(
      pgbench,
      [
        ...['-n', '-M', 'prepared', '-c', String(CONNECTIONS), '-j', '2', '-T', String(seconds), '-f', file],
        ...['-D', `first=${first}`, '-D', 'n=-1', '-l', `--log-prefix=${join(folder, 'log')}`],
        ...[`--sampling-rate=${SHARE_LOGGED}`, '-h', hostname, '-p', port, '-U', username, pathname.slice(1)],
      ],
      { ...process.env, PGPASSWORD: decodeURIComponent(password) },
      onChild,
    );
    return { perSecond: tpsOf(output), ...percentiles(folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The figures that pgbench reports. */
type Timed = Omit<Measured, 'cpu'>;
type OnChild = (child: ReturnType<typeof spawn>) => void;

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv, onChild: OnChild): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    onChild(child);
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    child.stderr.on('data', (text) => {
      output += text;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0 && !/ERROR|aborted/.test(output)) resolve(output);
      else reject(new Error(`pgbench failed:\n${output}`));
    });
  });
}

/** pgbench's rate without the time for connecting. */
function tpsOf(output: string): number {
  const tps = /^tps = ([\d.]+)/m.exec(output)?.[1];
  if (tps === undefined) throw new Error(`pgbench printed no tps:\n${output}`);
  return Number(tps);
}

/** The third field of each line is the transaction's time in microseconds. */
function percentiles(folder: string): Pick<Timed, 'p50' | 'p99'> {
  const logs = readdirSync(folder).filter((name) => name.startsWith('log'));
  const lines = logs.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'));
  const sorted = lines.map((line) => Number(line.split(' ')[2]) / 1_000).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
