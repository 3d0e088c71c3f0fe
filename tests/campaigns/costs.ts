// What each thing that the service does costs: CPU, log, disk. `npm run costs [-- --short]`. See docs/scaling.md.
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { barFiles } from '../../adapters/market/bar-files.ts';
import { openPostgres, type PostgresStorage } from '../../adapters/postgres/storage.ts';
import { evaluateDue } from '../../application/grading/evaluate-due.ts';
import { countedPrices } from './bench/counted-prices.ts';
import { addDecisions, addPrices, dayOf } from './bench/due-decisions.ts';
import { portsOn } from './bench/evaluate.ts';
import { getRequest, keyLine, type RequestPlan } from './bench/requests.ts';
import { load } from './bench/scenarios.ts';
import { openStage, type Stage } from './bench/stage.ts';
import { type Cost, costOf, costTable, growthOf } from './costs/cost.ts';

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const [seconds, records] = values.short ? [2, 1_000] : [10, 20_000];

const stage = await openStage(1);
const client = new pg.Client({ connectionString: stage.database.url });
// An interrupt ends the server first.
client.on('error', () => undefined);
await client.connect();
try {
  const costs = [...(await costsOfRequests(stage)), await costOfGrading(stage)];
  console.log([costTable(costs), ...costs.map(growthOf)].join('\n'));
} finally {
  await client.end();
  await stage.close();
}

async function costsOfRequests(on: Stage): Promise<readonly Cost[]> {
  const { service, database, population, calls } = on;
  const { agents, at, records: stored } = population;
  const keys = new Map(agents.map(({ agent_id, key }) => [agent_id, keyLine(key)]));
  const submits = {
    kind: 'submit',
    path: '/api/v1/agent/decisions',
    credentials: [...keys.values()],
    keyed: true,
    at: at.toISOString(),
    first: calls.next,
  } as const;
  const reads = stored.map(({ record_id, agent_id }) =>
    getRequest(`/api/v1/agent/decisions/${record_id}`, keys.get(agent_id) ?? ''),
  );
  // First pages of a market, which the cells answer.
  const queries = [...keys.values()].map((key) =>
    getRequest('/api/v1/agent/wisdom?market=crypto&include_retroactive=true', key),
  );
  const cost = (name: string, expect: number, plan: RequestPlan) =>
    costOf(client, name, { ours: service.pid, postgres: database.pid }, async () => {
      return (await load(on, service, { seconds, expect, perSecond: undefined, plan })).sent;
    });
  return [
    await cost('a submission', 201, submits),
    await cost('an own record, read', 200, { kind: 'any', requests: reads }),
    await cost('a cohort query', 200, { kind: 'any', requests: queries }),
  ];
}

/** By the service's own sweeps, within this process: the service itself has none of these prices, and is ended first. */
async function costOfGrading({ database, folder, population, service }: Stage): Promise<Cost> {
  service.child.kill('SIGTERM');
  await once(service.child, 'exit');
  const queue = { enqueue: async () => undefined };
  const openJobs = async () => ({ queue, within: () => queue, close: async () => undefined });
  const storage = await openPostgres({ url: database.serviceUrl, poolSize: 10, openJobs });
  try {
    const [agent] = population.agents;
    if (!agent) throw new Error('There are agents.');
    const day = dayOf(await storage.clock.now());
    const bars = join(folder, 'bars');
    await addPrices(bars, storage, day);
    await addDecisions(storage, agent, day, records);
    const processes = { ours: process.pid, postgres: database.pid };
    return await costOf(client, 'a record, graded and folded', processes, () => gradeAll(storage, bars));
  } finally {
    await storage.close();
  }
}

async function gradeAll(storage: PostgresStorage, bars: string): Promise<number> {
  const ports = portsOn(storage, countedPrices('costs', barFiles(bars), storage.barCache));
  let ended = 0;
  for (let more = true; more; ) {
    const sweep = await evaluateDue(ports);
    ended += sweep.ended;
    more = sweep.more;
  }
  let folded = 0;
  do folded = await storage.cohortCells.fold(1_000);
  while (folded > 0);
  if (ended !== records) throw new Error(`${ended} of ${records} records were graded.`);
  return ended;
}
