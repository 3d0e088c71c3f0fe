// Faults of every kind under load, and a check of what was acknowledged: `npm run chaos [-- --short] [--faults N]
// [--seed S] [--plant NAME|all] [--kinds A,B]`. See docs/faults.md.
import { parseArgs } from 'node:util';
import { FAULTS } from './chaos/faults/plan.ts';
import { PLANTS } from './chaos/plants.ts';
import { runCampaign } from './chaos/run.ts';

const FULL = 1_000;
const SHORT = 60;
/** Enough requests for each plant to have something to spoil. */
const PLANTED = 3;

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    faults: { type: 'string' },
    seed: { type: 'string', default: String(Date.now()) },
    plant: { type: 'string' },
    kinds: { type: 'string' },
  },
});
const { seed } = values;
const count = Number(values.faults ?? (values.short ? SHORT : FULL));
const kinds = values.kinds?.split(',');
const plants = values.plant === 'all' ? Object.keys(PLANTS) : values.plant === undefined ? [] : [values.plant];
refuse(!Number.isInteger(count) || count < 1, '--faults takes a whole number from 1.');
refuse(
  plants.some((name) => !(name in PLANTS)),
  `There is no such plant: name ${Object.keys(PLANTS).join(', ')}, or all.`,
);
refuse(
  kinds?.some((kind) => !(kind in FAULTS)) ?? false,
  `There is no such kind: name ${Object.keys(FAULTS).join(', ')}.`,
);

const [passed, failed] = plants.length === 0 ? await faults() : await planted();
console.log(`Chaos: ${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function faults(): Promise<readonly [number, number]> {
  const verdict = await runCampaign({ count, seed, ...(kinds ? { kinds } : {}) });
  return [verdict.passed, verdict.failed.length];
}

/** A plant that the checker does not see is a failure, and nothing else is. */
async function planted(): Promise<readonly [number, number]> {
  let seen = 0;
  for (const name of plants) {
    const plant = PLANTS[name];
    if (!plant) continue;
    console.log(`\nPlanted: ${name}`);
    const planned = values.faults === undefined ? (plant.faults ?? PLANTED) : count;
    const { failed } = await runCampaign({ count: planned, seed, plant });
    const found = failed.includes(plant.breaks);
    console.log(`${found ? 'seen  ' : 'UNSEEN'} ${name}`);
    if (found) seen += 1;
  }
  return [seen, plants.length - seen];
}

function refuse(when: boolean, words: string): void {
  if (!when) return;
  console.error(words);
  process.exit(2);
}
