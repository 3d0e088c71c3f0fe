// The first program within the namespaces of tests/campaigns/cluster.ts, which starts it: FOLDER short|full|planted.
import { randomUUID } from 'node:crypto';
import { openTally } from '../stage/tally.ts';
import { doubled, lost, unacknowledged, unsent } from './check.ts';
import { startDatabaseHosts, wholeCluster } from './database-hosts.ts';
import { startFront } from './front.ts';
import { type Host, makeHosts } from './hosts.ts';
import { type Deployment, endure, FULL, type Incident, PLANTED, SHORT } from './incidents.ts';
import { lagMeter } from './lag.ts';
import { startLoad } from './load.ts';
import { prepareDatabase, startServiceHosts } from './service-hosts.ts';
import { connectionsOfReaders, digestsOf, outcomes, rowsOf, storedRecords } from './stored.ts';

const [folder = '', extent = 'full'] = process.argv.slice(2);
const SENDERS = 8;
const OWNERS = 4;
const INCIDENTS: Readonly<Record<string, readonly Incident[]>> = { short: SHORT, full: FULL, planted: PLANTED };

try {
  const deployment = await deploy();
  const held = await campaign(deployment);
  process.exitCode = held === (extent !== 'planted') ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
// What we have started would keep us; it ends with us.
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
  console.log(`${databases.length} databases, ${leader.name} leads`);
  await prepareDatabase(front);
  const services = await startServiceHosts(folder, serviceHosts, front);
  return { databases, front, services };
}

async function campaign(deployment: Deployment): Promise<boolean> {
  const { databases, front, services } = deployment;
  const urls = services.map(({ url }) => url);
  const tally = openTally('Cluster');
  await rowsOf(front, 'create table public.probe (at timestamptz default now())');
  const keys: string[] = [];
  for (let n = 0; n < OWNERS; n += 1) keys.push(await newKey(urls[n % urls.length] ?? ''));
  const load = startLoad(urls, keys, SENDERS);
  const lag = lagMeter(front);
  for (const incident of INCIDENTS[extent] ?? FULL) await endure(incident, deployment, load.journal, tally);
  const readers = await connectionsOfReaders(databases);
  await load.stop();
  console.log(await lag.stop());
  const { journal } = load;
  console.log(
    `${journal.entries.length} submissions, ${journal.refused} tries answered 503, ${journal.unanswered} not at all`,
  );
  await wholeCluster(databases);
  const stored = await storedRecords(front);
  tally.check(
    'standbys answered what everybody may read',
    readers > 0 && journal.entries.some((e) => e.public) ? [] : [`${readers} connections`],
  );
  tally.check('every submission was acknowledged in the end', unacknowledged(journal));
  tally.check('nothing that was acknowledged is lost', lost(journal, stored));
  tally.check('no submission is there twice', doubled(stored));
  tally.check('nothing is there that nobody sent', unsent(journal, stored));
  tally.check(
    'every answer was a success or a 503 that tells when to come back',
    journal.oddities.map(({ what }) => what),
  );
  tally.check(
    'no process of the service ended by itself',
    services.flatMap(({ api, worker }) => [...api.deaths, ...worker.deaths]),
  );
  const { due, ended } = await outcomes(front);
  tally.check('the workers have graded what was due', due === ended && due > 0 ? [] : [`${ended} of ${due}`]);
  const digests = await digestsOf(databases);
  tally.check('all members hold the same records', new Set(digests).size === 1 ? [] : digests);
  return tally.close();
}

async function newKey(url: string): Promise<string> {
  const body = JSON.stringify({ email: `${randomUUID()}@example.org`, password: 'seven ducks crossed the icy pond' });
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${url}/api/v1/public/auth/quick-setup`, { method: 'POST', headers, body });
  if (reply.status !== 201) throw new Error(`No account: ${await reply.text()}`);
  return ((await reply.json()) as { readonly api_key: string }).api_key;
}
