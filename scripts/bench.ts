// Speed as ratios of one run: `npm run bench [-- submit | read | evaluate | limits | imports | wisdom] [--short] [--workers N]`. See docs/performance.md.
import { parseArgs } from 'node:util';
import { benchEvaluate } from './bench/evaluate.ts';
import { benchImports } from './bench/imports.ts';
import { benchLimits } from './bench/limits.ts';
import { tableOf } from './bench/measured.ts';
import { findPgbench, versionOf } from './bench/pgbench.ts';
import { benchRivals } from './bench/rivals.ts';
import { inRounds } from './bench/rounds.ts';
import { contendersOf, type ScenarioName } from './bench/scenarios.ts';
import { openStage } from './bench/stage.ts';
import { benchWisdom } from './bench/wisdom.ts';

const SCENARIOS = ['submit', 'read'] as const;
const ALL = [...SCENARIOS, 'rivals', 'evaluate', 'limits', 'imports', 'wisdom'] as const;
const FULL = { rounds: 3, seconds: 6, warmUp: 3, decisions: 10_000 };
const SHORT = { rounds: 1, seconds: 3, warmUp: 1, decisions: 2_000 };
const COHORTS = { small: 10_000, large: 10_000_000, rounds: 41, graded: 3_000 };
const SHORT_COHORTS = { small: 10_000, large: 200_000, rounds: 21, graded: 1_000 };

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean', default: false }, workers: { type: 'string', default: '1' } },
});
const asked = (name: string) => positionals.length === 0 || positionals.includes(name);
if (!ALL.some(asked)) {
  console.error(`Name ${ALL.join(' or ')}, or none for all.`);
  process.exit(2);
}
const extent = values.short ? SHORT : FULL;
if (SCENARIOS.some(asked)) await bench(SCENARIOS.filter(asked), extent, Number(values.workers));
if (asked('rivals')) await rivals(extent);
if (asked('limits')) await limits(extent);
if (asked('imports')) await imports();
if (asked('evaluate')) console.log(`\nevaluate\n${await benchEvaluate(extent.decisions)}`);
// Millions of records take a while to be made: only who asks for them gets them.
if (positionals.includes('wisdom')) {
  console.log(`\nwisdom\n${await benchWisdom(values.short ? SHORT_COHORTS : COHORTS)}`);
}

async function bench(names: readonly ScenarioName[], extent: typeof FULL, workers: number): Promise<void> {
  const pgbench = findPgbench();
  console.log(pgbench ? versionOf(pgbench) : NO_PGBENCH);
  console.log(`Node.js ${process.versions.node}, WORKERS=${workers}. Preparing a database...`);
  const stage = await openStage(workers);
  try {
    for (const name of names)
      console.log(`\n${name}\n${tableOf(await inRounds(contendersOf(name, stage, pgbench), extent))}`);
  } finally {
    await stage.close();
  }
}

async function rivals(extent: typeof FULL): Promise<void> {
  const stage = await openStage(1);
  try {
    console.log(`\n${await benchRivals(stage, extent)}`);
  } finally {
    await stage.close();
  }
}

async function limits(extent: typeof FULL): Promise<void> {
  const stage = await openStage(1);
  try {
    console.log(`\nlimits\n${await benchLimits(stage, extent)}`);
  } finally {
    await stage.close();
  }
}

async function imports(): Promise<void> {
  const stage = await openStage(1);
  try {
    console.log(`\nimports\n${await benchImports(stage)}`);
  } finally {
    await stage.close();
  }
}

const NO_PGBENCH = `pgbench is missing, so the service is only held against plain Express and pg. On Debian and Ubuntu:
  apt-get install postgresql-contrib`;
