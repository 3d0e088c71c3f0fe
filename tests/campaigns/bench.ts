// Speed as ratios of one run: `npm run bench [-- PART...] [--short] [--workers N] [--write]`. See docs/performance.md.
import { parseArgs } from 'node:util';
import { benchAtlas } from './bench/atlas.ts';
import { benchCosts } from './bench/costs.ts';
import { benchEvaluate } from './bench/evaluate.ts';
import { benchImports } from './bench/imports.ts';
import { benchLimits } from './bench/limits.ts';
import { benchLog } from './bench/log.ts';
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
import { rejectArguments } from './stage/command-line.ts';
import { openTally } from './stage/tally.ts';

const FULL = {
  ...{ rounds: 3, seconds: 6, warmUp: 15, decisions: 10_000 },
  atlas: { records: 1_000_000, builds: 3, rounds: 3, seconds: 6 },
  costs: { seconds: 10, records: 20_000 },
  log: { graded: 5_000, rounds: 3, imported: 70_000 },
  wisdom: { small: 10_000, large: 10_000_000, rounds: 41, graded: 3_000 },
};
const SHORT: typeof FULL = {
  ...{ rounds: 1, seconds: 3, warmUp: 1, decisions: 2_000 },
  atlas: { records: 20_000, builds: 1, rounds: 1, seconds: 3 },
  costs: { seconds: 2, records: 1_000 },
  log: { graded: 1_000, rounds: 1, imported: 1_000 },
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
  console.log(`pgbench is not installed, so the bench leaves out its references. On Debian and Ubuntu:
  apt-get install postgresql-contrib`);
}

/** Each part has a database and a service of its own, so that none slows down the next by what it leaves behind. */
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
  costs: () => onStage((stage) => benchCosts(stage, extent.costs)),
  log: () => benchLog(extent.log),
  wisdom: () => benchWisdom(extent.wisdom),
};
/** Parts that run only when they are named: three make many records. */
const NAMED_ONLY = values.short ? ['wisdom', 'costs', 'log'] : ['atlas', 'wisdom', 'costs', 'log'];

const chosen = positionals.length > 0 ? positionals : Object.keys(PARTS).filter((name) => !NAMED_ONLY.includes(name));
const unknown = chosen.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  rejectArguments(
    `Unknown part ${unknown.join(', ')}. Choose from ${Object.keys(PARTS).join(', ')}, or name none to run all but ${NAMED_ONLY.join(', ')}.`,
  );
}
const about = machine(pgbench, Number(values.workers));
console.log(about);
const tally = openTally('Bench');
for (const name of chosen) {
  try {
    const measured = (await PARTS[name]?.()) ?? '';
    console.log(`\n${name}\n${measured}`);
    if (values.write) writeReport(name, `${about}\n\n${measured}`);
    tally.check(`${name} was measured`, []);
  } catch (error) {
    tally.check(`${name} was measured`, [error instanceof Error ? (error.stack ?? error.message) : String(error)]);
  }
}
process.exitCode = tally.close() ? 0 : 1;

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
