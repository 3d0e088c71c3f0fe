import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { NOON } from '../../contracts/decisions/adapters.ts';
import { freshDatabase, type TestDatabase } from '../../harness/database.ts';
import { databaseClock } from '../../harness/database-clock.ts';
import { EXCUSED } from './tenancy/excused.ts';
import { openPlanted, type PlantedStorage, type Seen, type SlipToPlant } from './tenancy/planted-storage.ts';
import { PROBES } from './tenancy/probes.ts';
import { type Slip, slipsIn } from './tenancy/slips.ts';
import { sourceComparisons } from './tenancy/source-comparisons.ts';
import { aWorld, type World } from './tenancy/world.ts';

/** A probe with what it sees without a slip. */
interface Known extends Seen {
  readonly name: string;
  readonly run: () => Promise<unknown>;
}

let database: TestDatabase;
let clock: Awaited<ReturnType<typeof databaseClock>>;
let planted: PlantedStorage;
let known: readonly Known[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  clock = await databaseClock(database.url);
  await clock.freeze(NOON);
  planted = await openPlanted(database.url);
  const world = await aWorld(planted.storage, database.url, clock.advance);
  known = await withoutSlips(world);
});
afterAll(async () => {
  await planted?.close();
  await clock?.close();
  await database?.drop();
});

/** Those of few statements first: they are the fastest. */
async function withoutSlips(world: World): Promise<readonly Known[]> {
  const seen: Known[] = [];
  for (const [name, probe] of Object.entries(PROBES)) {
    const run = () => probe(world);
    seen.push({ name, run, ...(await planted.run(run)) });
  }
  return seen.toSorted((a, b) => a.texts.size - b.texts.size);
}

/** The first that notices it; none where no probe does. */
async function noticing(slip: SlipToPlant, by: readonly Known[]): Promise<Known | undefined> {
  for (const probe of by) {
    if ((await planted.run(probe.run, slip)).observed !== probe.observed) return probe;
  }
  return undefined;
}

/** First the probe that noticed a slip of it before, then those whose statements name the function or view. */
function likelyFirst(source: string, useful: ReadonlySet<Known>): readonly Known[] {
  const [, name = ''] = /\bapp\.(\w+)/.exec(source) ?? [];
  const names = new RegExp(`\\b${name}\\b`);
  const rank = (probe: Known) => (useful.has(probe) ? 0 : [...probe.texts].some((text) => names.test(text)) ? 1 : 2);
  const ranks = new Map(known.map((probe) => [probe, rank(probe)]));
  return known.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
}

async function expectAsBefore(): Promise<void> {
  for (const { name, run, observed } of known) {
    const again = await planted.run(run);
    expect([name, again.observed]).toEqual([name, observed]);
  }
}

/** The comparison with what is around it, as `EXCUSED` names it. */
function placeOf(text: string, { comparison, at }: Slip): string {
  const flat = (part: string) => part.replace(/\s+/g, ' ');
  const [before, after] = [flat(text.slice(0, at)), flat(text.slice(at + comparison.length))];
  return `${before.slice(-60)}«${flat(comparison)}»${after.slice(0, 60)}`;
}

const excuseOf = (place: string) => Object.keys(EXCUSED).find((part) => place.includes(part));
const sentTexts = () => [...new Set(known.flatMap((probe) => [...probe.texts]))];
const placesIn = (texts: readonly string[]) =>
  texts.flatMap((text) => slipsIn(text).map((slip) => placeOf(text, slip)));
const withoutMarks = (part: string) => part.replaceAll(/[«»]/g, '');

test('what probes see does not depend on when they run', expectAsBefore);

test('a probe notices each statement that forgets the owner', async () => {
  // Statements have parts in common: a comparison is held when a probe notices it in one of them.
  const noticed = new Map<string, boolean>();
  for (const text of sentTexts()) {
    const users = known.filter((probe) => probe.texts.has(text));
    for (const slip of slipsIn(text)) {
      const place = placeOf(text, slip);
      if (noticed.get(place) || excuseOf(place)) continue;
      noticed.set(place, (await noticing({ text, planted: slip.planted }, users)) !== undefined);
    }
  }
  expect([...noticed].filter(([, isHeld]) => !isHeld).map(([place]) => place)).toEqual([]);
});

test('a probe notices each function that forgets the owner', async () => {
  const unnoticed: string[] = [];
  for (const source of await functionsOf(database.url)) {
    const useful = new Set<Known>();
    for (const slip of slipsIn(source)) {
      const place = placeOf(source, slip);
      if (excuseOf(place)) continue;
      const probe = await noticing({ functionSql: slip.planted }, likelyFirst(source, useful));
      if (probe) useful.add(probe);
      else unnoticed.push(place);
    }
  }
  expect(unnoticed).toEqual([]);
});

// Else a probe would notice every slip.
test('what probes see is the same after all slips', expectAsBefore);

test('a probe runs each comparison of an owner in the sources', () => {
  const texts = sentTexts();
  const excused = Object.keys(EXCUSED).map(withoutMarks);
  const unused = sourceComparisons().filter(
    ({ part, isIn }) => !texts.some(isIn) && !excused.some((each) => each.includes(part)),
  );
  expect(unused.map(({ file, part }) => `${file}: ${part}`)).toEqual([]);
});

test('each reason is about a comparison that is there', async () => {
  const places = placesIn([...sentTexts(), ...(await functionsOf(database.url))]);
  const parts = sourceComparisons().map(({ part }) => part);
  const stale = Object.keys(EXCUSED).filter(
    (excused) =>
      !places.some((place) => place.includes(excused)) && !parts.some((part) => withoutMarks(excused).includes(part)),
  );
  expect(stale).toEqual([]);
});

/** The functions and views of the schema as statements that replace them, without functions that nothing here calls. */
async function functionsOf(url: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ source: string }>(FUNCTIONS);
    return rows.map(({ source }) => source);
  } finally {
    await client.end();
  }
}

const FUNCTIONS = `
  select pg_get_functiondef(oid) as source from pg_proc
  where pronamespace = 'app'::regnamespace and prokind in ('f', 'p')
    and coalesce(obj_description(oid, 'pg_proc'), '') not like '%A later release drops it.'
  union all
  select format('create or replace view %s as %s', oid::regclass, pg_get_viewdef(oid)) from pg_class
  where relnamespace = 'app'::regnamespace and relkind = 'v'`;
