import { setTimeout as sleep } from 'node:timers/promises';
import type { Tally } from '../stage/tally.ts';
import { crash, type DatabaseHost, onHost, switchOver, wholeCluster } from './database-hosts.ts';
import type { Front } from './front.ts';
import { plugIn, unplug } from './hosts.ts';
import { type Journal, longestSilence } from './journal.ts';
import { allReady, type ServiceHost } from './service-hosts.ts';

export interface Deployment {
  readonly databases: readonly DatabaseHost[];
  readonly front: Front;
  readonly services: readonly ServiceHost[];
}

export interface Incident {
  readonly name: string;
  /** Breaks something, mostly at the leader. Returns what repairs it. */
  strike(leader: DatabaseHost, deployment: Deployment, tally: Tally): Promise<() => Promise<void>>;
}

const nothing = async () => undefined;

const CRASH: Incident = {
  name: 'kill -9 of the primary and its Patroni',
  async strike(leader) {
    crash(leader);
    return async () => leader.patroni.start();
  },
};

const CUT: Incident = {
  name: 'the primary is disconnected from the network',
  async strike(leader, { databases }, tally) {
    unplug(leader);
    return async () => {
      await wholeWithout(leader, databases);
      const acknowledged = await onHost(leader, 'insert into public.probe default values returning 1', 6, 'stancebook');
      tally.check('a disconnected primary acknowledges nothing', acknowledged === undefined ? [] : [acknowledged]);
      plugIn(leader);
    };
  },
};

/** Waits until the rest of the cluster has elected another leader. */
export async function wholeWithout(leader: DatabaseHost, databases: readonly DatabaseHost[]): Promise<void> {
  const others = databases.filter(({ name }) => name !== leader.name);
  const deadline = Date.now() + 60_000;
  for (;;) {
    const answers = await Promise.all(others.map((host) => onHost(host, LEADING)));
    if (answers.includes('f')) return;
    if (Date.now() > deadline) throw new Error(`No other host became the leader instead of ${leader.name}.`);
    await sleep(500);
  }
}
const LEADING = 'select pg_is_in_recovery()';

const FROZEN: Incident = {
  name: 'the Patroni of the primary hangs while its PostgreSQL runs',
  async strike(leader, { databases }, tally) {
    leader.patroni.signal('SIGSTOP');
    return async () => {
      await wholeWithout(leader, databases);
      const acknowledged = await onHost(leader, 'insert into public.probe default values returning 1', 6, 'stancebook');
      tally.check('a replaced primary acknowledges nothing', acknowledged === undefined ? [] : [acknowledged]);
      leader.patroni.signal('SIGCONT');
    };
  },
};

const SWITCH: Incident = {
  name: 'a planned switchover',
  async strike(leader) {
    await switchOver(leader);
    return nothing;
  },
};

const STANDBY: Incident = {
  name: 'kill -9 of a standby and its Patroni',
  async strike(leader, { databases }) {
    const standby = databases.find(({ name }) => name !== leader.name) as DatabaseHost;
    crash(standby);
    return async () => standby.patroni.start();
  },
};

const POOLER: Incident = {
  name: 'kill -9 of PgBouncer',
  async strike(_, { front }) {
    front.pgbouncer.signal('SIGKILL');
    return nothing;
  },
};

const PROXY: Incident = {
  name: 'kill -9 of HAProxy',
  async strike(_, { front }) {
    front.haproxy.signal('SIGKILL');
    return nothing;
  },
};

const NODE: Incident = {
  name: 'kill -9 of the API process and the worker of a host',
  async strike(_, { services: [first] }) {
    first?.api.signal('SIGKILL');
    first?.worker.signal('SIGKILL');
    return nothing;
  },
};

const ETCD: Incident = {
  name: "kill -9 of the primary's etcd",
  async strike(leader) {
    leader.etcd.signal('SIGKILL');
    return nothing;
  },
};

export const SHORT: readonly Incident[] = [CRASH, POOLER, SWITCH, PROXY, CUT];
export const PLANTED: readonly Incident[] = [CUT, CUT];
export const FULL: readonly Incident[] = [
  CRASH,
  POOLER,
  NODE,
  SWITCH,
  PROXY,
  ETCD,
  STANDBY,
  CUT,
  FROZEN,
  CRASH,
  SWITCH,
  CUT,
];

/** Causes an incident, repairs it and waits for the recovery. Prints the longest time without an acknowledgement. */
export async function cause(incident: Incident, deployment: Deployment, journal: Journal, tally: Tally): Promise<void> {
  const leader = await wholeCluster(deployment.databases);
  const before = { ...journal };
  const since = performance.now();
  const repair = await incident.strike(leader, deployment, tally);
  await resumed(journal, since);
  await repair();
  const next = await wholeCluster(deployment.databases);
  await allReady(deployment.services);
  const seconds = (longestSilence(journal, since) / 1_000).toFixed(1);
  const lead =
    next.name === leader.name
      ? `${leader.name} stays the leader`
      : `${next.name} replaces ${leader.name} as the leader`;
  const [refused, unanswered] = [journal.refused - before.refused, journal.unanswered - before.unanswered];
  console.log(
    `${incident.name}: ${seconds} s without an acknowledgement, ${refused} answered 503, ${unanswered} unanswered; ${lead}`,
  );
}

/** Waits until submissions are acknowledged without a pause for a while. */
async function resumed({ acknowledged }: Journal, since: number): Promise<void> {
  const deadline = since + 120_000;
  await sleep(3_000);
  while (performance.now() < deadline) {
    const last = acknowledged.slice(-20);
    const [first = 0] = last;
    if (last.length === 20 && first > performance.now() - 1_500) return;
    await sleep(100);
  }
  throw new Error('No submission was acknowledged for two minutes.');
}
