import type { PostgresStorage } from '../../../adapters/postgres/storage.ts';
import { readOverview } from '../../../application/cohorts/read-overview.ts';
import { COHORT } from '../../../domain/limits.ts';
import type { DatabaseUrls, EmbeddedPostgres } from '../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { onClient } from '../stage/client.ts';
import { openStorage } from '../stage/storage.ts';
import { onThrowawayDatabase } from '../stage/throwaway-database.ts';
import { addDatabase } from './added-database.ts';
import type { NoteRatio } from './aims.ts';
import { askingCost } from './asking-cost.ts';
import { cpuSoFar } from './cpu.ts';
import { gradingCost } from './grading-cost.ts';
import { plainCount, type Shape, shapesOf } from './wisdom-shapes.ts';
import { HEADER, lineOf, median, medianOf, type Reading } from './wisdom-table.ts';
import { fillUniverse } from './wisdom-universe.ts';

/** The largest page. */
const PAGE = 100;
const WISDOM = { minProducers: COHORT.minProducers, minSamples: COHORT.minSamples, ownerProof: 'none' } as const;
const SETTINGS = { wisdom: WISDOM, sessionSecret: 'a secret of the bench, as long as one has to be' };

export interface WisdomExtent {
  readonly small: number;
  readonly large: number;
  readonly rounds: number;
  /** Decisions that are graded to measure what cohorts add to the cost. */
  readonly graded: number;
}

/**
 * The time to read cohorts of few and of many records of one universe, compared with counting the records, and the cost
 * of cohorts for each graded decision; as lines.
 */
export function benchWisdom(extent: WisdomExtent, note: NoteRatio): Promise<string> {
  return onThrowawayDatabase(async ({ database: cluster, folder }) => {
    const table = await measured(cluster, extent, note);
    return `${table}\n\n${await gradingCost({ ...(await addDatabase(cluster, 'grading')), pid: cluster.pid }, folder, extent.graded)}`;
  });
}

interface Size extends DatabaseUrls {
  readonly storage: PostgresStorage;
}

async function measured(
  cluster: EmbeddedPostgres,
  { small, large, rounds }: WisdomExtent,
  note: NoteRatio,
): Promise<string> {
  const sizes: Size[] = [];
  try {
    for (const [name, rows] of Object.entries({ small, large })) {
      const urls = await addDatabase(cluster, name);
      const begin = performance.now();
      await fillUniverse({ url: urls.url, rows, ungraded: rows / 20 });
      console.log(`${rows} records in ${((performance.now() - begin) / 1_000).toFixed(0)} s`);
      sizes.push({ ...urls, storage: await openStorage(urls.serviceUrl, 1) });
    }
    const { lines, times } = await tableOf(sizes, rounds);
    const [slowest = ['', Number.NaN]] = [...times].toSorted(([, a], [, b]) => b - a);
    const ratio = slowest[1] / median([...times.values()]);
    note('slowest shape of a cohort / the median shape', ratio, `${large.toLocaleString('en')} records: ${slowest[0]}`);
    return `${lines.join('\n')}\n\n${await askingOf(sizes)}`;
  } finally {
    for (const { storage } of sizes) await storage.close();
  }
}

/** The process id of the only backend of the service's role. */
async function backendOf({ url, serviceUrl }: DatabaseUrls): Promise<number> {
  const { username, pathname } = new URL(serviceUrl);
  const backends = 'select pid from pg_stat_activity where usename = $1 and datname = $2';
  const values = [username, pathname.slice(1)];
  const { rows } = await onClient(url, (client) => client.query<{ pid: number }>(backends, values));
  return rows[0]?.pid ?? 0;
}

/** The lines of the table, and the time of each shape at the largest size. */
async function tableOf(sizes: readonly Size[], rounds: number) {
  const [few, many] = sizes;
  if (!few || !many) throw new Error('There must be two sizes.');
  const lines = [HEADER];
  const times = new Map<string, number>();
  for (const shape of await shapesOf(few.url)) {
    const readings: [Reading, Reading][] = [];
    // The first reading fills caches. It also comes before backendOf, since a pool replaces idle connections.
    for (const size of sizes) await read(size, 0, shape);
    const [first, second] = [await backendOf(few), await backendOf(many)];
    // Alternates, so that other load on the machine affects both alike.
    for (let round = 0; round < rounds; round += 1) {
      readings.push([await read(few, first, shape), await read(many, second, shape)]);
    }
    const [small, large] = [0, 1].map((size) => medianOf(readings.flatMap((pair) => pair[size] ?? [])));
    if (!small || !large) continue;
    lines.push(lineOf(shape.name, small, large, await plainTime(many, shape)));
    times.set(shape.name, large.time);
  }
  return { lines, times };
}

/** Of the largest size. */
async function askingOf(sizes: readonly Size[]): Promise<string> {
  const size = sizes.at(-1);
  const symbol = size && (await shapesOf(size.url)).find(({ name }) => name === 'one symbol');
  if (!symbol) throw new Error('There must be a size, and a shape of one symbol.');
  const { url, storage } = size;
  return askingCost({ url, storage, backend: () => backendOf(size) }, () => readPage(size, symbol));
}

/** Reads an overview as a query does, with the summaries that judge a narrowed cohort, and its first page. */
async function readPage({ storage: { cohorts } }: Size, { filter }: Shape): Promise<void> {
  const { summary } = await readOverview(cohorts, filter, SETTINGS);
  await cohorts.page(filter, { sort: 'data_cutoff_desc', limit: PAGE, after: null, moment: summary.moment });
}

async function read(size: Size, pid: number, shape: Shape): Promise<Reading> {
  const [begin, used] = [performance.now(), cpuSoFar(pid)];
  await readPage(size, shape);
  return { time: performance.now() - begin, cpu: (cpuSoFar(pid) - used) / 1_000 };
}

function plainTime({ url }: Size, { filter }: Shape): Promise<number> {
  return onClient(url, async (client) => {
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const begin = performance.now();
      await client.query(plainCount(filter));
      times.push(performance.now() - begin);
    }
    return median(times);
  });
}
