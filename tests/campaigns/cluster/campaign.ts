// The campaign inside the namespaces; tests/campaigns/cluster.ts starts it: FOLDER short|full|planted|forked.
import { randomUUID } from 'node:crypto';
import { openTally } from '../stage/tally.ts';
import { doubled, forked, lost, unacknowledged, unsent } from './check.ts';
import { startDatabaseHosts, wholeCluster } from './database-hosts.ts';
import { startFront } from './front.ts';
import { type Host, makeHosts } from './hosts.ts';
import { cause, type Deployment, FULL, type Incident, PLANTED, SHORT } from './incidents.ts';
import { lagMeter } from './lag.ts';
import { failOverToLagging, otherStates, unlogged } from './lagging-replica.ts';
import { startLoad } from './load.ts';
import { recordLog } from './served-log.ts';
import { prepareDatabase, startServiceHosts } from './service-hosts.ts';
import { connectionsOfReaders, digestsOf, outcomes, rowsOf, storedRecords } from './stored.ts';

const [folder = '', extent = 'full'] = process.argv.slice(2);
const SENDERS = 8;
const OWNERS = 4;
const INCIDENTS: Readonly<Record<string, readonly Incident[]>> = { short: SHORT, full: FULL, planted: PLANTED };

try {
  const deployment = await deploy();
  const keys = await newKeys(deployment);
  const held = extent === 'forked' ? await withoutNotes(deployment, keys) : await campaign(deployment, keys);
  process.exitCode = held === (extent === 'short' || extent === 'full') ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
// Started processes would keep this one alive. They end with it.
process.exit();

async function deploy(): Promise<Deployment> {
  const host = (name: string, last: number): Host => ({ name, address: `10.83.0.${last}` });
  const databaseHosts = [host('db1', 11), host('db2', 12), host('db3', 13)];
  const frontHost = host('front', 20);
  const serviceHosts = [host('app1', 31), host('app2', 32)];
  makeHosts([...databaseHosts, frontHost, ...serviceHosts]);
  const databases = startDatabaseHosts(folder, databaseHosts, extent === 'planted' ? 'etcd3' : 'etcd');
  const front = startFront(folder, frontHost, databaseHosts);
  const leader = await wholeCluster(databases, 120_000);
  console.log(`${databases.length} databases, the leader is ${leader.name}`);
  await prepareDatabase(front);
  const services = await startServiceHosts(folder, serviceHosts, front);
  return { databases, front, services };
}

/** A failover after which no worker knows what was signed. Returns whether the check finds no fork; it must. */
async function withoutNotes(deployment: Deployment, keys: readonly string[]): Promise<boolean> {
  const recorder = recordLog(deployment.services.map(({ url }) => url));
  await failOverToLagging(deployment, keys, openTally('Cluster'), true);
  await recorder.stop();
  const forks = forked(recorder.served);
  console.log(forks.join('\n') || 'No fork was found.');
  return forks.length === 0;
}

async function campaign(deployment: Deployment, keys: readonly string[]): Promise<boolean> {
  const { databases, front, services } = deployment;
  const urls = services.map(({ url }) => url);
  const tally = openTally('Cluster');
  await rowsOf(front, 'create table public.probe (at timestamptz default now())');
  const recorder = recordLog(urls);
  const load = startLoad(urls, keys, SENDERS);
  const lag = lagMeter(front);
  for (const incident of INCIDENTS[extent] ?? FULL) await cause(incident, deployment, load.journal, tally);
  const readers = await connectionsOfReaders(databases);
  await load.stop();
  console.log(await lag.stop());
  const { journal } = load;
  console.log(
    `${journal.entries.length} submissions; ${journal.refused} attempts answered 503, ${journal.unanswered} unanswered`,
  );
  await wholeCluster(databases);
  const stored = await storedRecords(front);
  tally.check(
    'standbys answered public reads',
    readers > 0 && journal.entries.some((e) => e.public) ? [] : [`${readers} connections`],
  );
  tally.check('every submission was acknowledged in the end', unacknowledged(journal));
  tally.check('no acknowledged submission is lost', lost(journal, stored));
  tally.check('no submission is stored twice', doubled(stored));
  tally.check('no record is stored that was never sent', unsent(journal, stored));
  tally.check('every reply was a success or a 503 with a retry time', journal.oddities);
  tally.check(
    'no process of the service ended unexpectedly',
    services.flatMap(({ api, worker }) => [...api.unexpectedEnds, ...worker.unexpectedEnds]),
  );
  const { due, ended } = await outcomes(front);
  tally.check('the workers graded all due records', due === ended && due > 0 ? [] : [`${ended} of ${due}`]);
  const digests = await digestsOf(databases);
  tally.check('all members hold the same records', new Set(digests).size === 1 ? [] : digests);
  const missing = await unlogged(front, 1);
  const ownStates = await otherStates(services, 'true', 'unguarded');
  const missed = missing === 0 ? [] : [`${missing} decisions have no leaf`];
  tally.check('the evidence log goes on and has every decision', [...missed, ...ownStates]);
  const whole = recorder.served.length;
  await failOverToLagging(deployment, keys, tally, false);
  await recorder.stop();
  console.log(`${recorder.served.length} checkpoints were served, ${whole} of them before a standby lacked leaves`);
  tally.check('no node served a fork of the evidence log', forked(recorder.served));
  return tally.close();
}

async function newKeys({ services }: Deployment): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let n = 0; n < OWNERS; n += 1) keys.push(await newKey(services[n % services.length]?.url ?? ''));
  return keys;
}

async function newKey(url: string): Promise<string> {
  const body = JSON.stringify({ email: `${randomUUID()}@example.org`, password: 'seven ducks crossed the icy pond' });
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${url}/api/v1/public/auth/quick-setup`, { method: 'POST', headers, body });
  if (reply.status !== 201) throw new Error(`The account could not be created: ${await reply.text()}`);
  return ((await reply.json()) as { readonly api_key: string }).api_key;
}
