import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tally } from '../stage/tally.ts';
import { answersOf } from './answers.ts';
import { allLogged, until } from './awaited.ts';
import { type Before, checkRestored, checkTampered } from './checks.ts';
import { checkContinued, noteCopied, walkLog } from './log-walk.ts';
import { populate, submit } from './population.ts';
import { type LogSettings, runAdmin, type Settings, startServiceOn } from './running-service.ts';
import { makeServer, OWNER, type Run, serverFolder, startServer, type ThrowawayServer } from './throwaway-server.ts';

export interface Drill extends Settings {
  readonly run: Run;
  /** The folder of clusters, dumps and the archive; it belongs to the servers' user. */
  readonly place: string;
  readonly records: number;
  /** Records of the owner who is erased. */
  readonly erased: number;
  readonly log: LogSettings;
  readonly tally: Tally;
  /** Called with each server, so that none outlives the drill. */
  readonly adopt: (server: ThrowawayServer) => ThrowawayServer;
}

/** Follows both procedures of docs/backup.md, from one server that archives its log. */
export async function walkBoth(drill: Drill): Promise<void> {
  const { run, place, adopt } = drill;
  const archive = serverFolder(place, 'archive');
  const copy = `test ! -f ${archive}/%f && cp %p ${archive}/%f`;
  const archiving = ['wal_level=replica', 'archive_mode=on', `archive_command=${copy}`];
  const server = adopt(await makeServer(run, join(place, 'primary'), archiving));
  const service = await startServiceOn(server, drill);
  try {
    const population = await populate(service.url, 'early', drill.records);
    await allLogged(server);
    const before = { population, answers: await answersOf(service.url, population) };
    await walkDump(drill, server, before, service.url);
    await walkInTime(drill, server, archive, before, service.url);
  } finally {
    await service.stop();
  }
}

/** A backup while the service runs, its check, and its restore on a server with only the two roles and an empty database. */
async function walkDump(drill: Drill, server: ThrowawayServer, before: Before, url: string): Promise<void> {
  const { run, place, tally, adopt } = drill;
  const folder = join(drill.folder, 'backups');
  mkdirSync(folder);
  console.log('admin backup, check-backup and restore');
  const [backup, backupSeconds] = timed(() => runAdmin(server, drill, 'backup', folder));
  const [name = 'none', ...others] = readdirSync(folder);
  const file = join(folder, name);
  const isClean = backup.code === 0 && others.length === 0 && backup.output.startsWith(`${file}: `);
  tally.holds('a backup is one file, without warnings', isClean, backup.output);
  await checkCheck(drill, server, file);
  const other = adopt(await makeServer(run, join(place, 'restored')));
  const [restore, restoreSeconds] = timed(() => runAdmin(other, drill, 'restore', file));
  const size = `${Math.round(statSync(file).size / 1_024)} KiB`;
  console.log(`  ${size}; backed up in ${backupSeconds.toFixed(1)} s, restored in ${restoreSeconds.toFixed(1)} s`);
  const isRestored = restore.code === 0 && !restore.output.includes('warning');
  tally.holds('it is restored without warnings, and its evidence has no fault', isRestored, restore.output);
  const again = runAdmin(other, drill, 'restore', file);
  const isRefused = again.code === 1 && again.output.startsWith('The database is not empty');
  tally.holds('a second restore is refused', isRefused, again.output);
  const [agent] = before.population.agents;
  if (!agent) throw new Error('The population has no agents.');
  await submit(url, agent.api_key, LOST, '');
  await allLogged(server);
  const restored = { ...drill, log: noteCopied(drill.log, 'restored') };
  await checkRestored(tally, other, restored, before);
  await walkLog(tally, other, restored, agent);
  await checkTampered(tally, other, drill);
  other.stop();
}

/** A submission after the backup; odd ones follow no workflow. */
const LOST = 1_001;

/** The check needs a role that may create databases, leaves none behind, and fails for half a file. */
async function checkCheck(drill: Drill, server: ThrowawayServer, file: string): Promise<void> {
  const { tally } = drill;
  const refused = runAdmin(server, drill, 'check-backup', file);
  const hasAdvice = refused.code === 1 && refused.output.includes(`alter role ${OWNER} createdb`);
  tally.holds('check-backup says which right it lacks', hasAdvice, refused.output);
  await server.query('postgres', `alter role ${OWNER} createdb`);
  const checked = runAdmin(server, drill, 'check-backup', file);
  tally.holds('check-backup restores the backup and finds no fault', checked.code === 0, checked.output);
  const half = join(drill.folder, 'half.dump');
  writeFileSync(half, readFileSync(file).subarray(0, statSync(file).size / 2));
  const failed = runAdmin(server, drill, 'check-backup', half);
  tally.holds('half a backup does not pass the check', failed.code === 1, failed.output);
  const status = runAdmin(server, drill, 'status');
  tally.holds('status shows the failed check', /check .* failed/.test(status.output), status.output);
  const left = await server.query('postgres', `select datname from pg_database where datname like 'stancebook\\_%'`);
  tally.holds('no scratch database is left', left.length === 0, JSON.stringify(left));
}

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
  const [, taken] = timed(() =>
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
  await allLogged(server);
  const population = {
    agents: [...early.agents, ...late.agents],
    hashes: [...new Set([...early.hashes, ...late.hashes])],
  };
  // The lists of agents may show counts from before the last submission, and a recovered service counts anew.
  await server.query('postgres', 'delete from app.agent_counts');
  const before = { population, answers: await answersOf(url, population) };
  const [moment] = await server.query('postgres', 'select clock_timestamp()::text as at');
  await server.query('postgres', RUIN);
  tally.holds('check-evidence finds the ruined database', runAdmin(server, drill, 'check-evidence').code === 1);
  await archived(server);
  run('pg_verifybackup', base);
  appendFileSync(join(base, 'postgresql.auto.conf'), recovery(archive, String(moment?.at)));
  appendFileSync(join(base, 'recovery.signal'), '');
  const begin = performance.now();
  const recovered = adopt(await startServer(run, base, ['archive_mode=off']));
  await promoted(recovered);
  const took = (performance.now() - begin) / 1_000;
  console.log(`  base backup in ${taken.toFixed(1)} s, recovered in ${took.toFixed(1)} s`);
  const settings = { ...drill, log: noteCopied(drill.log, 'recovered') };
  await checkRestored(tally, recovered, settings, before);
  await checkContinued(tally, recovered, settings);
  recovered.stop();
}

/** What a superuser's mistake can do. */
const RUIN = `
  do $$ declare of regclass;
  begin
    for of in select relid from pg_partition_tree('app.decision_documents') loop
      execute format('alter table %s disable trigger user', of);
    end loop;
    truncate app.decision_documents;
  end $$`;

function recovery(archive: string, at: string): string {
  return [
    `restore_command = 'cp ${archive}/%f %p'`,
    `recovery_target_time = '${at}'`,
    `recovery_target_action = 'promote'`,
    '',
  ].join('\n');
}

/** Waits until all of the log up to now is archived. The service writes on. */
async function archived(server: ThrowawayServer): Promise<void> {
  const [last] = await server.query('postgres', 'select pg_walfile_name(pg_switch_wal()) as file');
  await until(server, `select last_archived_wal >= '${last?.file}' as yes from pg_stat_archiver`);
}

async function promoted(server: ThrowawayServer): Promise<void> {
  await until(server, 'select not pg_is_in_recovery() as yes');
}

function timed<Result>(work: () => Result): readonly [Result, number] {
  const begin = performance.now();
  const result = work();
  return [result, (performance.now() - begin) / 1_000];
}
