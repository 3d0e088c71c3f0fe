import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A network namespace with one address, joined to the others by a bridge. */
export interface Host {
  readonly name: string;
  readonly address: string;
}

const HERE = '10.83.0.1';

/** Creates the hosts in the campaign's network namespace. The campaign itself is on the bridge, too. */
export function makeHosts(hosts: readonly Host[]): void {
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', 'br0', 'type', 'bridge');
  ip('addr', 'add', `${HERE}/24`, 'dev', 'br0');
  ip('link', 'set', 'br0', 'up');
  for (const { name, address } of hosts) {
    ip('netns', 'add', name);
    ip('link', 'add', cableOf(name), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    ip('link', 'set', cableOf(name), 'master', 'br0', 'up');
    ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    ip('-n', name, 'link', 'set', 'eth0', 'up');
    ip('-n', name, 'link', 'set', 'lo', 'up');
  }
}

export function unplug({ name }: Host): void {
  ip('link', 'set', cableOf(name), 'down');
}

export function plugIn({ name }: Host): void {
  ip('link', 'set', cableOf(name), 'up');
}

/** Drops everything that one host sends to, or receives from, a server of another. Other connections between them stay. */
export function block(server: Host, client: Host, port: number): void {
  rules('add', server, client, port);
}

export function unblock(server: Host, client: Host, port: number): void {
  rules('del', server, client, port);
}

function rules(change: 'add' | 'del', server: Host, client: Host, port: number): void {
  const tcp = ['ipproto', 'tcp'];
  ip('-n', client.name, 'rule', change, 'to', server.address, ...tcp, 'dport', `${port}`, 'blackhole');
  ip('-n', server.name, 'rule', change, 'to', client.address, ...tcp, 'sport', `${port}`, 'blackhole');
}

const cableOf = (name: string) => `cable-${name}`;

function ip(...args: readonly string[]): void {
  execFileSync('ip', [...args], { stdio: ['ignore', 'ignore', 'pipe'] });
}

export interface Program {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Its user; by default root. */
  readonly user?: 'postgres';
  /** Milliseconds after which it is restarted when it has ended; by default never. */
  readonly restart?: number;
}

export interface Unit {
  readonly host: Host;
  readonly name: string;
  start(): void;
  /** How it has ended without a signal of the campaign. */
  readonly unexpectedEnds: readonly string[];
  /** Sends a signal to its process group. */
  signal(signal: NodeJS.Signals): void;
  /** The last lines of its log. */
  tail(lines?: number): string;
}

/** Starts a program on a host. Its output goes to a log file of its own. */
export function startUnit(folder: string, host: Host, program: Program): Unit {
  const { name, argv, user, env, restart } = program;
  const log = join(folder, 'logs', `${host.name}-${name}.log`);
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const as = user ? ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'] : [];
  const unexpectedEnds: string[] = [];
  let child: ChildProcess;
  let isExpected = false;
  const start = () => {
    const output = openSync(log, 'a');
    const options = { cwd: '/', env: { PATH: process.env.PATH, HOME: '/tmp', LC_ALL: 'C.UTF-8', ...env } };
    child = spawn('ip', ['netns', 'exec', host.name, ...as, ...argv], {
      ...options,
      stdio: ['ignore', output, output],
      detached: true,
    });
    closeSync(output);
    isExpected = false;
    child.once('exit', (code, signal) => {
      if (!isExpected) unexpectedEnds.push(`${name} on ${host.name} ended unexpectedly with ${signal ?? code}`);
      if (restart !== undefined) setTimeout(start, restart);
    });
  };
  start();
  return {
    host,
    name,
    start: () => start(),
    unexpectedEnds,
    signal(signal) {
      if (child.pid === undefined || child.exitCode !== null) return;
      isExpected = true;
      process.kill(-child.pid, signal);
    },
    tail: (lines = 15) => readFileSync(log, 'utf8').trimEnd().split('\n').slice(-lines).join('\n'),
  };
}
