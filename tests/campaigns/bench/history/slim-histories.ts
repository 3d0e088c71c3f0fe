import { addCallers } from '../../stage/callers.ts';
import { onClient } from '../../stage/client.ts';
import type { ThrowawayDatabase } from '../../stage/throwaway-database.ts';
import { addDatabase } from '../added-database.ts';
import { fillUniverse } from '../wisdom-universe.ts';
import { historyTable } from './history-table.ts';
import { measureReads, type Served, serve, type Turns } from './in-turn.ts';
import { cohortReads } from './operations.ts';

export interface SlimExtent extends Turns {
  /** Records without documents, outcomes and evidence: few, and many. */
  readonly slim: readonly number[];
}

/** The time of the operations that read nothing but rows of decisions and cells. */
export async function measureSlim(throwaway: ThrowawayDatabase, extent: SlimExtent): Promise<readonly string[]> {
  const histories: SlimHistory[] = [];
  for (const rows of extent.slim) histories.push(await fill(throwaway, rows));
  const rows = await measureReads(throwaway, extent, histories, ({ key }) => cohortReads(key));
  return [historyTable(extent.slim, rows)];
}

interface SlimHistory extends Served {
  readonly key: string;
}

async function fill(throwaway: ThrowawayDatabase, rows: number): Promise<SlimHistory> {
  const begin = performance.now();
  const urls = await addDatabase(throwaway.database, `slim_${rows}`);
  await fillUniverse({ url: urls.url, rows });
  const [caller] = await onClient(urls.url, (client) => addCallers(client, 1, 1));
  console.log(`${rows} slim records in ${((performance.now() - begin) / 1_000).toFixed(0)} s`);
  return { key: caller?.key ?? '', ...(await serve(throwaway, urls)) };
}
