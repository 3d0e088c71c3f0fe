// Faults of every kind under load, and a check of everything that was acknowledged: `npm run chaos [-- --short] [--long]
// [--faults N] [--seed S] [--progress FILE] [--plant NAME|all] [--kinds A,B]`. See docs/faults.md.
import { parseArgs } from 'node:util';
import { EACH_ONCE, FAULTS } from './chaos/faults/plan.ts';
import { PROMISES, type Promised } from './chaos/journal.ts';
import { runLegs } from './chaos/legs.ts';
import { PLANTS } from './chaos/plants.ts';
import { runCampaign } from './chaos/run.ts';
import { chosenPlants, rejectArguments } from './stage/command-line.ts';
import { openTally } from './stage/tally.ts';

const FULL = 1_000;
/** Faults of a run with a plant: enough requests for the plant to have an effect. */
const PLANTED = 3;

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    progress: { type: 'string' },
    faults: { type: 'string' },
    seed: { type: 'string', default: String(Date.now()) },
    plant: { type: 'string' },
    kinds: { type: 'string' },
  },
});
const { seed } = values;
const count = Number(values.faults ?? (values.short ? EACH_ONCE : FULL));
const kinds = values.kinds?.split(',');
const plants = chosenPlants(PLANTS, values.plant);
if (values.long && (values.short || plants.length > 0)) rejectArguments('--long goes without --short and --plant.');
if (values.progress !== undefined && !values.long) rejectArguments('--progress goes with --long.');
if (!Number.isInteger(count) || count < 1) rejectArguments('--faults must be a whole number from 1.');
if (kinds?.some((kind) => !(kind in FAULTS))) {
  rejectArguments(`Unknown kind of fault in ${values.kinds}. Choose from ${Object.keys(FAULTS).join(', ')}.`);
}

const tally = openTally('Chaos');
const chosen = kinds ? { kinds } : {};
if (values.long) {
  await runLegs({ count, seed, progress: values.progress, ...chosen }, tally);
} else if (plants.length === 0) {
  const { broken } = await runCampaign({ count, seed, ...chosen });
  for (const [name, promise] of Object.entries(PROMISES)) tally.check(promise, broken.get(name as Promised) ?? []);
}
for (const [name, plant] of plants) {
  console.log(`\nPlanted: ${name}`);
  const faults = values.faults === undefined ? (plant.faults ?? PLANTED) : count;
  const { broken } = await runCampaign({ count: faults, seed, plant });
  tally.holds(
    `the checks find the plant ${name}`,
    broken.has(plant.breaks),
    `broken: ${[...broken.keys()].join(', ')}`,
  );
}
process.exit(tally.close() ? 0 : 1);
