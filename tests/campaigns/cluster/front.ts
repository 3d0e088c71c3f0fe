import { chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSWORD } from './database-hosts.ts';
import { type Host, startUnit, type Unit } from './hosts.ts';

export interface Front {
  readonly haproxy: Unit;
  readonly pgbouncer: Unit;
  /** The service's URL: through the pooler to the leader. */
  readonly url: string;
  /** The schema owner's URL: to the leader without the pooler. */
  readonly ownerUrl: string;
  readonly superuserUrl: string;
  /** The service's URL for reads: to a standby without the pooler. */
  readonly readUrl: string;
}

/** Starts HAProxy, which finds the primary through each Patroni, and before it PgBouncer in transaction mode. */
export function startFront(folder: string, host: Host, databases: readonly Host[]): Front {
  const home = join(folder, host.name);
  mkdirSync(home);
  const write = (name: string, text: string) => {
    writeFileSync(join(home, name), text);
    return join(home, name);
  };
  const haproxy = write('haproxy.cfg', haproxySettings(databases));
  write('users.txt', `"stancebook" "${PASSWORD}"\n`);
  const pgbouncer = write('pgbouncer.ini', pgbouncerSettings(home, host));
  const { uid, gid } = statSync('/var/lib/postgresql');
  chownSync(home, uid, gid);
  const url = (role: string, port: number, database = 'stancebook') =>
    `postgresql://${role}:${PASSWORD}@${host.address}:${port}/${database}`;
  return {
    // A service manager restarts programs: systemd after 100 ms by default.
    haproxy: startUnit(folder, host, { name: 'haproxy', argv: ['haproxy', '-db', '-f', haproxy], restart: 1_000 }),
    pgbouncer: startUnit(folder, host, {
      name: 'pgbouncer',
      argv: ['pgbouncer', pgbouncer],
      user: 'postgres',
      restart: 1_000,
    }),
    url: url('stancebook', 6432),
    ownerUrl: url('stancebook_owner', 5000),
    superuserUrl: url('postgres', 5000, 'postgres'),
    readUrl: url('stancebook', 5001),
  };
}

/** HAProxy considers a server up until its first check, so after a start it would consider all of them the primary. */
const ONE = '  tcp-request connection reject if { nbsrv gt 1 }\n';

/** `shutdown-sessions` ends connections to a former primary. */
function haproxySettings(databases: readonly Host[]): string {
  const servers = databases.map(({ name, address }) => `  server ${name} ${address}:5432 check port 8008`).join('\n');
  const proxy = (name: string, port: number, path: string, rule = '') => `
listen ${name}
  bind 0.0.0.0:${port}
  option httpchk OPTIONS ${path}
  http-check expect status 200
${rule}  default-server inter 500ms fastinter 250ms downinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers}
`;
  return `
global
  maxconn 500
defaults
  mode tcp
  retries 1
  timeout connect 2s
  timeout check 1s
  timeout client 1h
  timeout server 1h
${proxy('primary', 5000, '/primary', ONE)}${proxy('standbys', 5001, '/replica?lag=16MB')}`;
}

/** Drivers send startup parameters that a pooler cannot keep, so it must ignore them. */
function pgbouncerSettings(home: string, { address }: Host): string {
  return `
[databases]
stancebook = host=127.0.0.1 port=5000 dbname=stancebook

[pgbouncer]
listen_addr = ${address}
listen_port = 6432
unix_socket_dir =
pidfile = ${join(home, 'pgbouncer.pid')}
auth_type = scram-sha-256
auth_file = ${join(home, 'users.txt')}
pool_mode = transaction
max_client_conn = 200
default_pool_size = 20
server_connect_timeout = 3
server_login_retry = 1
query_wait_timeout = 5
ignore_startup_parameters = extra_float_digits
`;
}
