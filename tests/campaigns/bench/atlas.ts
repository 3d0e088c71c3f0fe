import type { PostgresStorage } from '../../../adapters/postgres/storage.ts';
import { buildAtlas } from '../../../application/atlas/build-atlas.ts';
import { COHORT } from '../../../domain/limits.ts';
import { openStorage } from '../stage/storage.ts';
import { CONNECTIONS } from './calls.ts';
import { cpuDuring } from './cpu.ts';
import { publishWorkflows } from './published-workflows.ts';
import { keyLine } from './requests.ts';
import { runLoad } from './run-load.ts';
import type { Stage } from './stage.ts';
import { median } from './wisdom-table.ts';
import { fillUniverse } from './wisdom-universe.ts';

export interface AtlasExtent {
  readonly records: number;
  readonly builds: number;
  readonly rounds: number;
  readonly seconds: number;
}

/** The time to build the atlas of many records, and how much slower submissions are during a build; as lines. */
export async function benchAtlas(stage: Stage, extent: AtlasExtent): Promise<string> {
  const { url, serviceUrl } = stage.database;
  await publishWorkflows(url);
  await fillUniverse({ url, rows: extent.records });
  const storage = await openStorage(serviceUrl, 2);
  try {
    return [
      `${extent.records} records`,
      ...(await builds(stage, storage, extent)),
      ...(await submissionsDuringBuilds(stage, storage, extent)),
    ].join('\n');
  } finally {
    await storage.close();
  }
}

const { minProducers, minSamples } = COHORT;

/** Builds it like the service's own job, with the thresholds of the contract. */
async function build({ atlas }: Pick<PostgresStorage, 'atlas'>): Promise<void> {
  const settings = { wisdom: { minProducers, minSamples, ownerProof: 'none' } } as const;
  while (!(await buildAtlas({ atlas, settings })));
}

async function builds(stage: Stage, storage: PostgresStorage, { builds: count }: AtlasExtent): Promise<string[]> {
  const [times, processCpu, databaseCpu]: [number[], number[], number[]] = [[], [], []];
  for (let n = 0; n < count; n += 1) {
    const begin = performance.now();
    const [[, database], own] = await cpuDuring([process.pid], () =>
      cpuDuring([stage.database.pid], () => build(storage)),
    );
    times.push((performance.now() - begin) / 1_000);
    processCpu.push(own / 1e6);
    databaseCpu.push(database / 1e6);
  }
  const network = await storage.atlas.network('all');
  const seeds = await storage.atlas.seeds({ scope: 'all', node: null, limit: 1_000_000 });
  const bytes = (part: unknown) => `${(JSON.stringify(part).length / 1024).toFixed(0)} KiB`;
  return [
    `a build            ${median(times).toFixed(2)} s, the longest of ${count} ${Math.max(...times).toFixed(2)} s`,
    `CPU of it          ${median(databaseCpu).toFixed(2)} s of the database, ${median(processCpu).toFixed(2)} s of the process`,
    `memory             ${(process.memoryUsage().rss / 1024 ** 2).toFixed(0)} MiB resident of the process afterwards`,
    `network            ${network?.nodes.length} nodes, ${network?.edges.length} links, ${bytes(network)}`,
    `seeds              ${seeds?.items.length}`,
  ];
}

/** Alternates, so that other load on the machine affects both alike. */
async function submissionsDuringBuilds(
  stage: Stage,
  storage: PostgresStorage,
  { rounds, seconds }: AtlasExtent,
): Promise<string[]> {
  const [quietRates, buildingRates]: [number[], number[]] = [[], []];
  await submits(stage, seconds);
  for (let round = 0; round < rounds; round += 1) {
    quietRates.push(await submits(stage, seconds));
    buildingRates.push(await whileBuilding(storage, () => submits(stage, seconds)));
  }
  const [quiet, building] = [median(quietRates), median(buildingRates)];
  return [
    `submissions        ${quiet.toFixed(0)} per second, ${building.toFixed(0)} during one build after the other`,
    `lost during builds ${(100 * (1 - building / quiet)).toFixed(1)} %`,
  ];
}

async function whileBuilding<T>(storage: PostgresStorage, work: () => Promise<T>): Promise<T> {
  let busy = true;
  const keepBuilding = async () => {
    while (busy) await build(storage);
  };
  const builder = keepBuilding();
  try {
    return await work();
  } finally {
    busy = false;
    await builder;
  }
}

async function submits({ population, calls, service, adopt }: Stage, seconds: number): Promise<number> {
  const credentials = population.agents.map(({ key }) => keyLine(key));
  const path = '/api/v1/agent/decisions';
  const plan = {
    kind: 'submit',
    path,
    credentials,
    keyed: true,
    at: population.at.toISOString(),
    first: calls.next,
  } as const;
  const result = await runLoad({ port: service.port, connections: CONNECTIONS, seconds, expect: 201, plan }, adopt);
  calls.used(result.sent);
  return result.perSecond;
}
