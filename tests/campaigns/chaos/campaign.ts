import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../scripts/random.ts';
import type { Witness } from './check/witness.ts';
import { FAULTS } from './faults/plan.ts';
import { breach, type FaultDone, type Journal, now } from './journal.ts';
import type { Stage } from './stage/stage.ts';

/** Milliseconds after a fault in which the service must accept and grade records again. */
const RECOVERY_TIME = 30_000;

export interface FaultPlan {
  readonly kinds: readonly string[];
  readonly random: Random;
  readonly witness: Witness;
}

/** Causes one fault after the other, and waits after each until the service works again. */
export async function runFaults(stage: Stage, journal: Journal, { kinds, random, witness }: FaultPlan): Promise<void> {
  const interval = kinds.length > 200 ? 25 : 5;
  for (const [n, kind] of kinds.entries()) {
    const fault = FAULTS[kind];
    if (!fault) throw new RangeError(`Unknown kind of fault ${kind}.`);
    const started = now();
    const effect = await fault(stage, random);
    const over = now();
    const grades = await gradesOf(stage);
    const [toAck, toGrade] = await Promise.all([untilAck(journal, over), untilGrade(stage, grades, over)]);
    const { node = null, crash = false, detail, broken = [] } = effect;
    for (const words of broken) breach(journal, kind.startsWith('disk') ? 'disk' : 'starts', words);
    const silence = silenceAround(journal, started);
    const done: FaultDone = { kind, started, over, node, crash, detail, toAck, toGrade, silence };
    journal.faults.push(done);
    checkRecovery(journal, done);
    console.log(`${String(n + 1).padStart(4)} ${inWords(done)}`);
    if (n % interval === interval - 1) await witness.look();
    await sleep(200 + random.below(600));
  }
}

/** Milliseconds until a new record that was sent after `since` was acknowledged; null when none was in time. */
async function untilAck(journal: Journal, since: number): Promise<number | null> {
  while (now() - since < RECOVERY_TIME) {
    const first = journal.acks.findLast(({ started }) => started >= since);
    if (first) return (journal.acks.find(({ started }) => started >= since)?.ended ?? now()) - since;
    await sleep(20);
  }
  return null;
}

async function untilGrade(stage: Stage, before: number, since: number): Promise<number | null> {
  while (now() - since < RECOVERY_TIME) {
    if ((await gradesOf(stage)) > before) return now() - since;
    await sleep(150);
  }
  return null;
}

async function gradesOf({ database }: Stage): Promise<number> {
  const [row] = await database.rows<{ n: number }>('select count(*)::int as n from app.decision_outcomes');
  return row?.n ?? 0;
}

function silenceAround({ acks }: Journal, started: number): number {
  const times = acks.map(({ ended }) => ended).sort((a, b) => a - b);
  const from = Math.max(
    0,
    times.findLastIndex((at) => at < started),
  );
  return times.slice(from + 1).reduce((longest, at, n) => Math.max(longest, at - (times[from + n] ?? at)), 0);
}

function checkRecovery(journal: Journal, { kind, detail, toAck, toGrade }: FaultDone): void {
  const circumstances = `within ${RECOVERY_TIME / 1_000} s after: ${kind}, ${detail}`;
  if (toAck === null) breach(journal, 'recovery', `No record was accepted ${circumstances}`);
  if (toGrade === null) breach(journal, 'recovery', `No record was graded ${circumstances}`);
}

function inWords({ kind, detail, over, started, toAck, toGrade, silence }: FaultDone): string {
  const time = (millis: number | null) => (millis === null ? 'never' : `${Math.round(millis)} ms`);
  const times = `took ${time(over - started)}, record ${time(toAck)}, grade ${time(toGrade)}, silence ${time(silence)}`;
  return `${kind} (${detail}): ${times}`;
}
