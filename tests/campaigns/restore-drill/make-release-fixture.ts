// Stores what this release writes and answers, for tests of later ones: `node tests/campaigns/restore-drill/make-release-fixture.ts`.
// See docs/schema-changes.md.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { importPackagedData } from '../../../adapters/market/files/packaged-data.ts';
import { VERSION } from '../../../infrastructure/version.ts';
import { databaseClock } from '../../harness/database-clock.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { requirePostgres } from '../stage/debian.ts';
import { makeLogKey } from '../stage/evidence-log.ts';
import { answersOf } from './answers.ts';
import { fillTables } from './fill-tables.ts';
import { type Settings, startServiceOn } from './running-service.ts';
import {
  makeServer,
  OWNER,
  programRunner,
  SERVICE,
  serverFolder,
  startServer,
  type ThrowawayServer,
} from './throwaway-server.ts';
import { openWorld } from './world.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/releases');
/** Of each agent: two of each direction, so that cohorts have the ten that are shown. */
const RECORDS = 6;

const folder = makeThrowawayFolder('release');
let server: ThrowawayServer | undefined;
let replica: ThrowawayServer | undefined;
process.on('exit', () => {
  replica?.stop();
  server?.stop();
  removeThrowawayFolder(folder);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const place = serverFolder(folder, 'servers');
const run = programRunner(requirePostgres('pg_dump'), place);
server = await makeServer(run, join(place, 'primary'));
/** The service begins in the last month, so that a month and some days of it are over. */
const today = new Date();
let shift = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 18, 12) - today.getTime();
const now = () => new Date(Date.now() + shift);
const key = makeLogKey(folder);
const world = await openWorld(folder, key, now);
// For the table that only a service with a replica writes.
run(
  'pg_basebackup',
  ...server.address,
  '--username=postgres',
  '--pgdata',
  join(place, 'replica'),
  '--write-recovery-conf',
  '--checkpoint=fast',
);
replica = await startServer(run, join(place, 'replica'));
const settings: Settings = {
  ...{ folder, bars: join(folder, 'bars'), secret: randomBytes(32).toString('hex') },
  log: { key, machine: serverFolder(folder, 'machine') },
  more: {
    ...world.environment,
    DATABASE_READ_URL: replica.url(SERVICE),
    LOG_INTERVAL_SECONDS: '20',
    LIMIT_COOLDOWN_SECONDS: '1',
  },
};
await importPackagedData(settings.bars);
const service = await startServiceOn(server, settings);
const [{ def } = {}] = await server.query(OWNER, "select pg_get_functiondef('app.now'::regproc) as def");
const ownClock = String(def);
const clock = await databaseClock(server.url(OWNER));
await clock.advance(shift);
const advance = async (millis: number) => {
  await clock.advance(millis);
  shift += millis;
};
const { filled, leaveWaiting } = await fillTables({ server, settings, world, url: service.url, now, advance }, RECORDS);
const { population } = filled;
const all = [...(await answersOf(service.url, population))];
const answers = all.filter(([request]) => !request.includes('/api/v1/owner/'));
await leaveWaiting();
await server.query(OWNER, ownClock);
// As insertions, so that a client without psql can read it. The service runs, so that what it keeps while it does is there.
const dumped = join(place, 'dump.sql');
run(
  'pg_dump',
  ...server.address,
  `--username=${OWNER}`,
  '--no-owner',
  '--rows-per-insert=100',
  '--exclude-table=app.test_*',
  `--file=${dumped}`,
  'stancebook',
);
await clock.close();
await service.stop();
await world.close();
// Later versions of pg_dump print commands for psql.
const sql = readFileSync(dumped, 'utf8').replaceAll(/^\\.*$/gm, '');
mkdirSync(FIXTURES, { recursive: true });
writeFileSync(join(FIXTURES, `${VERSION}.sql.gz`), gzipSync(sql, { level: 9 }));
const secrets = { secret: settings.secret, logKey: readFileSync(key.file, 'utf8'), policy: world.policy };
// Sessions end within days, so later releases send keys alone.
const byKey = { ...population, agents: population.agents.map((agent) => ({ ...agent, cookie: '' })) };
const fixture = JSON.stringify({ ...filled, ...secrets, population: byKey, answers });
writeFileSync(join(FIXTURES, `${VERSION}.json.gz`), gzipSync(fixture, { level: 9 }));
console.log(`Wrote ${answers.length} answers of ${VERSION} to tests/fixtures/releases.`);
process.exit(0);
