// Keeps what a release has written, for later ones to read: `node scripts/make-release-fixture.ts`. See docs/operations.md.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { importPackagedData } from '../adapters/market/packaged-data.ts';
import { VERSION } from '../infrastructure/version.ts';
import { populate } from '../tests/campaigns/restore-drill/population.ts';
import { postgresPrograms } from '../tests/campaigns/restore-drill/postgres-programs.ts';
import { startServiceOn } from '../tests/campaigns/restore-drill/running-service.ts';
import {
  makeServer,
  OWNER,
  programRunner,
  serverFolder,
  type ThrowawayServer,
} from '../tests/campaigns/restore-drill/throwaway-server.ts';
import { toldOf } from '../tests/campaigns/restore-drill/told.ts';

const FIXTURES = join(import.meta.dirname, '../tests/fixtures/releases');
const RECORDS = 3;

const folder = mkdtempSync(join(tmpdir(), 'stancebook-release-'));
chmodSync(folder, 0o711);
let server: ThrowawayServer | undefined;
process.on('exit', () => {
  server?.stop();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const place = serverFolder(folder, 'servers');
const run = programRunner(postgresPrograms(), place);
server = await makeServer(run, join(place, 'primary'));
const settings = { folder, bars: join(folder, 'bars'), secret: randomBytes(32).toString('hex') };
await importPackagedData(settings.bars);
const service = await startServiceOn(server, settings);
const population = await populate(service.url, 'release', RECORDS);
// Sessions end within days: later releases are asked by key alone.
const byKey = { ...population, agents: population.agents.map((agent) => ({ ...agent, cookie: '' })) };
const told = [...(await toldOf(service.url, byKey))].filter(([asked]) => !asked.includes('/api/v1/owner/'));
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
// What later versions of pg_dump say to psql alone.
const sql = dump.replaceAll(/^\\.*$/gm, '');
mkdirSync(FIXTURES, { recursive: true });
writeFileSync(join(FIXTURES, `${VERSION}.sql.gz`), gzipSync(sql, { level: 9 }));
writeFileSync(
  join(FIXTURES, `${VERSION}.json.gz`),
  gzipSync(JSON.stringify({ population: byKey, told }), { level: 9 }),
);
console.log(`${told.length} answers of ${VERSION} are kept in tests/fixtures/releases.`);
process.exit(0);
