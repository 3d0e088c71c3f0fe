import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { requirePostgres } from '../stage/debian.ts';
import { type Host, startUnit, type Unit } from './hosts.ts';

/** Not secret: it is used in the campaign's namespaces alone. */
export const PASSWORD = 'only-in-this-cluster';

export interface DatabaseHost extends Host {
  readonly etcd: Unit;
  readonly patroni: Unit;
  readonly data: string;
}

/**
 * Starts etcd, Patroni and PostgreSQL on each host. With three hosts, two etcd members still form a majority without the
 * third, and a strict synchronous primary that loses a standby continues with the other one.
 */
export function startDatabaseHosts(
  folder: string,
  hosts: readonly Host[],
  interfaceOfEtcd: 'etcd' | 'etcd3',
): readonly DatabaseHost[] {
  const etcds = hosts.map((host) => startUnit(folder, host, etcdOn(folder, host, hosts)));
  const bin = requirePostgres('postgres');
  const etcdHosts = hosts.map(({ address }) => `${address}:2379`);
  return hosts.map((host, index) => {
    const home = join(folder, host.name);
    const postgres = statSync('/var/lib/postgresql');
    mkdirSync(home, { mode: 0o700 });
    const settings = join(home, 'patroni.yml');
    // JSON is YAML.
    writeFileSync(
      settings,
      JSON.stringify({ ...patroniSettings(home, bin, host), [interfaceOfEtcd]: { hosts: etcdHosts } }, null, 2),
      { mode: 0o600 },
    );
    for (const path of [home, settings]) chownSync(path, postgres.uid, postgres.gid);
    const patroni = startUnit(folder, host, {
      name: 'patroni',
      argv: ['patroni', settings],
      user: 'postgres',
      env: { HOME: home, PATH: `${bin}:${process.env.PATH}` },
    });
    return { ...host, etcd: etcds[index] as Unit, patroni, data: join(home, 'data') };
  });
}

function etcdOn(folder: string, { name, address }: Host, hosts: readonly Host[]) {
  const peer = (host: Host) => `${host.name}=http://${host.address}:2380`;
  const [peers, clients] = [`http://${address}:2380`, `http://${address}:2379`];
  return {
    name: 'etcd',
    restart: 1_000,
    argv: [
      'etcd',
      ...['--name', name, '--data-dir', join(folder, `${name}-etcd`), '--logger', 'zap', '--log-level', 'warn'],
      ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
      ...['--listen-client-urls', `${clients},http://127.0.0.1:2379`, '--advertise-client-urls', clients],
      '--enable-v2',
      ...['--initial-cluster', hosts.map(peer).join(','), '--initial-cluster-state', 'new'],
      // Long, because all hosts share the disk and processors of one machine.
      ...['--heartbeat-interval', '250', '--election-timeout', '2500'],
    ],
  };
}

function patroniSettings(home: string, bin_dir: string, { name, address }: Host) {
  const role = (username: string) => ({ username, password: PASSWORD });
  return {
    scope: 'stancebook',
    name,
    restapi: { listen: `${address}:8008`, connect_address: `${address}:8008` },
    bootstrap: { dcs: AGREED, initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'] },
    postgresql: {
      listen: `${address},127.0.0.1:5432`,
      connect_address: `${address}:5432`,
      data_dir: join(home, 'data'),
      bin_dir,
      pgpass: join(home, 'pgpass'),
      authentication: { superuser: role('postgres'), replication: role('replicator'), rewind: role('rewinder') },
      parameters: { unix_socket_directories: home },
      pg_hba: [
        'local all all trust',
        'host all all 127.0.0.1/32 scram-sha-256',
        'host all all 10.83.0.0/24 scram-sha-256',
        'host replication replicator 10.83.0.0/24 scram-sha-256',
        'host replication replicator 127.0.0.1/32 scram-sha-256',
      ],
    },
    watchdog: { mode: 'off' },
  };
}

/** The members' common settings. 20 s is Patroni's shortest lease of a primary. */
const AGREED = {
  ttl: 20,
  loop_wait: 2,
  retry_timeout: 5,
  maximum_lag_on_failover: 1_048_576,
  synchronous_mode: true,
  synchronous_mode_strict: true,
  postgresql: {
    use_pg_rewind: true,
    use_slots: true,
    parameters: {
      max_connections: 100,
      shared_buffers: '64MB',
      wal_keep_size: '256MB',
      timezone: 'UTC',
      password_encryption: 'scram-sha-256',
      wal_sender_timeout: '5s',
      wal_receiver_timeout: '5s',
      hot_standby_feedback: 'on',
      track_io_timing: 'on',
    },
  },
};

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
  readonly lag?: number | string;
}

/** The cluster as a host reports it; undefined while it does not answer. */
async function viewOf({ address }: Host): Promise<readonly Member[]> {
  try {
    const reply = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(1_000) });
    return ((await reply.json()) as { readonly members: readonly Member[] }).members;
  } catch {
    return [];
  }
}

/**
 * Waits until every host reports the same leader, a synchronous standby, and one timeline without lag. A host that was
 * disconnected reports an old state for a moment.
 *
 * @returns the leader
 */
export async function wholeCluster<T extends Host>(hosts: readonly T[], patience = 120_000): Promise<T> {
  const deadline = Date.now() + patience;
  for (;;) {
    const views = await Promise.all(hosts.map(viewOf));
    const leaders = new Set(views.map((members) => (isWhole(members, hosts.length) ? leaderOf(members) : undefined)));
    const leader = leaders.size === 1 ? hosts.find(({ name }) => leaders.has(name)) : undefined;
    if (leader) return leader;
    if (Date.now() > deadline) throw new Error(`The cluster did not recover in time: ${JSON.stringify(views)}`);
    await sleep(250);
  }
}

function leaderOf(members: readonly Member[]): string | undefined {
  return members.find(({ role }) => role === 'leader')?.name;
}

function isWhole(members: readonly Member[], count: number): boolean {
  const running = members.filter(({ state, lag }) => ['running', 'streaming'].includes(state) && (lag ?? 0) === 0);
  const timelines = new Set(members.map(({ timeline }) => timeline));
  return running.length === count && timelines.size === 1 && members.some(({ role }) => role === 'sync_standby');
}

/** Kills PostgreSQL and Patroni of a host, like a crash of the host. `patroni.start()` is its next boot. */
export function crash({ patroni, data }: DatabaseHost): void {
  const [pid] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  patroni.signal('SIGKILL');
  process.kill(Number(pid), 'SIGKILL');
}

const execute = promisify(execFile);

/** Runs a statement on the host's PostgreSQL, from that host, also without network. Returns undefined after a timeout. */
export async function onHost(
  { name }: Host,
  sql: string,
  seconds = 4,
  database = 'postgres',
): Promise<string | undefined> {
  const psql = [
    'psql',
    '-h',
    '127.0.0.1',
    '-U',
    'postgres',
    '-d',
    database,
    '-X',
    '-A',
    '-t',
    '-v',
    'ON_ERROR_STOP=1',
    '-c',
    sql,
  ];
  const options = { env: { PATH: process.env.PATH, PGPASSWORD: PASSWORD, PGCONNECT_TIMEOUT: '2' } };
  try {
    const { stdout } = await execute('ip', ['netns', 'exec', name, 'timeout', `${seconds}`, ...psql], options);
    return stdout.trim();
  } catch {
    return undefined;
  }
}

/** Makes all standbys asynchronous, so that a failover may lose what was acknowledged. */
export async function withoutSynchrony(leader: DatabaseHost): Promise<void> {
  const body = JSON.stringify({
    synchronous_mode: false,
    synchronous_mode_strict: false,
    maximum_lag_on_failover: 1_073_741_824,
  });
  const reply = await fetch(`http://${leader.address}:8008/config`, { method: 'PATCH', body });
  if (!reply.ok) throw new Error(`Patroni refused the settings: ${await reply.text()}`);
  const deadline = Date.now() + 30_000;
  while ((await onHost(leader, 'show synchronous_standby_names')) !== '') {
    if (Date.now() > deadline) throw new Error('The standbys are still synchronous after 30 s.');
    await sleep(250);
  }
}

/** Makes another host the leader, in order. */
export async function switchOver(leader: Host): Promise<void> {
  const body = JSON.stringify({ leader: leader.name });
  const reply = await fetch(`http://${leader.address}:8008/switchover`, { method: 'POST', body });
  if (!reply.ok) throw new Error(`Patroni refused the switchover: ${await reply.text()}`);
}
