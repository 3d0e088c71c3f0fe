import { join } from 'node:path';
import pg from 'pg';
import { openJobQueue } from '../../../adapters/jobs/job-queue.ts';
import { migrateJobs } from '../../../adapters/jobs/migrate-jobs.ts';
import { barFiles } from '../../../adapters/market/files/bar-files.ts';
import { openPostgres } from '../../../adapters/postgres/storage.ts';
import { foldCohorts } from '../../../application/cohorts/fold-cohorts.ts';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import type { Ports } from '../../../application/ports.ts';
import { SERVICE_ROLE } from '../../../infrastructure/embedded-postgres/roles.ts';
import { countedPrices } from './counted-prices.ts';
import { cpuDuring } from './cpu.ts';
import { addDecisions, addPrices, dayOf } from './due-decisions.ts';
import { anAgent, portsOn } from './evaluate.ts';

const ROUNDS = 5;

export interface GradingPlace {
  readonly url: string;
  readonly serviceUrl: string;
  /** The process id of the database server. */
  readonly pid: number;
}

/**
 * The CPU of the service and the database for grading a decision, alternately with everything that maintains cohorts
 * (triggers, indexes, folding) and without; as lines.
 */
export async function gradingCost(
  { url, serviceUrl, pid }: GradingPlace,
  folder: string,
  count: number,
): Promise<string> {
  await migrateJobs({ ownerUrl: url, serviceRole: SERVICE_ROLE });
  const agent = await anAgent(url);
  const storage = await openPostgres({
    url: serviceUrl,
    poolSize: 10,
    openJobs: (sql) => openJobQueue({ sql, log: console }),
  });
  const cohorts = await cohortsOf(url);
  try {
    const day = dayOf(await storage.clock.now());
    const bars = join(folder, 'bars');
    await addPrices(bars, storage, day);
    const ports = portsOn(storage, countedPrices('grading', barFiles(bars), storage.barCache));
    const times: Record<'graded' | 'folded' | 'without', number[]> = { graded: [], folded: [], without: [] };
    const cpu = async (work: () => Promise<unknown>) => (await cpuDuring([process.pid, pid], work))[1];
    // The first of each fills caches.
    for (let round = 0; round <= ROUNDS; round += 1) {
      await cohorts.off();
      await addDecisions(storage, agent, day, count);
      times.without.push(await cpu(() => gradeAll(ports)));
      await cohorts.on();
      await addDecisions(storage, agent, day, count);
      times.graded.push(await cpu(() => gradeAll(ports)));
      times.folded.push(await cpu(() => foldCohorts(storage)));
    }
    return report(count, times);
  } finally {
    await cohorts.close();
    await storage.close();
  }
}

/** Turns off and on everything that maintains cohorts. */
async function cohortsOf(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(INDEXES);
  const triggers = ['note_listing', 'count_changed'];
  const set = async (state: 'enable' | 'disable') => {
    for (const name of triggers) await client.query(`alter table app.decisions ${state} trigger ${name}`);
  };
  return {
    async off() {
      await set('disable');
      for (const { name } of indexes) await client.query(`drop index app.${name}`);
    },
    async on() {
      await set('enable');
      for (const { definition } of indexes) await client.query(definition);
    },
    close: () => client.end(),
  };
}

const INDEXES = `
  select indexname as name, indexdef as definition from pg_indexes
  where schemaname = 'app' and indexname like 'public\\_by\\_%'`;

async function gradeAll(ports: Ports): Promise<void> {
  for (let more = true; more; ) ({ more } = await evaluateDue(ports));
}

function report(count: number, times: Readonly<Record<'graded' | 'folded' | 'without', readonly number[]>>): string {
  const each = (name: keyof typeof times) => {
    const sorted = times[name].slice(1).toSorted((a, b) => a - b);
    return (sorted[sorted.length >> 1] ?? Number.NaN) / count;
  };
  const [without, graded, folded] = [each('without'), each('graded'), each('folded')];
  const share = (cost: number) => `${((100 * cost) / without).toFixed(0)} %`;
  return [
    'CPU for each graded decision, microseconds',
    `without anything for cohorts  ${without.toFixed(0).padStart(6)}`,
    `with triggers and indexes     ${graded.toFixed(0).padStart(6)}   ${share(graded - without)} more`,
    `folding it                    ${folded.toFixed(0).padStart(6)}   ${share(folded)}`,
  ].join('\n');
}
