import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tally } from '../stage/tally.ts';
import { crash, wholeCluster, withoutSynchrony } from './database-hosts.ts';
import { block, unblock } from './hosts.ts';
import { type Deployment, wholeWithout } from './incidents.ts';
import type { Journal } from './journal.ts';
import { startLoad } from './load.ts';
import { servedTree } from './served-log.ts';
import { logNew, type ServiceHost } from './service-hosts.ts';
import { rowsOf } from './stored.ts';

/** Milliseconds in which a log that is signed would have had several more leaves. */
const UNSIGNED = 10_000;

/**
 * Makes the standbys asynchronous, separates them from the primary, and kills it once all workers have noted leaves that
 * the standbys lack. No worker may sign the promoted database, until `log-new`.
 * @param withoutNotes plants a fault: the notes of the workers are removed before the promotion
 */
export async function failOverToLagging(
  deployment: Deployment,
  keys: readonly string[],
  tally: Tally,
  withoutNotes: boolean,
): Promise<void> {
  const { services } = deployment;
  const submitting = () =>
    startLoad(
      services.map(({ url }) => url),
      keys,
      2,
    );
  console.log('The primary is lost with leaves that no standby has');
  const before = submitting();
  const seen = await promoteLagging(deployment, withoutNotes, async () => void (await before.stop()));
  const stored = await signedSize(deployment);
  tally.holds('the promoted standby lacks leaves that the workers noted', stored < seen, `${stored} of ${seen} leaves`);
  const load = submitting();
  await sleep(UNSIGNED);
  await load.stop();
  const later = await signedSize(deployment);
  tally.holds('no worker signs a log that lacks leaves', later === stored, `${later} leaves instead of ${stored}`);
  tally.check('its workers are degraded', await otherStates(services, 'degraded'));
  tally.check('submissions and reads go on meanwhile', oddities(load.journal));
  await checkNext(deployment, tally);
}

/** Returns the smallest tree that a worker noted before the primary was lost. */
async function promoteLagging(
  deployment: Deployment,
  withoutNotes: boolean,
  stopLoad: () => Promise<void>,
): Promise<number> {
  const { databases, services } = deployment;
  const leader = await wholeCluster(databases);
  const standbys = databases.filter(({ name }) => name !== leader.name);
  await withoutSynchrony(leader);
  const replicated = await signedSize(deployment);
  for (const standby of standbys) block(leader, standby, POSTGRES);
  const seen = await until('The workers noted no further leaves', async () => {
    const noted = Math.min(...services.map(({ lastSeen }) => sizeIn(lastSeen)));
    return noted > replicated + 20 ? noted : null;
  });
  await stopLoad();
  crash(leader);
  if (withoutNotes) for (const { lastSeen } of services) rmSync(lastSeen);
  for (const standby of standbys) unblock(leader, standby, POSTGRES);
  await wholeWithout(leader, databases);
  return seen;
}

const POSTGRES = 5432;

function sizeIn(file: string): number {
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly size: number }).size;
}

/** How many leaves are signed of the first log; waits while the database fails over. */
async function signedSize({ services: [first] }: Pick<Deployment, 'services'>): Promise<number> {
  const tree = await until('No checkpoint is served', () => servedTree(first?.url ?? '', 1));
  return tree.size;
}

function oddities({ entries, acknowledged, oddities: found }: Journal): readonly string[] {
  const open = entries
    .filter(({ record_id }) => record_id === undefined)
    .map(({ key }) => `${key} was not acknowledged`);
  return [...found, ...open, ...(acknowledged.length > 10 ? [] : [`${acknowledged.length} submissions`])];
}

async function checkNext(deployment: Deployment, tally: Tally): Promise<void> {
  const { front, services } = deployment;
  const { stderr } = await logNew(services).catch((error: { readonly stderr: string }) => error);
  const missing = await unlogged(front, 2);
  tally.check(
    'log-new on the host of a worker opens a log that goes on with the stored leaves, and has all decisions',
    [...(stderr ? [stderr] : []), ...(missing === 0 ? [] : [`${missing} decisions have no leaf`])],
  );
  const tree = await until('The second log is not served', () => servedTree(services.at(-1)?.url ?? '', 2));
  tally.holds('its origin is that of the second log', tree.origin.endsWith('/log/2'), tree.origin);
  tally.check('all workers sign it', await otherStates(services, 'true', 'unguarded'));
}

/** The decisions without a leaf in a log, or in one with which it goes on, once those of the last seconds had time for one. */
export async function unlogged(front: Deployment['front'], log: number): Promise<number> {
  const sql = `select count(*)::int as missing from app.decisions d
    where not exists (select from app.log_decisions l join app.logs g on coalesce(g.tree, g.log) = l.log
      join app.log_checkpoints c on c.log = g.log
      where l.record_id = d.record_id and g.log <= ${log} and c.size > l.index and c.signature is not null)`;
  let missing = Number.NaN;
  const none = async () => {
    missing = (await rowsOf<{ readonly missing: number }>(front, sql))[0]?.missing ?? Number.NaN;
    return missing === 0 ? missing : null;
  };
  await until('Some decisions have no leaf', none).catch(() => null);
  return missing;
}

/** The workers whose `evidence_log` is no expected one, once each had time for a turn: it shows what its own last one found. */
export async function otherStates(
  services: readonly ServiceHost[],
  ...expected: readonly string[]
): Promise<readonly string[]> {
  let others: readonly string[] = [];
  const none = async () => {
    const states = await Promise.all(services.map(async (host) => [host.name, await stateOf(host)] as const));
    others = states.filter(([, state]) => !expected.includes(state)).map(([name, state]) => `${name}: ${state}`);
    return others.length === 0 || null;
  };
  await until('A worker is in another state', none).catch(() => null);
  return others;
}

async function stateOf({ workerUrl }: ServiceHost): Promise<string> {
  const reply = await fetch(`${workerUrl}/readyz`).catch(() => null);
  const body = (await reply?.json().catch(() => null)) as {
    readonly checks?: { readonly evidence_log: unknown };
  } | null;
  return String(body?.checks?.evidence_log ?? `answered ${reply?.status}`);
}

async function until<T>(failure: string, find: () => Promise<T | null>, patience = 120_000): Promise<T> {
  const deadline = Date.now() + patience;
  for (;;) {
    const found = await find();
    if (found !== null) return found;
    if (Date.now() > deadline) throw new Error(`${failure} after ${patience / 1_000} s.`);
    await sleep(250);
  }
}
