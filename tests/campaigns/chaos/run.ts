import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '../../../scripts/random.ts';
import { runFaults } from './campaign.ts';
import { checkActs, checkUnanswered } from './check/acts.ts';
import { checkCohorts } from './check/cohorts.ts';
import { checkEvidenceLog, completeLog } from './check/evidence-log.ts';
import { checkFeeds } from './check/feeds.ts';
import { checkGrades } from './check/grades.ts';
import { checkLimits } from './check/limits.ts';
import { checkProcesses } from './check/processes.ts';
import { checkRecords } from './check/records.ts';
import { openWitness } from './check/witness.ts';
import { deliverAll } from './deliveries.ts';
import { planFaults } from './faults/plan.ts';
import { type Broken, breach, type Journal, openJournal } from './journal.ts';
import { gatherCrowd } from './load/crowd.ts';
import { addWebhooks, startReaders } from './load/feeds.ts';
import { startLoad } from './load/load.ts';
import { addWorkflows } from './load/workflows.ts';
import type { Plant } from './plants.ts';
import { type Counts, countsOf, logged, report } from './report.ts';
import { settle } from './settle.ts';
import type { ChaosLimits } from './stage/environment.ts';
import { openStage, type Stage } from './stage/stage.ts';

export interface CampaignPlan {
  readonly count: number;
  readonly seed: string;
  readonly kinds?: readonly string[];
  readonly plant?: Plant;
}

export interface CampaignResult {
  readonly broken: Broken;
  readonly counts: Counts;
}

const SENDERS = 12;
const OWNERS = 12;
const KEYS = 48;
const WARM_UP = 3_000;
/** Milliseconds for the whole campaign: a fault takes seconds, and the recovery 30 s or more at worst. */
const TIME_LIMIT = (count: number) => 180_000 + count * 45_000;

/**
 * Runs one campaign on a stage of its own. Everything that it started and made is removed when it ends, also by Ctrl-C.
 *
 * @returns the promises that were broken, and what happened in numbers
 */
export async function runCampaign(plan: CampaignPlan): Promise<CampaignResult> {
  const closers: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const each of closers.splice(0).reverse()) {
      await Promise.resolve(each()).catch((error: unknown) =>
        console.error('A part of the stage could not be closed:', error),
      );
    }
  };
  const exit = (code: number, words: string) => {
    console.error(words);
    void close().finally(() => process.exit(code));
  };
  const stop = () => exit(130, 'Interrupted: cleaning up...');
  const fail = (error: unknown) => exit(1, `The campaign failed: ${error instanceof Error ? error.stack : error}`);
  const deadline = setTimeout(
    () => exit(1, 'The campaign reached its time limit: cleaning up...'),
    TIME_LIMIT(plan.count),
  );
  process.on('SIGINT', stop).on('SIGTERM', stop).on('uncaughtException', fail).on('unhandledRejection', fail);
  try {
    return await runOnStage(plan, closers);
  } finally {
    await close();
    clearTimeout(deadline);
    process.off('SIGINT', stop).off('SIGTERM', stop).off('uncaughtException', fail).off('unhandledRejection', fail);
  }
}

async function runOnStage(plan: CampaignPlan, closers: (() => Promise<void> | void)[]): Promise<CampaignResult> {
  const { count, seed, plant } = plan;
  const begun = performance.now();
  const journal = openJournal();
  const random = randomFrom(seed);
  const limits = limitsFor(count);
  const onUnexpectedEnd = (how: string) => breach(journal, 'processes', how);
  const stage = await openStage({ seed, owners: OWNERS, keys: KEYS, limits, onUnexpectedEnd }, closers);
  const means = { disk: stage.disk !== null, serverClock: stage.clock.server !== null };
  const kinds = planFaults(count, random, means, plant?.kinds ?? plan.kinds);
  console.log(
    `Seed ${seed}; ${stage.disk ? '' : 'no permission to mount, so the disk never runs full; '}` +
      `${means.serverClock ? '' : 'no libfaketime, so the clock of the server stays; '}${count} faults`,
  );
  const crowd = gatherCrowd(stage, journal, random);
  await addWorkflows(crowd);
  await addWebhooks(crowd);
  const readers = startReaders(crowd);
  const load = startLoad(crowd, SENDERS);
  closers.push(() => load.stop());
  await sleep(WARM_UP);
  await plant?.begin?.(stage);
  const witness = openWitness(stage.database, journal);
  await runFaults(stage, journal, { kinds, random: randomFrom(`${seed} faults`), witness });
  await load.stop();
  await settle(crowd);
  await completeLog(stage, journal);
  await deliverAll(stage, journal);
  await readers.finish();
  await witness.look();
  await plant?.end?.(stage);
  await witness.look();
  await check(stage, journal, limits);
  for (const line of logged(journal, stage.folder)) console.log(line);
  const seconds = (performance.now() - begun) / 1_000;
  report(journal, { rows: witness.seen(), arrivals: stage.receiver.arrivals, seconds });
  return { broken: journal.broken, counts: countsOf(journal, seconds, witness.seen()) };
}

/** Limits that the load of this many faults reaches without being stopped by them. */
function limitsFor(count: number): ChaosLimits {
  return {
    ratePerSecond: 20,
    ratePerMinute: 240,
    queryPerDay: 20,
    readPerDay: 5 * count,
    checkPerDecision: 3,
    submitsPerHour: 400,
    retroactivePerDay: 60 * count + 500,
    cooldownSeconds: 10,
  };
}

async function check(stage: Stage, journal: Journal, limits: ChaosLimits): Promise<void> {
  const { database, folder } = stage;
  await checkRecords(database, journal);
  await checkGrades(database, journal);
  await checkLimits(database, journal, limits);
  await checkCohorts(database, journal);
  await checkActs(database, journal);
  await checkEvidenceLog(stage, journal);
  await checkFeeds(stage, journal);
  checkUnanswered(journal);
  checkProcesses(journal, folder);
}
