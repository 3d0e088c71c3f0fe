// Speed as ratios of one run:
// `npm run bench [-- PART...] [--short] [--workers N] [--sizes N,N] [--slim N,N] [--records N] [--write]`.
// `--against REF` compares this tree with another commit instead. See docs/performance.md.
import { parseArgs } from 'node:util';
import { type Against, benchAgainst, COMPARED } from './bench/against.ts';
import { type AimName, openAims } from './bench/aims.ts';
import { benchAtlas } from './bench/atlas.ts';
import { benchBacktests } from './bench/backtests.ts';
import { benchCosts } from './bench/costs.ts';
import { benchEvaluate } from './bench/evaluate.ts';
import { benchEvents } from './bench/event-cost.ts';
import { benchExports } from './bench/exports.ts';
import { FULL, SHORT } from './bench/extents.ts';
import { benchFloors } from './bench/floors.ts';
import { benchFootprint } from './bench/footprint.ts';
import { benchHistory } from './bench/history/history.ts';
import { benchImports } from './bench/imports.ts';
import { benchLimits } from './bench/limits.ts';
import { benchLog } from './bench/log.ts';
import { machine, versions } from './bench/machine.ts';
import { tableOf } from './bench/measured.ts';
import { findPgbench } from './bench/pgbench.ts';
import { benchReads } from './bench/reads.ts';
import { benchRecall } from './bench/recall.ts';
import { hasPlace, writeReport } from './bench/report.ts';
import { benchRivals } from './bench/rivals.ts';
import { inRounds } from './bench/rounds.ts';
import { contendersOf, PGBENCH_ROWS, PLAIN_INSERT, PLAIN_SELECT, type ScenarioName } from './bench/scenarios.ts';
import { openStage, type Stage } from './bench/stage.ts';
import { benchStart } from './bench/start.ts';
import { benchSteady } from './bench/steady.ts';
import { benchStreams } from './bench/streams.ts';
import { benchWisdom } from './bench/wisdom.ts';
import { rejectArguments } from './stage/command-line.ts';
import { openTally } from './stage/tally.ts';
import { onThrowawayDatabase } from './stage/throwaway-database.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    workers: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
    sizes: { type: 'string' },
    slim: { type: 'string' },
    records: { type: 'string' },
    against: { type: 'string' },
  },
});
const extent = values.short ? SHORT : FULL;
const aims = openAims();
const pgbench = findPgbench();
if (!pgbench) {
  console.log(`pgbench is not installed, so the bench leaves out its references. On Debian and Ubuntu:
  apt-get install postgresql-contrib`);
}

/** Each part has a database and a service of its own, so that none slows down the next by what it leaves behind. */
const PARTS: Readonly<Record<string, () => Promise<string>>> = {
  submit: () => onStage((stage) => against(stage, 'submit')),
  read: () => onStage((stage) => against(stage, 'read')),
  floors: () => onStage((stage) => benchFloors(stage, extent.slices, aims.note)),
  steady: () => benchSteady(onStage, extent, aims.note),
  start: () => benchStart(extent.rounds, aims.note),
  footprint: () => onThrowawayDatabase((throwaway) => benchFootprint(throwaway, extent.footprint, aims.note)),
  requests: () => onStage((stage) => benchReads(stage, extent, aims.note)),
  rivals: () => onStage((stage) => benchRivals(stage, extent, aims.note)),
  limits: () => onStage((stage) => benchLimits(stage, extent)),
  imports: () => onStage((stage) => benchImports(stage)),
  evaluate: () => benchEvaluate(extent.decisions),
  events: () => benchEvents(extent.events),
  atlas: () => onStage((stage) => benchAtlas(stage, extent.atlas)),
  costs: () => onStage((stage) => benchCosts(stage, extent.costs)),
  recall: () => onStage((stage) => benchRecall(stage, { ...extent, ...extent.recall })),
  backtests: () => onStage((stage) => benchBacktests(stage, extent.backtests)),
  log: () => benchLog(extent.log, aims.note),
  export: () =>
    benchExports(
      { ...extent.export, ...(values.records ? { records: Number(values.records), large: 0 } : {}) },
      aims.note,
    ),
  history: () => benchHistory(historyExtent()),
  streams: () => benchStreams(extent.streams),
  wisdom: () => benchWisdom(extent.wisdom, aims.note),
};
/** The references of a scenario that an aim is about. */
const REFERENCES: Readonly<Record<ScenarioName, readonly (readonly [AimName, string])[]>> = {
  submit: [['submit / plain Express and pg, one insert', PLAIN_INSERT]],
  read: [
    ['read / plain Express and pg, one select', PLAIN_SELECT],
    ["read / pgbench's rows of a record", PGBENCH_ROWS],
  ],
};
/** Parts that run only when they are named: most make many records. */
const NAMED_ONLY = values.short
  ? ['footprint', 'wisdom', 'costs', 'events', 'backtests', 'recall', 'history', 'streams']
  : ['footprint', 'atlas', 'wisdom', 'costs', 'events', 'backtests', 'recall', 'history', 'streams'];

const known = values.against === undefined ? Object.keys(PARTS) : COMPARED;
const usual = known.filter((name) => !NAMED_ONLY.includes(name));
const chosen = positionals.length > 0 ? positionals : usual;
const unknown = chosen.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  const others = known.filter((name) => NAMED_ONLY.includes(name));
  const all = others.length > 0 ? `all but ${others.join(', ')}` : 'all';
  rejectArguments(`Unknown part ${unknown.join(', ')}. Choose from ${known.join(', ')}, or name none to run ${all}.`);
}
const about = machine(Number(values.workers));
const ranOn = versions(pgbench);
console.log(`${about}\n${ranOn}`);
const tally = openTally('Bench');
const { against: ref } = values;
const runs: readonly (readonly [string, (() => Promise<string>) | undefined])[] =
  ref === undefined
    ? chosen.map((name) => [name, PARTS[name]])
    : [['against', () => benchAgainst(againstExtent(ref), aims.note)]];
for (const [name, run] of runs) {
  try {
    const measured = (await run?.()) ?? '';
    console.log(`\n${name}\n${measured}`);
    if (values.write && (positionals.length > 0 || hasPlace(name))) writeReport(name, `${about}\n\n${measured}`);
    tally.check(`${name} was measured`, []);
  } catch (error) {
    tally.check(`${name} was measured`, [error instanceof Error ? (error.stack ?? error.message) : String(error)]);
  }
}
const reached = aims.table();
if (reached) console.log(`\naims\n${reached}`);
const isWhole = positionals.length === 0 && ref === undefined;
if (reached && values.write && isWhole) writeReport('aims', `${about}\n${ranOn}\n\n${reached}`);
process.exitCode = tally.close() ? 0 : 1;

function againstExtent(ref: string): Against {
  return { ref, parts: chosen, workers: Number(values.workers), graded: extent.log.graded, ...extent.slices };
}

/** `--sizes` and `--slim` replace the numbers of records: `--sizes 10000,300000 --slim 0` leaves out the slim ones. */
function historyExtent(): (typeof FULL)['history'] {
  const { sizes, slim } = extent.history;
  return { ...extent.history, sizes: numbersIn(values.sizes) ?? sizes, slim: numbersIn(values.slim) ?? slim };
}

function numbersIn(text: string | undefined): number[] | undefined {
  return text
    ?.split(',')
    .map(Number)
    .filter((size) => size > 0);
}

async function onStage(work: (stage: Stage) => Promise<string>): Promise<string> {
  const stage = await openStage(Number(values.workers));
  try {
    return await work(stage);
  } finally {
    await stage.close();
  }
}

async function against(stage: Stage, name: ScenarioName): Promise<string> {
  const measured = await inRounds(contendersOf(name, stage, pgbench), extent);
  const rate = (contender: string) => measured.get(contender)?.perSecond ?? Number.NaN;
  for (const [aim, reference] of REFERENCES[name]) {
    if (measured.has(reference)) aims.note(aim, rate('service') / rate(reference));
  }
  return tableOf(measured);
}
