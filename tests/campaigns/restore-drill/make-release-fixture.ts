// Stores what this release writes and answers, for tests of later ones: `node tests/campaigns/restore-drill/make-release-fixture.ts`.
// See docs/schema-changes.md.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { importPackagedData } from '../../../adapters/market/files/packaged-data.ts';
import { VERSION } from '../../../infrastructure/version.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { requirePostgres } from '../stage/debian.ts';
import { answersOf } from './answers.ts';
import { populate } from './population.ts';
import { startServiceOn } from './running-service.ts';
import { makeServer, OWNER, programRunner, serverFolder, type ThrowawayServer } from './throwaway-server.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/releases');
const RECORDS = 3;

const folder = makeThrowawayFolder('release');
let server: ThrowawayServer | undefined;
process.on('exit', () => {
  server?.stop();
  removeThrowawayFolder(folder);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const place = serverFolder(folder, 'servers');
const run = programRunner(requirePostgres('pg_dump'), place);
server = await makeServer(run, join(place, 'primary'));
const settings = { folder, bars: join(folder, 'bars'), secret: randomBytes(32).toString('hex') };
await importPackagedData(settings.bars);
const service = await startServiceOn(server, settings);
const population = await populate(service.url, 'release', RECORDS);
// Sessions end within days, so later releases send keys alone.
const byKey = { ...population, agents: population.agents.map((agent) => ({ ...agent, cookie: '' })) };
const all = [...(await answersOf(service.url, byKey))];
const answers = all.filter(([request]) => !request.includes('/api/v1/owner/'));
await service.stop();
// As insertions, so that a client without psql can read it.
const dump = run(
  'pg_dump',
  ...server.address,
  `--username=${OWNER}`,
  '--no-owner',
  '--rows-per-insert=100',
  'stancebook',
);
// Later versions of pg_dump print commands for psql.
const sql = dump.replaceAll(/^\\.*$/gm, '');
mkdirSync(FIXTURES, { recursive: true });
writeFileSync(join(FIXTURES, `${VERSION}.sql.gz`), gzipSync(sql, { level: 9 }));
const fixture = JSON.stringify({ population: byKey, answers });
writeFileSync(join(FIXTURES, `${VERSION}.json.gz`), gzipSync(fixture, { level: 9 }));
console.log(`Wrote ${answers.length} answers of ${VERSION} to tests/fixtures/releases.`);
process.exit(0);
