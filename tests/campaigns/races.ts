// Races for every limit over several nodes and processes: `npm run races [-- --short] [--plant NAME]`. See docs/limits.md.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { migrate } from '../../adapters/postgres/migrations/migrate.ts';
import { openPostgres, type PostgresStorage } from '../../adapters/postgres/storage.ts';
import { SERVICE_ROLE } from '../../infrastructure/embedded-postgres/roles.ts';
import type { EmbeddedPostgres } from '../../infrastructure/embedded-postgres.ts';
import { onThrowawayDatabase, type ThrowawayDatabase } from './bench/throwaway-database.ts';
import { addCallers } from './races/callers.ts';
import { type Extent, runCampaign } from './races/campaign.ts';
import { CHECKS } from './races/check/all.ts';
import { finalState } from './races/final-state.ts';
import type { CampaignLimits, History } from './races/history.ts';
import { startNodes } from './races/nodes.ts';
import { PLANTS, type Plant } from './races/plants.ts';
import { summaryOf } from './races/summary.ts';

const FULL: Extent = { requests: 20_000, owners: 20, keys: 50, revoked: 10, atOnce: 64 };
const SHORT: Extent = { ...FULL, requests: 2_000, revoked: 4 };
/** Small enough that each is met many times; those of the short form are met sooner. */
const LIMITS: CampaignLimits = {
  ratePerSecond: 12,
  ratePerMinute: 200,
  addressPerMinute: 40,
  queryPerDay: 12,
  readPerDay: 60,
  checkPerDecision: 4,
};
const TIGHT: CampaignLimits = {
  ratePerSecond: 5,
  ratePerMinute: 30,
  addressPerMinute: 15,
  queryPerDay: 4,
  readPerDay: 10,
  checkPerDecision: 2,
};

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    plant: { type: 'string' },
    nodes: { type: 'string', default: '2' },
    workers: { type: 'string', default: '2' },
  },
});
const plant = values.plant === undefined ? undefined : PLANTS[values.plant];
if (values.plant !== undefined && !plant) {
  console.error(`There is no plant ${values.plant}: name ${Object.keys(PLANTS).join(', ')}.`);
  process.exit(2);
}
const history = await onThrowawayDatabase((throwaway) =>
  race(throwaway, values.short ? SHORT : FULL, values.short ? TIGHT : LIMITS, plant),
);
process.exitCode = report(history, plant) ? 0 : 1;

async function race(
  { folder, database, adopt }: ThrowawayDatabase,
  extent: Extent,
  limits: CampaignLimits,
  planted?: Plant,
): Promise<History> {
  await migrate({ url: database.url, serviceRole: SERVICE_ROLE });
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  const storages: PostgresStorage[] = [];
  try {
    const callers = await addCallers(owner, extent.owners, extent.keys);
    const many = { nodes: Number(values.nodes), workers: Number(values.workers), folder, limits };
    const nodes = await startNodes(database, { ...many, planted: planted?.environment ?? {} }, adopt);
    for (let n = 0; n < 3; n += 1) storages.push(await openStorage(database));
    const urls = nodes.map(({ url }) => url);
    const campaign = await runCampaign(urls, callers, storages, extent);
    if (planted?.sql) await owner.query(planted.sql);
    return { limits, ...campaign, final: await finalState(owner) };
  } finally {
    for (const storage of storages) await storage.close();
    await owner.end();
  }
}

function openStorage({ serviceUrl }: EmbeddedPostgres): Promise<PostgresStorage> {
  const queue = { enqueue: async () => undefined };
  const openJobs = async () => ({ queue, within: () => queue, close: async () => undefined });
  return openPostgres({ url: serviceUrl, poolSize: 3, openJobs });
}

/** Whether all went as it should: nothing was violated, or what was planted was found. */
function report(seen: History, planted?: Plant): boolean {
  console.log(summaryOf(seen));
  const broken: string[] = [];
  for (const [promise, check] of Object.entries(CHECKS)) {
    const violations = check(seen);
    if (violations.length > 0) broken.push(promise);
    console.log(`${violations.length === 0 ? 'held  ' : 'BROKEN'} ${promise}`);
    for (const violation of violations.slice(0, 5)) console.log(`       ${violation}`);
    if (violations.length > 5) console.log(`       and ${violations.length - 5} more`);
  }
  const checks = Object.keys(CHECKS).length;
  const failed = planted ? Number(!broken.includes(planted.breaks)) : broken.length;
  console.log(`Races: ${planted ? 1 - failed : checks - failed} passed, ${failed} failed`);
  return failed === 0;
}
