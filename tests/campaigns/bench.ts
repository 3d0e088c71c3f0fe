// Speed as ratios of one run: `npm run bench [-- PART...] [--short] [--workers N] [--write]`. See docs/performance.md.
import { parseArgs } from 'node:util';
import { benchAtlas } from './bench/atlas.ts';
import { benchEvaluate } from './bench/evaluate.ts';
import { benchImports } from './bench/imports.ts';
import { benchLimits } from './bench/limits.ts';
import { machine } from './bench/machine.ts';
import { tableOf } from './bench/measured.ts';
import { findPgbench } from './bench/pgbench.ts';
import { benchReads } from './bench/reads.ts';
import { writeReport } from './bench/report.ts';
import { benchRivals } from './bench/rivals.ts';
import { inRounds } from './bench/rounds.ts';
import { contendersOf, type ScenarioName } from './bench/scenarios.ts';
import { openStage, type Stage } from './bench/stage.ts';
import { benchSteady } from './bench/steady.ts';
import { benchWisdom } from './bench/wisdom.ts';

const FULL = {
  ...{ rounds: 3, seconds: 6, warmUp: 15, decisions: 10_000 },
  atlas: { records: 1_000_000, builds: 3, rounds: 3, seconds: 6 },
  wisdom: { small: 10_000, large: 10_000_000, rounds: 41, graded: 3_000 },
};
const SHORT: typeof FULL = {
  ...{ rounds: 1, seconds: 3, warmUp: 1, decisions: 2_000 },
  atlas: { records: 20_000, builds: 1, rounds: 1, seconds: 3 },
  wisdom: { small: 10_000, large: 200_000, rounds: 21, graded: 1_000 },
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    workers: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const extent = values.short ? SHORT : FULL;
const pgbench = findPgbench();
if (!pgbench) {
  console.log(`pgbench is missing, so that nothing is held against it. On Debian and Ubuntu:
  apt-get install postgresql-contrib`);
}

/** Each on a database, and a service, of its own: what one leaves behind slows down no other. */
const PARTS: Readonly<Record<string, () => Promise<string>>> = {
  submit: () => onStage((stage) => against(stage, 'submit')),
  read: () => onStage((stage) => against(stage, 'read')),
  steady: () => benchSteady(onStage, extent),
  requests: () => onStage((stage) => benchReads(stage, extent)),
  rivals: () => onStage((stage) => benchRivals(stage, extent)),
  limits: () => onStage((stage) => benchLimits(stage, extent)),
  imports: () => onStage((stage) => benchImports(stage)),
  evaluate: () => benchEvaluate(extent.decisions),
  atlas: () => onStage((stage) => benchAtlas(stage, extent.atlas)),
  wisdom: () => benchWisdom(extent.wisdom),
};
/** Millions of records take a while to be made: only who asks for them gets them. A short run has fewer for the atlas. */
const NAMED_ONLY = values.short ? ['wisdom'] : ['atlas', 'wisdom'];

const chosen = positionals.length > 0 ? positionals : Object.keys(PARTS).filter((name) => !NAMED_ONLY.includes(name));
const unknown = chosen.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(
    `There is no ${unknown.join(', ')}: name ${Object.keys(PARTS).join(', ')}, or none for all but ${NAMED_ONLY.join(' and ')}.`,
  );
  process.exit(2);
}
const about = machine(pgbench, Number(values.workers));
console.log(about);
let failed = 0;
for (const name of chosen) {
  try {
    const measured = (await PARTS[name]?.()) ?? '';
    console.log(`\n${name}\n${measured}`);
    if (values.write) writeReport(name, `${about}\n\n${measured}`);
  } catch (error) {
    failed += 1;
    console.error(`\n${name} could not be measured:`, error);
  }
}
console.log(`\nBench: ${chosen.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function onStage(work: (stage: Stage) => Promise<string>): Promise<string> {
  const stage = await openStage(Number(values.workers));
  try {
    return await work(stage);
  } finally {
    await stage.close();
  }
}

async function against(stage: Stage, name: ScenarioName): Promise<string> {
  return tableOf(await inRounds(contendersOf(name, stage, pgbench), extent));
}
