// Builds the Dockerfile by Debian's buildah on an image of Debian's packages and this Node.js, and runs it as compose.yaml and
// kubernetes.yaml do, to a grade: `npm run image`. It needs root on Debian. See docs/testing.md.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { type DecisionSubmission, Stancebook } from '../../clients/typescript/client.ts';
import { startEmbeddedPostgres } from '../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { makeBase, makeBuilder } from './image/base.ts';
import { openBuildah } from './image/buildah.ts';
import { type Container, runContainer } from './image/container.ts';
import { runProgram } from './image/programs.ts';
import { installPackages } from './stage/debian.ts';
import { closeOnSignal } from './stage/interruption.ts';
import { openTally } from './stage/tally.ts';
import { until } from './stage/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const OPERATING = join(ROOT, 'docs/operating');
const NEEDED = { buildah: 'buildah', mmdebstrap: 'mmdebstrap', unshare: 'util-linux' } as const;

/** Bytes of all files of the image. */
const MOST = 250e6;

/** That of the README. */
const DECISION = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
  direction: 'bullish',
  horizon_kind: 'trading_days',
  horizon_value: 5,
  data_cutoff: '2003-02-13T14:00:00Z',
  key_factors: ['Stock split announced'],
} as const satisfies DecisionSubmission;

if (process.platform !== 'linux' || process.geteuid?.() !== 0 || spawnSync('apt-get', ['--version']).error) {
  console.error('This machine cannot build the image: that needs root on Debian, or on a system with its packages.');
  process.exit(1);
}
const missing = Object.entries(NEEDED).filter(([program]) => spawnSync(program, ['--help']).error !== undefined);
if (missing.length > 0) installPackages(...missing.map(([, name]) => name));

const tally = openTally('Image');
const { holds } = tally;
const folder = makeThrowawayFolder('image');
const buildah = openBuildah(join(folder, 'buildah'));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: () => undefined });
const running: Container[] = [];
closeOnSignal(close);
try {
  const root = build();
  await run(root);
} catch (error) {
  holds('the image is built and run', false, String(error));
} finally {
  await close();
}
process.exitCode = tally.close() ? 0 : 1;

async function close(): Promise<void> {
  for (const container of running) container.stop();
  await Promise.all(running.map(({ ended }) => ended));
  await postgres.stop();
  buildah.close();
  removeThrowawayFolder(folder);
}

/** Returns the folder with the files of the image. */
function build(): string {
  const [base, builder] = [join(folder, 'base'), join(folder, 'builder')];
  makeBase(base);
  makeBuilder(base, builder);
  buildah.import(base, 'base');
  const { NODE_EXTRA_CA_CERTS: authorities } = process.env;
  buildah.import(builder, 'builder', ...(authorities ? ['--env', 'NODE_EXTRA_CA_CERTS=/etc/authorities.crt'] : []));
  buildah.build(ROOT, 'stancebook', { BUILD_IMAGE: 'localhost/builder', BASE_IMAGE: 'localhost/base' });
  const image = buildah.inspect('stancebook');
  const files = buildah.mount('stancebook');
  const bytes = Number(runProgram('du', ['--summarize', '--bytes', files]).split('\t')[0]);
  holds(`the image has ${Math.round(bytes / 1e6)} MB, less than ${MOST / 1e6}`, bytes < MOST, bytes);
  holds('its user is not root', image.User === '1000:1000', image.User);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const labels = ['licenses', 'version'].map((name) => image.Labels[`org.opencontainers.image.${name}`]);
  holds('its labels have licence and version', labels.join() === `Apache-2.0,${version}`, image.Labels);
  const notices = ['LICENSE', 'NOTICE', 'dist/licences.txt'].map((name) => statSync(join(files, 'app', name)).size);
  holds('it has the licence and all notices', notices.every(Boolean), notices);
  return files;
}

/** One container for each part of compose.yaml, then those of kubernetes.yaml, by their own command lines. */
async function run(root: string): Promise<void> {
  const image = buildah.inspect('stancebook');
  const secret = 'a secret of this campaign, long enough for it';
  const bars = join(folder, 'bars');
  const logSeen = join(folder, 'log-seen');
  for (const each of [bars, logSeen]) mkdirSync(each);
  runProgram('chown', ['1000:1000', logSeen]);
  const common = {
    DATABASE_URL: postgres.serviceUrl,
    SESSION_SECRET: secret,
    PASSWORD_PEPPER: secret,
    MARKET_DATA_BARS_DIR: '/bars',
    MARKET_DATA_NETWORK: 'false',
    CIRCUIT_MONITOR: 'false',
  };
  const owner = { MIGRATION_DATABASE_URL: postgres.url };
  const start = (variables: object, command?: readonly string[], mounts = {}) => {
    const container = runContainer(root, image, { ...common, ...variables }, { ...(command && { command }), mounts });
    running.push(container);
    return container;
  };
  const { services } = parse(readFileSync(join(OPERATING, 'compose.yaml'), 'utf8'), { merge: true });
  const migrated = await start(owner, services.migrate.command).ended;
  holds('the command of compose.yaml migrates', migrated.status === 0, migrated);
  const jobs = parseAllDocuments(readFileSync(join(OPERATING, 'kubernetes.yaml'), 'utf8'), { version: '1.1' });
  const [job] = jobs.map((each) => each.toJS()).filter(({ kind }) => kind === 'Job');
  const again = await start(owner, job.spec.template.spec.containers[0].args).ended;
  holds('the command of kubernetes.yaml migrates', again.status === 0, again);
  const paused = await start({}, ['sleep', '0']).ended;
  holds('the command before a stop of kubernetes.yaml is in the image', paused.status === 0, paused);

  const load = ['scripts/prepare.mjs', '--dev'];
  runProgram(process.execPath, load, ROOT);
  const admin = ['--disable-warning=ExperimentalWarning', 'infrastructure/cli.ts', 'load-packaged'];
  const variables = [...Object.entries({ ...common, ...owner, MARKET_DATA_BARS_DIR: bars })].map(
    ([name, value]) => `${name}=${value}`,
  );
  runProgram('env', [...variables, process.execPath, ...admin], ROOT);
  runProgram('chmod', ['-R', 'a+rX', bars]);

  const [port, metrics] = [await freePort(), await freePort()];
  const api = start({ ...services.api.environment, WORKERS: '1', PORT: String(port) }, undefined, { '/bars': bars });
  const worker = start({ ROLE: 'worker', METRICS_PORT: String(metrics), HOST: '127.0.0.1' }, undefined, {
    '/bars': bars,
    '/var/lib/stancebook-log': logSeen,
  });
  const url = `http://127.0.0.1:${port}`;
  const isReady = await until(async () => (await fetch(`${url}/readyz`)).ok);
  holds('the service of the image is ready', isReady, isReady ? '' : await endOf(api));
  const isWorking = await until(async () => (await fetch(`http://127.0.0.1:${metrics}/healthz`)).ok);
  holds('a worker of the image runs', isWorking, isWorking ? '' : await endOf(worker));
  const check = image.Healthcheck?.Test.slice(1) ?? [];
  const [ofApi, ofWorker, ofNone] = await Promise.all(
    [{ PORT: String(port) }, { METRICS_PORT: String(metrics) }, { PORT: '1' }].map((each) => start(each, check).ended),
  );
  holds(
    'its health check sees both, and that nothing listens',
    ofApi?.status === 0 && ofWorker?.status === 0 && ofNone?.status === 1,
    [ofApi, ofWorker, ofNone],
  );
  const written = await start({}, ['sh', '-c', 'touch /app/x || touch /var/x || touch /etc/x']).ended;
  holds('nothing can be written but /tmp', written.status !== 0, written);
  const whoami = await start({}, ['id', '-u']).ended;
  holds('it runs as another user than root', whoami.output.trim() === '1000', whoami);

  const begun = Date.now();
  const body = { email: 'ada@example.org', password: 'four plain words, spaced' };
  const path = '/api/v1/public/auth/quick-setup';
  const account = await new Stancebook({ url }).request<{ readonly api_key: string }>({ method: 'POST', path, body });
  const client = new Stancebook({ url, apiKey: account.api_key });
  const { record_id } = await client.submit(DECISION);
  const state = await client.waitForOutcome(record_id, { timeoutSeconds: 90 });
  const bucket = 'outcome' in state ? state.outcome?.result_bucket : undefined;
  holds(`a decision is graded after ${Math.round((Date.now() - begun) / 1_000)} s`, bucket === 'strong_correct', state);
  const status = await start({}, ['stancebook', 'admin', 'check-evidence']).ended;
  holds('stancebook admin runs in a container', status.status === 0, status);
  for (const container of [api, worker]) container.stop();
  const ends = await Promise.all([api.ended, worker.ended]);
  holds(
    'both end in order',
    ends.every((end) => end.status === 0),
    ends,
  );
}

async function endOf(container: Container) {
  container.stop();
  return container.ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return address !== null && typeof address === 'object' ? address.port : 0;
}
