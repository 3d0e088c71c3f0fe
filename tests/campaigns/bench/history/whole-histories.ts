import { join } from 'node:path';
import { onClient } from '../../stage/client.ts';
import { stopServer } from '../../stage/server-process.ts';
import { openStorage } from '../../stage/storage.ts';
import type { ThrowawayDatabase } from '../../stage/throwaway-database.ts';
import { addDatabase } from '../added-database.ts';
import { type CallNumbers, CONNECTIONS, callNumbers } from '../calls.ts';
import { type Cost, costOf } from '../cost-table.ts';
import { costOfGrading } from '../costs.ts';
import { ADD_INSTRUMENTS } from '../population.ts';
import { type Space, spaceOf, spaceText } from './billion.ts';
import { historyTable } from './history-table.ts';
import { inTurn, measureReads, type Served, send, serve, type Turns } from './in-turn.ts';
import { loadHistory } from './load-history.ts';
import { type HistorySample, reads, submission } from './operations.ts';
import type { TemplateExtent } from './templates.ts';

export interface WholeExtent extends Turns {
  /** Records of each history, the smallest first. */
  readonly sizes: readonly number[];
  readonly templates: TemplateExtent;
  /** Decisions that are graded in each history to measure the cost. */
  readonly graded: number;
}

/** The time of each operation on whole records, and what a decision takes. */
export async function measureWhole(throwaway: ThrowawayDatabase, extent: WholeExtent): Promise<readonly string[]> {
  const histories: WholeHistory[] = [];
  for (const records of extent.sizes) histories.push(await load(throwaway, extent, records));
  const submit = await inTurn(throwaway, extent, histories, (history, seconds) =>
    submitTo(throwaway, history, seconds),
  );
  const rows = await measureReads(throwaway, extent, histories, ({ sample }) => reads(sample));
  const costs: (readonly Cost[])[] = [];
  for (const history of histories) costs.push(await costsIn(throwaway, extent, history));
  const spaces = histories.map(({ space }) => space);
  return [historyTable(extent.sizes, [{ name: 'submit', bySize: submit }, ...rows]), spaceText(spaces, costs)];
}

interface WholeHistory extends Served {
  readonly sample: HistorySample;
  readonly space: Space;
  readonly calls: CallNumbers;
}

async function load(throwaway: ThrowawayDatabase, extent: WholeExtent, records: number): Promise<WholeHistory> {
  const begin = performance.now();
  const urls = await addDatabase(throwaway.database, `whole_${records}`);
  const storage = await openStorage(urls.serviceUrl, 4);
  const place = { url: urls.url, storage, bars: join(throwaway.folder, `bars_${records}`) };
  const { templates } = extent;
  const callers = await loadHistory(place, { records, templates, agents: AGENTS }).finally(() => storage.close());
  const loaded = await onClient(urls.url, async (client) => {
    const space = await spaceOf(client, records);
    await client.query(ADD_INSTRUMENTS);
    const { rows } = await client.query<HistorySample['records'][number]>(SAMPLE);
    return { sample: { callers, records: rows }, space };
  });
  console.log(`${records} whole records in ${((performance.now() - begin) / 1_000).toFixed(0)} s`);
  return { ...loaded, ...(await serve(throwaway, urls)), calls: callNumbers() };
}

const AGENTS = 2_000;
const SAMPLE = `
  select record_id, agent_id from app.decisions where lifecycle_state = 'evaluated' order by md5(record_id) limit 5000`;

async function submitTo(throwaway: ThrowawayDatabase, history: WholeHistory, seconds: number, connections?: number) {
  const { sample, calls } = history;
  const plan = submission(sample.callers, calls.next);
  const many = connections === undefined ? {} : { connections };
  const result = await send(throwaway, history, { seconds, expect: 201, plan, ...many });
  calls.used(result.sent);
  return result;
}

/** Long enough, and with connections enough for batches, that the pages which a checkpoint has logged whole do not decide. */
const COSTS_LAST = 5;

/** Stops the service: it has none of the prices that records are graded on. */
async function costsIn(throwaway: ThrowawayDatabase, { seconds, graded }: WholeExtent, history: WholeHistory) {
  const { urls, service, sample } = history;
  const { pid } = throwaway.database;
  return onClient(urls.url, async (client): Promise<readonly Cost[]> => {
    const processes = { ours: service.pid, postgres: pid };
    const submitted = await costOf(client, 'a submission', processes, async () => {
      return (await submitTo(throwaway, history, COSTS_LAST * seconds, CONNECTIONS)).sent;
    });
    await stopServer(service.child);
    const [agent] = sample.callers;
    if (!agent) throw new Error('The history has no agents.');
    const place = { serviceUrl: urls.serviceUrl, pid, bars: join(throwaway.folder, 'bars_of_costs') };
    return [submitted, await costOfGrading(client, place, agent, graded)];
  });
}
