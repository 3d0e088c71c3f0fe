import { join } from 'node:path';
import type pg from 'pg';
import { barFiles } from '../../../adapters/market/files/bar-files.ts';
import { migrate } from '../../../adapters/postgres/migrations/migrate.ts';
import { foldCohorts } from '../../../application/cohorts/fold-cohorts.ts';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import { SERVICE_ROLE } from '../../../infrastructure/embedded-postgres/roles.ts';
import { onClient } from '../stage/client.ts';
import { openStorage } from '../stage/storage.ts';
import { onThrowawayDatabase } from '../stage/throwaway-database.ts';
import { countedPrices } from './counted-prices.ts';
import { cpuDuring } from './cpu.ts';
import { addDecisions, addPrices, dayOf } from './due-decisions.ts';
import { anAgent, portsOn } from './evaluate.ts';
import { median } from './measured.ts';

export interface EventsExtent {
  /** Neighbouring slices with the events and without, in both orders. */
  readonly pairs: number;
  /** Decisions of a slice. */
  readonly decisions: number;
}

type Costs = Readonly<Record<'submitted' | 'graded', number>>;

/**
 * The CPU that the events of the feed add to a submission and to a grade that earns a credit, of this process and the
 * database together; as lines.
 */
export function benchEvents({ pairs, decisions }: EventsExtent): Promise<string> {
  return onThrowawayDatabase(async ({ database: { url, serviceUrl, pid }, folder }) => {
    await migrate({ url, serviceRole: SERVICE_ROLE });
    const agent = await anAgent(url);
    const storage = await openStorage(serviceUrl, 10);
    try {
      const day = dayOf(await storage.clock.now());
      const bars = join(folder, 'bars');
      await addPrices(bars, storage, day);
      const ports = portsOn(storage, countedPrices('events', barFiles(bars), storage.barCache));
      const cpu = async (work: () => Promise<unknown>) => (await cpuDuring([process.pid, pid], work))[1] / decisions;
      const slice = async (client: pg.Client, state: 'disable' | 'enable always'): Promise<Costs> => {
        await setEvents(client, state);
        const submitted = await cpu(() => addDecisions(storage, agent, day, decisions));
        await client.query(MADE_REALTIME);
        const graded = await cpu(async () => {
          for (let more = true; more; ) ({ more } = await evaluateDue(ports));
        });
        await foldCohorts(storage);
        return { submitted, graded };
      };
      return await onClient(url, async (client) => {
        const [withEvents, without]: [Costs[], Costs[]] = [[], []];
        // The first pair fills caches.
        for (let pair = 0; pair <= pairs; pair += 1) {
          if (pair % 2 === 0) without.push(await slice(client, 'disable'));
          withEvents.push(await slice(client, 'enable always'));
          if (pair % 2 === 1) without.push(await slice(client, 'disable'));
        }
        return report(withEvents.slice(1), without.slice(1), decisions);
      });
    } finally {
      await storage.close();
    }
  });
}

async function setEvents(client: pg.Client, state: 'disable' | 'enable always'): Promise<void> {
  const triggers = { decisions: 'note_move', decision_outcomes: 'note_grades', credit_ledger: 'note_credits' };
  for (const [table, name] of Object.entries(triggers)) {
    await client.query(`alter table app.${table} ${state} trigger ${name}`);
  }
}

/** Decisions that are due at once are of data of long ago; only realtime decisions earn credits. */
const MADE_REALTIME = `
  alter table app.decisions disable trigger keep_submission;
  update app.decisions set submission_origin = 'realtime' where due_at is not null;
  alter table app.decisions enable always trigger keep_submission`;

function report(withEvents: readonly Costs[], without: readonly Costs[], decisions: number): string {
  const line = (name: string, field: keyof Costs) => {
    const more = withEvents.map((costs, pair) => 100 * (costs[field] / (without[pair]?.[field] ?? Number.NaN) - 1));
    const sorted = more.toSorted((a, b) => a - b);
    const quartiles = [0.25, 0.75].map((share) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN);
    const cpu = [without, withEvents].map((costs) =>
      median(costs.map((each) => each[field]))
        .toFixed(0)
        .padStart(8),
    );
    return `${name.padEnd(22)}${cpu.join('')}${[median(more), ...quartiles].map((share) => share.toFixed(1).padStart(9)).join('')}`;
  };
  return [
    `CPU us${''.padEnd(17)}without    with   more %      25%      75%   (${withEvents.length} pairs of ${decisions} decisions)`,
    line('a submission', 'submitted'),
    line('a grade with a credit', 'graded'),
  ].join('\n');
}
