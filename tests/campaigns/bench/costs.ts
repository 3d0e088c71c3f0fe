import { join } from 'node:path';
import type pg from 'pg';
import { barFiles } from '../../../adapters/market/files/bar-files.ts';
import type { PostgresStorage } from '../../../adapters/postgres/storage.ts';
import { recall } from '../../../application/decisions/recall.ts';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import type { DatabaseUrls } from '../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { ANY_SYMBOL } from '../../harness/any-symbol.ts';
import type { Caller } from '../stage/callers.ts';
import { onClient } from '../stage/client.ts';
import { stopServer } from '../stage/server-process.ts';
import { openStorage } from '../stage/storage.ts';
import { type Cost, costOf, costTable, growthOf } from './cost-table.ts';
import { countedPrices } from './counted-prices.ts';
import { addDecisions, addPrices, dayOf, instrumentOf } from './due-decisions.ts';
import { portsOn } from './evaluate.ts';
import { getRequest, keyLine, type RequestPlan } from './requests.ts';
import { load } from './scenarios.ts';
import type { Stage } from './stage.ts';

export interface CostsExtent {
  /** How long each kind of request is sent. */
  readonly seconds: number;
  /** Decisions that are graded. */
  readonly records: number;
}

/** The CPU, write-ahead log and disk space that one unit of each work of the service takes; as lines. */
export function benchCosts(stage: Stage, { seconds, records }: CostsExtent): Promise<string> {
  return onClient(stage.database.url, async (client) => {
    const requests = await costsOfRequests(client, stage, seconds);
    const { database, folder, population, service } = stage;
    await stopServer(service.child);
    const place = { serviceUrl: database.serviceUrl, pid: database.pid, bars: join(folder, 'bars') };
    const [agent] = population.agents;
    if (!agent) throw new Error('The population has no agents.');
    const graded = await costOfGrading(client, place, agent, records);
    const costs = [...requests, graded, await costOfRecall(client, place, agent)];
    return [costTable(costs), ...costs.map(growthOf)].join('\n');
  });
}

async function costsOfRequests(client: pg.Client, stage: Stage, seconds: number): Promise<readonly Cost[]> {
  const { service, database, population, calls } = stage;
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
      return (await load(stage, service, { seconds, expect, perSecond: undefined, plan })).sent;
    });
  return [
    await cost('a submission', 201, submits),
    await cost('an own record, read', 200, { kind: 'any', requests: reads }),
    await cost('a cohort query', 200, { kind: 'any', requests: queries }),
  ];
}

/** Where decisions are graded: a database, and a folder for its prices. */
export interface GradingPlace extends Pick<DatabaseUrls, 'serviceUrl'> {
  /** The process id of the database server. */
  readonly pid: number;
  readonly bars: string;
}

/** By the service's own sweeps, within this process: no service may run on the database, since it has none of these prices. */
export async function costOfGrading(
  client: pg.Client,
  { serviceUrl, pid, bars }: GradingPlace,
  agent: Caller,
  records: number,
): Promise<Cost> {
  const storage = await openStorage(serviceUrl, 10);
  try {
    const day = dayOf(await storage.clock.now());
    await addPrices(bars, storage, day);
    await addDecisions(storage, agent, day, records);
    const processes = { ours: process.pid, postgres: pid };
    return await costOf(client, 'a record, graded and folded', processes, () => gradeAll(storage, bars, records));
  } finally {
    await storage.close();
  }
}

/** How often. */
const RECALLS = 300;

/** Of one security, by the use case alone: what the agent had decided on it in the part before. */
async function costOfRecall(client: pg.Client, { serviceUrl, pid }: GradingPlace, agent: Caller): Promise<Cost> {
  const storage = await openStorage(serviceUrl, 10);
  try {
    const { market, symbol } = instrumentOf(0);
    const caller = { ...agent, credential: 'api_key', permission_mode: 'read_only', tier: 'free' } as const;
    const ask = () => recall({ ...storage, symbols: ANY_SYMBOL }, { ...caller, key_prefix: '' }, { market, symbol });
    const { closed, retroactive } = (await ask()).counts;
    const name = `a recall of ${closed + retroactive.closed} records, without its request`;
    return await costOf(client, name, { ours: process.pid, postgres: pid }, async () => {
      for (let n = 0; n < RECALLS; n += 1) await ask();
      return RECALLS;
    });
  } finally {
    await storage.close();
  }
}

async function gradeAll(storage: PostgresStorage, bars: string, records: number): Promise<number> {
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
  if (ended < records) throw new Error(`${ended} of ${records} records were graded.`);
  return ended;
}
