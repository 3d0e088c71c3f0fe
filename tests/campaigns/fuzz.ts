// Sends the service requests that its document allows and forbids, as all kinds of callers and over broken connections:
// `npm run fuzz [-- --short] [--requests N] [--seed S] [--of PATTERN] [--plant NAME]`. See docs/testing.md.
import { parseArgs } from 'node:util';
import { BROKEN, breakConnection } from './fuzz/broken-connections.ts';
import { type Campaign, type Finding, fuzz } from './fuzz/campaign.ts';
import { runHistories } from './fuzz/histories.ts';
import { PLANTS, type Plant } from './fuzz/plants.ts';
import { resourcesOf } from './fuzz/resources.ts';
import { openStage, type Stage } from './fuzz/stage/stage.ts';
import { chosenPlants, rejectArguments } from './stage/command-line.ts';
import { openTally } from './stage/tally.ts';
import { openThrowawayDatabase } from './stage/throwaway-database.ts';

const LONG = 500_000;
const SHORT = 20_000;
const UNTIL_FOUND = 6_000;
/** Requests to operations that no other request of the campaign made succeed. */
const MORE = 4_000;
const LANES = 8;
const ROUNDS = 5;
/** MiB that a few hundred requests may add temporarily. */
const MAX_GROWTH = 150;
const MAX_HANDLES = 40;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '200' },
    short: { type: 'boolean', default: false },
    requests: { type: 'string' },
    seed: { type: 'string' },
    plant: { type: 'string' },
    of: { type: 'string' },
  },
});
const requests = Number(values.requests ?? (values.short ? SHORT : LONG));
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
if (!Number.isSafeInteger(requests) || !Number.isSafeInteger(seed)) {
  rejectArguments('--requests and --seed must be whole numbers.');
}
// Plants are of all operations.
const plants = values.of === undefined ? chosenPlants(PLANTS, values.plant ?? 'all') : [];

const tally = openTally('Fuzz');
const { check } = tally;
if (positionals[0] === 'histories') {
  check(`${values.runs} histories have the same replies on both storages`, runHistories(values.runs, seed));
  end();
}
const closers: (() => Promise<void> | void)[] = [];
const throwaway = await openThrowawayDatabase();
try {
  const began = performance.now();
  const stage = await openStage(throwaway, closers);
  console.log(`The stage was ready in ${Math.round((performance.now() - began) / 1_000)} s.`);
  const tools = stage.document.operations.filter(({ tool }) => tool);
  console.log(
    `${stage.document.operations.length} operations, ${tools.length} of them tools, ${stage.callers.length} callers, seed ${seed}`,
  );
  if (values.plant === undefined) {
    await runRequests(stage);
    await runBrokenConnections(stage);
    check('the logs contain no fault of the service', stage.loggedFaults);
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
  const chosen = new RegExp(`^(${values.of ?? '.*'})$`);
  const operations = stage.document.operations.filter(({ id }) => chosen.test(id));
  if (operations.length === 0) rejectArguments(`--of ${values.of} names no operation.`);
  const started = performance.now();
  let n = 1;
  const sendOf = () => (n++ % 20 === 0 ? stage.lines.narrow.send : stage.lines.wide.send);
  const report = (count: number) => {
    const seconds = Math.round((performance.now() - started) / 1_000);
    console.log(`${count} of ${requests} requests in ${seconds} s`);
  };
  const found = ({ what }: Finding) => {
    if (!throwaway.isClosing()) console.log(`found ${what}`);
  };
  const campaign = await fuzz({ ...stage, document: { ...stage.document, operations } }, sendOf, stage.wide.url, {
    requests,
    more: MORE,
    seed,
    lanes: LANES,
    report,
    found,
  });
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(campaign.coverage.table(operations));
  console.log(`${campaign.coverage.requests} requests in ${seconds} s`);
  for (const { id } of operations) check(`every reply of ${id} matches the document`, findingsOf(campaign, id));
  const without = campaign.coverage.withoutSuccess(operations);
  // A run with few requests may miss some by chance.
  if (requests >= SHORT) check('each operation has succeeded at least once', without);
  else console.log(`Without a success: ${without.join(', ') || 'none'}`);
}

/** Breaks connections to both servers, which must keep answering and must not grow. */
async function runBrokenConnections({ wide, narrow }: Stage): Promise<void> {
  for (const broken of BROKEN) {
    const faults = await Promise.all([wide, narrow].map(({ port }) => breakConnection(port, broken)));
    check(`a connection with ${broken.name}`, faults.flat());
  }
  const before = resourcesOf(wide.pid);
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(BROKEN.map((broken) => breakConnection(wide.port, broken)));
  }
  const reply = await fetch(`${wide.url}/readyz`);
  check('the service still answers', reply.ok ? [] : [`/readyz answers ${reply.status}`]);
  const after = resourcesOf(wide.pid);
  if (before === null || after === null) return;
  console.log(`handles ${before.handles} -> ${after.handles}, memory ${before.mebibytes} -> ${after.mebibytes} MiB`);
  const hasGrown = after.mebibytes - before.mebibytes > MAX_GROWTH || after.handles - before.handles > MAX_HANDLES;
  check('broken connections leak neither memory nor handles', hasGrown ? ['memory or handles have grown'] : []);
}

function findingsOf({ findings }: Campaign, id: string): readonly string[] {
  return findings
    .filter(({ what }) => what.startsWith(`${id}: `))
    .map(
      ({ what, detail, curl, seed: at, times }) =>
        `${what} (${times} times)\n         ${detail}\n         ${at}\n         ${curl}`,
    );
}

async function findPlant(stage: Stage, name: string, plant: Plant): Promise<void> {
  const send = plant.plant(stage.lines.wide.send);
  const extent = { requests: UNTIL_FOUND, seed, lanes: 1, until: ({ what }: Finding) => plant.found.test(what) };
  const operations = stage.document.operations.filter(({ id }) => plant.of?.test(id) ?? true);
  const scene = { ...stage, document: { ...stage.document, operations } };
  const { findings } = await fuzz(scene, () => send, stage.wide.url, extent);
  const isFound = findings.some(({ what }) => plant.found.test(what));
  check(
    `finds the planted fault: ${name}`,
    isFound ? [] : findings.map(({ what, detail }) => `${what}: ${detail}`).concat('not found'),
  );
}
