import { appendFileSync, copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Tally } from '../stage/tally.ts';
import { answersOf } from './answers.ts';
import { type Before, checkRestored, checkTampered } from './checks.ts';
import { populate } from './population.ts';
import { runAdmin, type Settings, startServiceOn } from './running-service.ts';
import { makeServer, OWNER, type Run, serverFolder, startServer, type ThrowawayServer } from './throwaway-server.ts';

export interface Drill extends Settings {
  readonly run: Run;
  /** The folder of clusters, dumps and the archive; it belongs to the servers' user. */
  readonly place: string;
  readonly records: number;
  readonly tally: Tally;
  /** Called with each server, so that none outlives the drill. */
  readonly adopt: (server: ThrowawayServer) => ThrowawayServer;
}

/** Follows both procedures of docs/operations.md, from one server that archives its log. */
export async function walkBoth(drill: Drill): Promise<void> {
  const { run, place, adopt } = drill;
  const archive = serverFolder(place, 'archive');
  const copy = `test ! -f ${archive}/%f && cp %p ${archive}/%f`;
  const archiving = ['wal_level=replica', 'archive_mode=on', `archive_command=${copy}`];
  const server = adopt(await makeServer(run, join(place, 'primary'), archiving));
  const service = await startServiceOn(server, drill);
  try {
    const population = await populate(service.url, 'early', drill.records);
    const before = { population, answers: await answersOf(service.url, population) };
    await walkDump(drill, server, before);
    await walkInTime(drill, server, archive, before, service.url);
  } finally {
    await service.stop();
  }
}

/** pg_dump while the service runs, pg_restore on a server that has nothing but the two roles and an empty database. */
async function walkDump(drill: Drill, server: ThrowawayServer, before: Before): Promise<void> {
  const { run, place, tally, adopt } = drill;
  const file = join(serverFolder(place, 'dumps'), 'stancebook.dump');
  console.log('pg_dump and pg_restore');
  const printed: string[] = [];
  const owner = `--username=${OWNER}`;
  const dumped = seconds(() =>
    printed.push(run('pg_dump', ...server.address, owner, '--format=custom', `--file=${file}`, 'stancebook')),
  );
  const other = adopt(await makeServer(run, join(place, 'restored')));
  const into = [...other.address, owner, '--dbname=stancebook'];
  const restored = seconds(() => printed.push(run('pg_restore', ...into, '--exit-on-error', '--no-owner', file)));
  const size = `${Math.round(statSync(file).size / 1_024)} KiB`;
  console.log(`  ${size}; dumped in ${dumped.toFixed(1)} s, restored in ${restored.toFixed(1)} s`);
  const script = join(place, 'dumps', 'after-restore.sql');
  copyFileSync(AFTER_RESTORE, script);
  printed.push(run('psql', ...into, '--quiet', '--set=ON_ERROR_STOP=1', `--file=${script}`));
  tally.holds('the documented commands print no warnings', printed.join('') === '', printed.join(''));
  await checkRestored(tally, other, drill, before);
  await checkTampered(tally, other, drill);
  other.stop();
}

/** Copied, because the user of the servers may be unable to read the checkout. */
const AFTER_RESTORE = join(import.meta.dirname, '../../../docs/operating/after-restore.sql');

/** Takes a base backup, adds records, ruins the database, and recovers it to the moment before. */
async function walkInTime(
  drill: Drill,
  server: ThrowawayServer,
  archive: string,
  { population: early }: Before,
  url: string,
): Promise<void> {
  const { run, place, tally, adopt } = drill;
  const base = join(place, 'base');
  console.log('Base backup and archived log, back to a point in time');
  const taken = seconds(() =>
    run(
      'pg_basebackup',
      ...server.address,
      '--username=postgres',
      `--pgdata=${base}`,
      '--checkpoint=fast',
      '--no-sync',
    ),
  );
  const late = await populate(url, 'late', drill.records);
  const population = {
    agents: [...early.agents, ...late.agents],
    hashes: [...new Set([...early.hashes, ...late.hashes])],
  };
  const before = { population, answers: await answersOf(url, population) };
  const [moment] = await server.query('postgres', 'select clock_timestamp()::text as at');
  await server.query('postgres', RUIN);
  tally.holds('check-evidence finds the ruined database', runAdmin(server, drill, 'check-evidence').code === 1);
  await server.query('postgres', 'select pg_switch_wal()');
  await archived(server);
  run('pg_verifybackup', base);
  appendFileSync(join(base, 'postgresql.auto.conf'), recovery(archive, String(moment?.at)));
  appendFileSync(join(base, 'recovery.signal'), '');
  const begin = performance.now();
  const recovered = adopt(await startServer(run, base, ['archive_mode=off']));
  await promoted(recovered);
  const took = (performance.now() - begin) / 1_000;
  console.log(`  base backup in ${taken.toFixed(1)} s, recovered in ${took.toFixed(1)} s`);
  await checkRestored(tally, recovered, drill, before);
  recovered.stop();
}

/** What a superuser's mistake can do. */
const RUIN = `
  begin;
  alter table app.decision_documents disable trigger user;
  truncate app.decision_documents;
  commit;`;

function recovery(archive: string, at: string): string {
  return [
    `restore_command = 'cp ${archive}/%f %p'`,
    `recovery_target_time = '${at}'`,
    `recovery_target_action = 'promote'`,
    '',
  ].join('\n');
}

async function archived(server: ThrowawayServer): Promise<void> {
  await until(
    server,
    `select last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) as yes from pg_stat_archiver`,
  );
}

async function promoted(server: ThrowawayServer): Promise<void> {
  await until(server, 'select not pg_is_in_recovery() as yes');
}

async function until(server: ThrowawayServer, sql: string): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const [row] = await server.query('postgres', sql);
    if (row?.yes === true) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`After a minute this was still not true: ${sql}`);
}

function seconds(work: () => unknown): number {
  const begin = performance.now();
  work();
  return (performance.now() - begin) / 1_000;
}
