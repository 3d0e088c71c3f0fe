import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { migrateJobs } from '../../../adapters/jobs/migrate-jobs.ts';
import { barFiles } from '../../../adapters/market/files/bar-files.ts';
import { migrate } from '../../../adapters/postgres/migrations/migrate.ts';
import { foldCohorts, foldTracks } from '../../../application/cohorts/fold-cohorts.ts';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import { appendLeaves } from '../../../application/log/append-batch.ts';
import { keepLog, type LogPorts } from '../../../application/log/keep-log.ts';
import { logKeyOf, storedKey } from '../../../application/log/read-log.ts';
import { readOpenings } from '../../../application/log/read-openings.ts';
import type { Ports, Storage } from '../../../application/ports.ts';
import { textOfUtf8 } from '../../../domain/log/encoding.ts';
import { openingsPath } from '../../../domain/log/tree/tile.ts';
import { Problem } from '../../../domain/problem.ts';
import { SECOND } from '../../../domain/time.ts';
import { SERVICE_ROLE } from '../../../infrastructure/embedded-postgres/roles.ts';
import { logPorts } from '../../harness/kept-logs.ts';
import { onClient } from '../stage/client.ts';
import { openStorage } from '../stage/storage.ts';
import { submissionOf } from '../stage/submission.ts';
import { onThrowawayDatabase } from '../stage/throwaway-database.ts';
import type { NoteRatio } from './aims.ts';
import { bytesOf, type Cost, chainOf, costOf, costTable, growthOf, meanOf, type Processes } from './cost-table.ts';
import { countedPrices } from './counted-prices.ts';
import { addDecisions, addPrices, dayOf } from './due-decisions.ts';
import { anAgent, portsOn } from './evaluate.ts';
import { SETTLED } from './extents.ts';

export interface LogExtent {
  /** Decisions that each round grades with the log, and without its trigger. */
  readonly graded: number;
  readonly rounds: number;
  /** Decisions without a grade that a log which starts imports with all others. */
  readonly imported: number;
}

/**
 * What a decision costs from its submission to the leaf of its outcome, the grade without the log too, and an import into
 * a log; as lines.
 */
export function benchLog(extent: LogExtent, note: NoteRatio): Promise<string> {
  return onThrowawayDatabase(async ({ database: { url, serviceUrl, pid }, folder }) => {
    await migrate({ url, serviceRole: SERVICE_ROLE });
    await migrateJobs({ ownerUrl: url, serviceRole: SERVICE_ROLE });
    const storage = await openStorage(serviceUrl, 10);
    try {
      return await onClient(url, async (client) => {
        const day = dayOf(await storage.clock.now());
        await addPrices(join(folder, 'bars'), storage, day);
        const agent = await anAgent(url);
        const grading = portsOn(storage, countedPrices('log', barFiles(join(folder, 'bars')), storage.barCache));
        const { meta, ...said } = submissionOf({ symbol: '', direction: 'neutral' }, new Date(day));
        const words = { ...said, meta: JSON.stringify(meta) };
        const add = async (count: number) => (await addDecisions(storage, agent, day, count, words)).length;
        const processes = { ours: process.pid, postgres: pid };
        return measure(
          { client, processes, storage, ports: logPorts(storage), gradeDue: () => gradeAll(grading), add },
          extent,
          note,
        );
      });
    } finally {
      await storage.close();
    }
  });
}

interface Scene {
  readonly client: pg.Client;
  readonly processes: Processes;
  readonly storage: Storage;
  readonly ports: LogPorts;
  readonly add: (count: number) => Promise<number>;
  readonly gradeDue: () => Promise<number>;
}

async function measure(scene: Scene, { graded, rounds, imported }: LogExtent, note: NoteRatio): Promise<string> {
  const { client, processes, storage, ports, add, gradeDue } = scene;
  const costs = new Map<string, Cost[]>();
  const cost = async (name: string, work: () => Promise<number>) => {
    const measured = await costOf(client, name, processes, work);
    costs.set(name, [...(costs.get(name) ?? []), measured]);
    return measured;
  };
  await keepAll(ports);
  for (let round = 0; round < rounds; round += 1) {
    await cost(STEPS.submitted, () => add(graded));
    await setTimeout(SETTLED);
    await cost(STEPS.sealed, () => keepAll(ports));
    await cost(STEPS.graded, gradeDue);
    await cost(STEPS.folded, () => foldAll(storage));
    await setTimeout(SETTLED);
    await cost(STEPS.logged, () => keepAll(ports));
    await cost('an opening', () => openAll(storage));
    await add(graded);
    await client.query('alter table app.decision_outcomes disable trigger log_outcome');
    await cost('a grade, not logged', gradeDue);
    await client.query('alter table app.decision_outcomes enable always trigger log_outcome');
    await foldAll(storage);
  }
  for (let left = imported; left > 0; left -= ADDED_AT_ONCE) await add(Math.min(left, ADDED_AT_ONCE));
  const begin = performance.now();
  const { count } = await cost('a leaf of an import', () => importAll(ports).then(() => keepAll(ports)));
  const seconds = (performance.now() - begin) / 1_000;
  note('leaves a second of one worker', count / seconds);
  const means = [...costs.values()].map(meanOf);
  const chain = (name: string, steps: readonly string[]) =>
    chainOf(
      name,
      means.filter((mean) => steps.includes(mean.name)),
    );
  const whole = chain('a decision, submitted, graded, logged', Object.values(STEPS));
  note('bytes on disk a decision, submitted, graded, logged', bytesOf(whole));
  note('bytes of WAL a decision, submitted, graded, logged', whole.log);
  const grade = chain('a grade, folded and logged', [STEPS.graded, STEPS.folded, STEPS.logged]);
  return [costTable([...means, grade, whole]), `the import took ${seconds.toFixed(1)} s`, growthOf(whole)].join('\n');
}

/** Of each decision. */
const STEPS = {
  submitted: 'a submission, without its request',
  sealed: 'a leaf of a decision',
  graded: 'a grade',
  folded: 'a fold',
  logged: 'a leaf of an outcome',
};

const ADDED_AT_ONCE = 10_000;

/** Starts a log that imports all decisions, as the first one of a database does. */
function importAll({ transaction, logKey }: LogPorts): Promise<void> {
  return transaction(async ({ log: store, signatures }) => {
    const origin = `${logKey.host}/log/2`;
    const key = logKeyOf(logKey, origin);
    await store.start({ log: 2, origin, key_id: key.id }, null);
    await signatures.addKey(2, storedKey(key));
    await appendLeaves(store, 2, null, [{ leaf: { t: 'log', last: null, v: 1 }, event: null }]);
  });
}

/** Appends everything that is ready; the number of leaves. */
export async function keepAll(ports: LogPorts): Promise<number> {
  let leaves = 0;
  for (let added = 1; added > 0; leaves += added) ({ leaves: added } = await keepLog(ports, { interval: SECOND }));
  return leaves;
}

/** Reads the openings of all whole bundles of the published tree; their number. */
async function openAll({ logEvidence }: Storage): Promise<number> {
  const noteFault = (record_id: string): never => {
    throw new Error(`${record_id} has no opening`);
  };
  let opened = 0;
  for (let bundle = 0; ; bundle += 1) {
    try {
      const lines = await readOpenings({ logEvidence, noteFault }, 1, openingsPath(bundle));
      opened += textOfUtf8(lines).split('\n{"index"').length - 1;
    } catch (error) {
      if (error instanceof Problem && error.code === 'NOT_FOUND') return opened;
      throw error;
    }
  }
}

/** Counts what was graded in cohorts, and what changed in track records; the number of grades. */
async function foldAll(storage: Storage): Promise<number> {
  const folded = await foldCohorts(storage);
  await foldTracks(storage);
  return folded;
}

async function gradeAll(ports: Ports): Promise<number> {
  let graded = 0;
  for (let sweep = { ended: 0, more: true }; sweep.more; graded += sweep.ended) sweep = await evaluateDue(ports);
  return graded;
}
