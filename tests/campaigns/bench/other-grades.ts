// A child of `--against`: grades, folds and logs decisions by the code of a checkout, on a database of its own. It
// replies to a number of decisions with the CPU of one, of this process and the database together, and closes when its
// parent says so or ends: `node other-grades.ts ROOT`.
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { cpuDuring } from './cpu.ts';
import { SETTLED } from './extents.ts';

const [, , root = ''] = process.argv;
const { openThrowawayDatabase } = await load<typeof import('../stage/throwaway-database.ts')>(
  '../stage/throwaway-database.ts',
);
const { openStorage } = await load<typeof import('../stage/storage.ts')>('../stage/storage.ts');
const { addDatabase } = await load<typeof import('./added-database.ts')>('./added-database.ts');
const { countedPrices } = await load<typeof import('./counted-prices.ts')>('./counted-prices.ts');
const { addDecisions, addPrices, dayOf } = await load<typeof import('./due-decisions.ts')>('./due-decisions.ts');
const { anAgent, portsOn } = await load<typeof import('./evaluate.ts')>('./evaluate.ts');
const { keepAll } = await load<typeof import('./log.ts')>('./log.ts');
const { logPorts } = await load<typeof import('../../harness/kept-logs.ts')>('../../harness/kept-logs.ts');
const { barFiles } = await load<typeof import('../../../adapters/market/files/bar-files.ts')>(
  '../../../adapters/market/files/bar-files.ts',
);
const { evaluateDue } = await load<typeof import('../../../application/grading/evaluate-due.ts')>(
  '../../../application/grading/evaluate-due.ts',
);
const { foldCohorts, foldTracks } = await load<typeof import('../../../application/cohorts/fold-cohorts.ts')>(
  '../../../application/cohorts/fold-cohorts.ts',
);

const { database, folder, close } = await openThrowawayDatabase();
const urls = await addDatabase(database, 'graded');
const storage = await openStorage(urls.serviceUrl, 10);
process.once('disconnect', async () => {
  await storage.close();
  await close();
  process.exit();
});
const bars = join(folder, 'bars');
const day = dayOf(await storage.clock.now());
await addPrices(bars, storage, day);
const agent = await anAgent(urls.url);
const grading = portsOn(storage, countedPrices('grades', barFiles(bars), storage.barCache));
const log = logPorts(storage);
await keepAll(log);
process.on('message', async (count: number) => {
  try {
    process.send?.(await gradedOf(count));
  } catch (error) {
    console.error(error);
    process.disconnect();
  }
});
process.send?.('open');

/** Microseconds. What a submission leaves to the log is appended before. */
async function gradedOf(count: number): Promise<number> {
  await addDecisions(storage, agent, day, count);
  await setTimeout(SETTLED);
  await keepAll(log);
  const graded = await cpuOf(async () => {
    for (let more = true; more; ) ({ more } = await evaluateDue(grading));
    await foldCohorts(storage);
    await foldTracks(storage);
  });
  await setTimeout(SETTLED);
  return (graded + (await cpuOf(() => keepAll(log)))) / count;
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const [, cpu] = await cpuDuring([process.pid, database.pid], work);
  return cpu;
}

function load<Module>(path: string): Promise<Module> {
  return import(join(root, 'tests/campaigns/bench', path));
}
