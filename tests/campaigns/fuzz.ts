// Asks the service whatever its document allows and forbids, as everybody and over broken connections:
// `npm run fuzz [-- --short] [--requests N] [--seed S] [--plant NAME]`. See docs/testing.md.
import { parseArgs } from 'node:util';
import { BROKEN, breakConnection } from './fuzz/broken-connections.ts';
import { type Campaign, type Finding, fuzz } from './fuzz/campaign.ts';
import { runHistories } from './fuzz/histories.ts';
import { PLANTS, type Plant } from './fuzz/plants.ts';
import { openStage, type Stage } from './fuzz/stage/stage.ts';
import { weightOf } from './fuzz/weight.ts';
import { chosenPlants, rejectArguments } from './stage/command-line.ts';
import { openTally } from './stage/tally.ts';
import { openThrowawayDatabase } from './stage/throwaway-database.ts';

const LONG = 500_000;
const SHORT = 20_000;
const UNTIL_FOUND = 6_000;
const LANES = 8;
const ROUNDS = 5;
/** In MiB, what a few hundred requests may add for a while. */
const MOST_GROWTH = 150;
const MOST_HANDLES = 40;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '200' },
    short: { type: 'boolean', default: false },
    requests: { type: 'string' },
    seed: { type: 'string' },
    plant: { type: 'string' },
  },
});
const requests = Number(values.requests ?? (values.short ? SHORT : LONG));
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
if (!Number.isSafeInteger(requests) || !Number.isSafeInteger(seed)) {
  rejectArguments('--requests and --seed must be whole numbers.');
}
const plants = chosenPlants(PLANTS, values.plant ?? 'all');

const tally = openTally('Fuzz');
const { check } = tally;
if (positionals[0] === 'histories') {
  check(`${values.runs} histories have the same answers on both storages`, runHistories(values.runs, seed));
  end();
}
const closers: (() => Promise<void> | void)[] = [];
const throwaway = await openThrowawayDatabase();
try {
  const began = performance.now();
  const stage = await openStage(throwaway, closers);
  console.log(`The stage was set in ${Math.round((performance.now() - began) / 1_000)} s.`);
  console.log(`${stage.document.operations.length} operations, ${stage.callers.length} callers, seed ${seed}`);
  if (values.plant === undefined) {
    await runRequests(stage);
    await runBrokenConnections(stage);
    check('the logs tell of no fault of the service', stage.complaints);
  }
  for (const [name, plant] of plants) await findPlant(stage, name, plant);
} finally {
  for (const close of closers.reverse()) await close();
  await throwaway.close();
}
end();

function end(): never {
  process.exit(tally.close() ? 0 : 1);
}

async function runRequests(stage: Stage): Promise<void> {
  const { operations } = stage.document;
  const started = performance.now();
  let n = 0;
  const sendOf = () => (n++ % 20 === 0 ? stage.lines.narrow.send : stage.lines.wide.send);
  const tell = (asked: number) => {
    const seconds = Math.round((performance.now() - started) / 1_000);
    console.log(`${asked} of ${requests} requests in ${seconds} s`);
  };
  const found = ({ what }: Finding) => console.log(`found ${what}`);
  const campaign = await fuzz(stage, sendOf, stage.wide.url, { requests, seed, lanes: LANES, tell, found });
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(campaign.coverage.table(operations));
  console.log(`${campaign.coverage.requests} requests in ${seconds} s`);
  for (const { id } of operations) check(`every answer of ${id} is as the document tells it`, told(campaign, id));
  const without = campaign.coverage.withoutSuccess(operations);
  // Some need luck: a short run of a developer's may do without.
  if (requests >= SHORT) check('each operation has succeeded at least once', without);
  else console.log(`Without a success: ${without.join(', ') || 'none'}`);
}

/** Each on both servers, which must go on answering, and hold no more than before. */
async function runBrokenConnections({ wide, narrow }: Stage): Promise<void> {
  for (const broken of BROKEN) {
    const faults = await Promise.all([wide, narrow].map(({ port }) => breakConnection(port, broken)));
    check(`a connection with ${broken.name}`, faults.flat());
  }
  const before = weightOf(wide.pid);
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(BROKEN.map((broken) => breakConnection(wide.port, broken)));
  }
  const answer = await fetch(`${wide.url}/readyz`);
  check('it goes on answering', answer.ok ? [] : [`/readyz answers ${answer.status}`]);
  const after = weightOf(wide.pid);
  if (before === null || after === null) return;
  console.log(`handles ${before.handles} -> ${after.handles}, memory ${before.mebibytes} -> ${after.mebibytes} MiB`);
  const heavier = after.mebibytes - before.mebibytes > MOST_GROWTH || after.handles - before.handles > MOST_HANDLES;
  check('broken connections leave nothing behind', heavier ? ['memory or handles have grown'] : []);
}

function told({ findings }: Campaign, id: string): readonly string[] {
  return findings
    .filter(({ what }) => what.startsWith(`${id}: `))
    .map(
      ({ what, detail, curl, seed: at, times }) =>
        `${what} (${times} times)\n         ${detail}\n         ${at}\n         ${curl}`,
    );
}

async function findPlant(stage: Stage, name: string, plant: Plant): Promise<void> {
  const send = plant.plant(stage.lines.wide.send);
  const extent = { requests: UNTIL_FOUND, seed, lanes: 1, untilFirst: true };
  const { findings } = await fuzz(stage, () => send, stage.wide.url, extent);
  const isFound = findings.some(({ what }) => plant.found.test(what));
  check(`finds a service that has ${name}`, isFound ? [] : findings.map(({ what }) => what).concat('not found'));
}
