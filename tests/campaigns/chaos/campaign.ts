import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../scripts/random.ts';
import type { Witness } from './check/witness.ts';
import { FAULTS } from './faults/plan.ts';
import { breach, type FaultDone, type Journal, now } from './journal.ts';
import type { Stage } from './stage/stage.ts';

/** Within this the service has to take work again after a fault, and the workers too. Milliseconds. */
const BACK_WITHIN = 30_000;

export interface FaultPlan {
  readonly kinds: readonly string[];
  readonly random: Random;
  readonly witness: Witness;
}

/** One fault after the other, each followed by a wait until work is taken again. */
export async function runFaults(stage: Stage, journal: Journal, { kinds, random, witness }: FaultPlan): Promise<void> {
  const lookEvery = kinds.length > 200 ? 25 : 5;
  for (const [n, kind] of kinds.entries()) {
    const fault = FAULTS[kind];
    if (!fault) throw new RangeError(`There is no fault ${kind}.`);
    const started = now();
    const struck = await fault(stage, random);
    const over = now();
    const grades = await gradesOf(stage);
    const [toAck, toGrade] = await Promise.all([untilAck(journal, over), untilGrade(stage, grades, over)]);
    const { node = null, crash = false, said } = struck;
    const silence = silenceAround(journal, started);
    const done: FaultDone = { kind, started, over, node, crash, said, toAck, toGrade, silence };
    journal.faults.push(done);
    judge(journal, done);
    console.log(`${String(n + 1).padStart(4)} ${inWords(done)}`);
    if (n % lookEvery === lookEvery - 1) await witness.look();
    await sleep(200 + random.below(600));
  }
}

/** Milliseconds until a new record was acknowledged that was asked for after `since`; null when none was in time. */
async function untilAck(journal: Journal, since: number): Promise<number | null> {
  while (now() - since < BACK_WITHIN) {
    const first = journal.acks.findLast(({ started }) => started >= since);
    if (first) return (journal.acks.find(({ started }) => started >= since)?.ended ?? now()) - since;
    await sleep(20);
  }
  return null;
}

async function untilGrade(stage: Stage, before: number, since: number): Promise<number | null> {
  while (now() - since < BACK_WITHIN) {
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

function judge(journal: Journal, { kind, said, toAck, toGrade }: FaultDone): void {
  const limit = `within ${BACK_WITHIN / 1_000} s after: ${kind}, ${said}`;
  if (toAck === null) breach(journal, 'recovery', `Nothing was taken ${limit}`);
  if (toGrade === null) breach(journal, 'recovery', `Nothing was graded ${limit}`);
}

function inWords({ kind, said, over, started, toAck, toGrade, silence }: FaultDone): string {
  const told = (millis: number | null) => (millis === null ? 'never' : `${Math.round(millis)} ms`);
  const times = `took ${told(over - started)}, record ${told(toAck)}, grade ${told(toGrade)}, silence ${told(silence)}`;
  return `${kind} (${said}): ${times}`;
}
