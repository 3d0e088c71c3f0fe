import { join } from 'node:path';
import { openJobQueue } from '../../../adapters/jobs/job-queue.ts';
import { migrateJobs } from '../../../adapters/jobs/migrate-jobs.ts';
import { barFiles } from '../../../adapters/market/files/bar-files.ts';
import { migrate } from '../../../adapters/postgres/migrations/migrate.ts';
import { openPostgres, type PostgresStorage } from '../../../adapters/postgres/storage.ts';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import type { Ports } from '../../../application/ports.ts';
import { CONTRACT_LIMITS } from '../../../domain/limits.ts';
import type { Millis } from '../../../domain/time.ts';
import type { EmbeddedPostgres } from '../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { SERVICE_ROLE } from '../../../infrastructure/embedded-postgres/roles.ts';
import { evaluationPorts } from '../../harness/evaluation-ports.ts';
import { addCallers, type Caller } from '../stage/callers.ts';
import { onClient } from '../stage/client.ts';
import { onThrowawayDatabase } from '../stage/throwaway-database.ts';
import { type CountedPrices, countedPrices } from './counted-prices.ts';
import { addDecisions, addPrices, DISTINCT_WINDOWS, dayOf, INSTRUMENTS } from './due-decisions.ts';
import { jobPerDecision } from './job-per-decision.ts';

/**
 * Grades due decisions by the service's sweeps, and as many by one job each, on one durable database in one run.
 *
 * @returns the results as lines
 */
export function benchEvaluate(count: number): Promise<string> {
  return onThrowawayDatabase(({ database, folder }) => onDatabase(database, join(folder, 'bars'), count));
}

async function onDatabase({ url, serviceUrl }: EmbeddedPostgres, bars: string, count: number): Promise<string> {
  await migrate({ url, serviceRole: SERVICE_ROLE });
  await migrateJobs({ ownerUrl: url, serviceRole: SERVICE_ROLE });
  const agent = await anAgent(url);
  const openJobs = (sql: Parameters<typeof openJobQueue>[0]['sql']) => openJobQueue({ sql, log: console });
  const storage = await openPostgres({ url: serviceUrl, poolSize: 10, openJobs });
  try {
    const day = dayOf(await storage.clock.now());
    await addPrices(bars, storage, day);
    const at = { storage, agent, day, count };
    const lines = report(count, await bySweeps(at, bars), await byJobs(at, bars, url));
    const { data_unavailable } = await storage.evaluations.failures(new Date(0));
    if (data_unavailable.total > 0) throw new Error(`${data_unavailable.total} decisions ended without an outcome.`);
    return lines;
  } finally {
    await storage.close();
  }
}

interface Scene {
  readonly storage: PostgresStorage;
  readonly agent: Caller;
  readonly day: Millis;
  readonly count: number;
}

interface Result {
  readonly seconds: number;
  readonly prices: CountedPrices;
}

async function bySweeps({ storage, agent, day, count }: Scene, bars: string): Promise<Result> {
  const prices = countedPrices('sweeps', barFiles(bars), storage.barCache);
  const ports = portsOn(storage, prices);
  await addDecisions(storage, agent, day, count);
  return timed(prices, count, async () => {
    let graded = 0;
    for (let more = true; more; ) {
      const sweep = await evaluateDue(ports);
      graded += sweep.ended;
      more = sweep.more;
    }
    return graded;
  });
}

async function byJobs({ storage, agent, day, count }: Scene, bars: string, url: string): Promise<Result> {
  const prices = countedPrices('jobs', barFiles(bars), storage.barCache);
  const ids = await addDecisions(storage, agent, day, count);
  const jobs = await jobPerDecision(url, portsOn(storage, prices), ids);
  try {
    return await timed(prices, count, jobs.run);
  } finally {
    await jobs.close();
  }
}

async function timed(prices: CountedPrices, count: number, grade: () => Promise<number>): Promise<Result> {
  const begin = performance.now();
  const graded = await grade();
  const seconds = (performance.now() - begin) / 1_000;
  if (graded !== count) throw new Error(`${graded} of ${count} decisions were graded.`);
  return { seconds, prices };
}

function report(count: number, sweeps: Result, jobs: Result): string {
  const rate = ({ seconds }: Result) => (count / seconds).toFixed(0).padStart(10);
  const fetches = ({ prices: { counts } }: Result) =>
    `${counts.fetches()} fetches, no stretch of an instrument more than ${counts.mostOfOneStretch()} times`;
  return [
    `${count} due decisions over ${INSTRUMENTS} instruments and ${DISTINCT_WINDOWS} windows    graded per second`,
    `sweeps of the service${rate(sweeps)}   ${fetches(sweeps)}`,
    `a job each, pg-boss  ${rate(jobs)}   ${fetches(jobs)}`,
    `sweeps against jobs  ${(jobs.seconds / sweeps.seconds).toFixed(2).padStart(10)}`,
  ].join('\n');
}

/** The service's ports on a storage, with counted prices. */
export function portsOn(storage: PostgresStorage, { marketData }: CountedPrices): Ports {
  const report = (fault: unknown) => {
    throw fault;
  };
  return evaluationPorts(storage, marketData, { limits: CONTRACT_LIMITS, report });
}

export async function anAgent(url: string): Promise<Caller> {
  const [agent] = await onClient(url, (client) => addCallers(client, 1, 1));
  if (!agent) throw new Error('No agent was added.');
  return agent;
}
