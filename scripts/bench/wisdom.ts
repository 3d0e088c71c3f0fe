import pg from 'pg';
import { openPostgres, type PostgresStorage } from '../../adapters/postgres/storage.ts';
import { SERVICE_ROLE } from '../../infrastructure/embedded-postgres/roles.ts';
import type { EmbeddedPostgres } from '../../infrastructure/embedded-postgres.ts';
import { migrate } from '../../infrastructure/migrate.ts';
import { gradingCost } from './grading-cost.ts';
import { onThrowawayDatabase } from './throwaway-database.ts';
import { plainCount, type Shape, shapesOf } from './wisdom-shapes.ts';
import { fillUniverse } from './wisdom-universe.ts';

/** As many as a page may hold. */
const PAGE = 100;
const PRODUCERS = 5;

export interface WisdomExtent {
  readonly small: number;
  readonly large: number;
  readonly rounds: number;
  /** Decisions that are graded to tell what that costs more. */
  readonly graded: number;
}

/**
 * How fast cohorts are read from few and from many records of one universe, against counting the records themselves,
 * and what it costs each graded decision; as lines.
 */
export function benchWisdom(extent: WisdomExtent): Promise<string> {
  return onThrowawayDatabase(async (cluster, folder) => {
    const table = await measured(cluster, extent);
    return `${table}\n\n${await gradingCost(await databaseOf(cluster, 'grading'), folder, extent.graded)}`;
  });
}

interface Urls {
  readonly url: string;
  readonly serviceUrl: string;
}

interface Size extends Urls {
  readonly storage: PostgresStorage;
}

async function measured(cluster: EmbeddedPostgres, { small, large, rounds }: WisdomExtent): Promise<string> {
  const sizes: Size[] = [];
  try {
    for (const [name, rows] of Object.entries({ small, large })) {
      const urls = await databaseOf(cluster, name);
      const begin = performance.now();
      await fillUniverse({ url: urls.url, rows });
      console.log(`${rows} records in ${((performance.now() - begin) / 1_000).toFixed(0)} s`);
      sizes.push({ ...urls, storage: await storageOf(urls) });
    }
    return await tableOf(sizes, rounds);
  } finally {
    for (const { storage } of sizes) await storage.close();
  }
}

/** A database of the cluster with the schema of the code. */
async function databaseOf({ url, serviceUrl }: EmbeddedPostgres, name: string): Promise<Urls> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const [own, services] = [url, serviceUrl].map((each) => {
    const named = new URL(each);
    named.pathname = `/${name}`;
    return named.href;
  });
  if (!own || !services) throw new Error('Both are named');
  await migrate({ url: own, serviceRole: SERVICE_ROLE });
  return { url: own, serviceUrl: services };
}

const NO_JOBS = {
  queue: { enqueue: async () => undefined },
  within: () => NO_JOBS.queue,
  close: async () => undefined,
};

function storageOf({ serviceUrl }: Urls): Promise<PostgresStorage> {
  return openPostgres({ url: serviceUrl, poolSize: 1, openJobs: async () => NO_JOBS });
}

async function tableOf(sizes: readonly Size[], rounds: number): Promise<string> {
  const [few, many] = sizes;
  if (!few || !many) throw new Error('There are two sizes');
  const lines: string[] = [];
  for (const shape of await shapesOf(few.url)) {
    // In turn, so that whatever else the machine does meets both.
    const times: [number, number][] = [];
    for (let round = 0; round <= rounds; round += 1) times.push([await read(few, shape), await read(many, shape)]);
    const [fast, slow] = [0, 1].map((size) => median(times.slice(1).map((pair) => pair[size] ?? Number.NaN)));
    lines.push(lineOf(shape.name, fast ?? Number.NaN, slow ?? Number.NaN, await plain(many, shape)));
  }
  return [`${''.padEnd(24)}small ms  large ms  large/small  records counted ms  times faster`, ...lines].join('\n');
}

/** Milliseconds of an overview and the first page of it. */
async function read({ storage: { cohorts } }: Size, { filter }: Shape): Promise<number> {
  const begin = performance.now();
  const { moment } = await cohorts.summarise(filter, PRODUCERS);
  await cohorts.page(filter, { sort: 'data_cutoff_desc', limit: PAGE, after: null, moment });
  return performance.now() - begin;
}

async function plain({ url }: Size, { filter }: Shape): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const begin = performance.now();
      await client.query(plainCount(filter));
      times.push(performance.now() - begin);
    }
    return median(times);
  } finally {
    await client.end();
  }
}

function lineOf(name: string, few: number, many: number, counted: number): string {
  return [
    name.padEnd(23),
    few.toFixed(2).padStart(8),
    many.toFixed(2).padStart(9),
    (many / few).toFixed(2).padStart(12),
    counted.toFixed(1).padStart(19),
    (counted / many).toFixed(1).padStart(13),
  ].join(' ');
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}
