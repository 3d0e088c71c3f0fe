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
  /** What happens to whoever leads; what is to be done afterwards to make the deployment whole again. */
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
  name: 'the primary is cut off from the network',
  async strike(leader, { databases }, tally) {
    unplug(leader);
    return async () => {
      await wholeWithout(leader, databases);
      const acknowledged = await onHost(leader, 'insert into public.probe default values returning 1', 6, 'stancebook');
      tally.check('a primary that is cut off acknowledges nothing', acknowledged === undefined ? [] : [acknowledged]);
      plugIn(leader);
    };
  },
};

/** The rest of the cluster has agreed on another one. */
async function wholeWithout(leader: DatabaseHost, databases: readonly DatabaseHost[]): Promise<void> {
  const others = databases.filter(({ name }) => name !== leader.name);
  const deadline = Date.now() + 60_000;
  for (;;) {
    const standing = await Promise.all(others.map((host) => onHost(host, LEADING)));
    if (standing.includes('f')) return;
    if (Date.now() > deadline) throw new Error(`Nobody took over from ${leader.name}.`);
    await sleep(500);
  }
}
const LEADING = 'select pg_is_in_recovery()';

const FROZEN: Incident = {
  name: 'the Patroni of the primary hangs, its PostgreSQL goes on',
  async strike(leader, { databases }, tally) {
    leader.patroni.signal('SIGSTOP');
    return async () => {
      await wholeWithout(leader, databases);
      const acknowledged = await onHost(leader, 'insert into public.probe default values returning 1', 6, 'stancebook');
      tally.check('a primary that was given up acknowledges nothing', acknowledged === undefined ? [] : [acknowledged]);
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

/** An incident, the way out of it and the deployment whole again. Prints how long nothing was acknowledged. */
export async function endure(
  incident: Incident,
  deployment: Deployment,
  journal: Journal,
  tally: Tally,
): Promise<void> {
  const leader = await wholeCluster(deployment.databases);
  const before = { ...journal };
  const since = performance.now();
  const mend = await incident.strike(leader, deployment, tally);
  await acknowledgedAgain(journal, since);
  await mend();
  const next = await wholeCluster(deployment.databases);
  await allReady(deployment.services);
  const seconds = (longestSilence(journal, since) / 1_000).toFixed(1);
  const lead = next.name === leader.name ? `${leader.name} leads on` : `${next.name} leads after ${leader.name}`;
  const [refused, unanswered] = [journal.refused - before.refused, journal.unanswered - before.unanswered];
  console.log(
    `${incident.name}: ${seconds} s without an acknowledgement, ${refused} answered 503, ${unanswered} not at all; ${lead}`,
  );
}

/** Submissions are acknowledged for a while, without the pause between two that an outage is. */
async function acknowledgedAgain({ acknowledged }: Journal, since: number): Promise<void> {
  const deadline = since + 120_000;
  await sleep(3_000);
  while (performance.now() < deadline) {
    const last = acknowledged.slice(-20);
    const [first = 0] = last;
    if (last.length === 20 && first > performance.now() - 1_500) return;
    await sleep(100);
  }
  throw new Error('Nothing has been acknowledged for two minutes.');
}
