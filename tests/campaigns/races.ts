// Races for every limit over several nodes and processes: `npm run races [-- --short] [--plant NAME]`. See docs/limits.md.
import { parseArgs } from 'node:util';
import { migrate } from '../../adapters/postgres/migrations/migrate.ts';
import type { PostgresStorage } from '../../adapters/postgres/storage.ts';
import { SERVICE_ROLE } from '../../infrastructure/embedded-postgres/roles.ts';
import { type Extent, runCampaign } from './races/campaign.ts';
import { CHECKS } from './races/check/all.ts';
import { finalState } from './races/final-state.ts';
import type { CampaignLimits, History, Violation } from './races/history.ts';
import { startNodes } from './races/nodes.ts';
import { PLANTS, type Plant } from './races/plants.ts';
import { summaryOf } from './races/summary.ts';
import { addCallers } from './stage/callers.ts';
import { onClient } from './stage/client.ts';
import { chosenPlants } from './stage/command-line.ts';
import { openStorage } from './stage/storage.ts';
import { openTally } from './stage/tally.ts';
import { onThrowawayDatabase, type ThrowawayDatabase } from './stage/throwaway-database.ts';

const FULL: Extent = { requests: 20_000, owners: 20, keys: 50, revoked: 10, atOnce: 64 };
const SHORT: Extent = { ...FULL, requests: 2_000, revoked: 4 };
/** Small enough that requests reach each of them many times; the short form reaches them sooner. */
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
const plants = chosenPlants(PLANTS, values.plant);
const [extent, limits] = values.short ? [SHORT, TIGHT] : [FULL, LIMITS];
const tally = openTally('Races');
if (plants.length === 0) {
  for (const [promise, violations] of checksOf(await race())) tally.check(promise, violations);
}
for (const [name, plant] of plants) {
  console.log(`\nPlanted: ${name}`);
  const violations = checksOf(await race(plant)).get(plant.breaks) ?? [];
  tally.holds(`the checks find the plant ${name}`, violations.length > 0);
}
process.exitCode = tally.close() ? 0 : 1;

function race(plant?: Plant): Promise<History> {
  return onThrowawayDatabase((throwaway) => raceOn(throwaway, plant));
}

async function raceOn({ folder, database, adopt }: ThrowawayDatabase, plant?: Plant): Promise<History> {
  const { url, serviceUrl } = database;
  await migrate({ url, serviceRole: SERVICE_ROLE });
  const storages: PostgresStorage[] = [];
  try {
    const callers = await onClient(url, (client) => addCallers(client, extent.owners, extent.keys));
    const plan = { nodes: Number(values.nodes), workers: Number(values.workers), folder, limits };
    const nodes = await startNodes(database, { ...plan, planted: plant?.environment ?? {} }, adopt);
    for (let n = 0; n < 3; n += 1) storages.push(await openStorage(serviceUrl, 3));
    const urls = nodes.map((node) => node.url);
    const campaign = await runCampaign(urls, callers, storages, extent);
    return await onClient(url, async (client) => {
      if (plant?.sql) await client.query(plant.sql);
      return { limits, ...campaign, final: await finalState(client) };
    });
  } finally {
    for (const storage of storages) await storage.close();
  }
}

/** Prints what happened. Returns the violations of each promise. */
function checksOf(history: History): ReadonlyMap<string, readonly Violation[]> {
  console.log(summaryOf(history));
  return new Map(Object.entries(CHECKS).map(([promise, check]) => [promise, check(history)]));
}
