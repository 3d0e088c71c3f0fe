import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tally } from '../stage/tally.ts';
import { PROMISES, type Promised } from './journal.ts';
import type { Counts } from './report.ts';
import { type CampaignPlan, runCampaign } from './run.ts';

export interface LegsPlan extends Omit<CampaignPlan, 'plant'> {
  /** Where each leg is noted as it ends; by default a file of the temporary folder that is named by the seed. */
  readonly progress?: string | undefined;
}

/** One campaign of a long run, as a line of its file says it. */
interface Leg extends Counts {
  readonly seed: string;
  readonly leg: number;
  /** How many faults were planned: a run with another number has other legs. */
  readonly planned: number;
  /** Each promise that was broken, with how. */
  readonly broken: Readonly<Record<string, readonly string[]>>;
}

/** Few enough that a leg takes minutes, and enough that each kind is in it twice. */
const LEG = 50;

/**
 * Runs many faults as campaigns of their own, one after the other, and notes each: a run that was interrupted goes on after the
 * legs that its file has of this seed. Prints what happened in all of them.
 */
export async function runLegs({ count, seed, progress, kinds }: LegsPlan, tally: Tally): Promise<void> {
  const file = progress ?? join(tmpdir(), `stancebook-chaos-${seed}.jsonl`);
  console.log(
    `Each leg is noted in ${file}; the same command goes on after them: --long --seed ${seed} --progress ${file}`,
  );
  const done = legsIn(file).filter((leg) => leg.seed === seed);
  const legs: Leg[] = [];
  for (let leg = 0; leg * LEG < count; leg += 1) {
    const planned = Math.min(LEG, count - leg * LEG);
    const known = done.find((each) => each.leg === leg && each.planned === planned);
    const ended = known ?? (await runLeg({ count: planned, seed, ...(kinds ? { kinds } : {}) }, leg));
    if (known === undefined) appendFileSync(file, `${JSON.stringify(ended)}\n`);
    legs.push(ended);
    console.log(`Leg ${leg + 1}${known ? ' (noted before)' : ''}: ${inWords([ended])}`);
  }
  console.log(`\n${legs.length} legs: ${inWords(legs)}`);
  for (const [kind, n] of [...countsByKind(legs)].sort()) console.log(`${kind.padEnd(38)}${String(n).padStart(5)}`);
  for (const [name, promise] of Object.entries(PROMISES)) {
    tally.check(
      promise,
      legs.flatMap(({ leg, broken }) => (broken[name] ?? []).map((words) => `leg ${leg + 1}: ${words}`)),
    );
  }
}

async function runLeg(plan: CampaignPlan, leg: number): Promise<Leg> {
  const { broken, counts } = await runCampaign({ ...plan, seed: `${plan.seed} leg ${leg}` });
  const words = Object.fromEntries<readonly string[]>(broken) as Readonly<Partial<Record<Promised, readonly string[]>>>;
  return { ...counts, seed: plan.seed, leg, planned: plan.count, broken: { ...words } };
}

/** A line that was cut when the machine went down is left out. */
function legsIn(file: string): readonly Leg[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Leg];
      } catch {
        return [];
      }
    });
}

function countsByKind(legs: readonly Leg[]): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  for (const { faults } of legs)
    for (const [kind, n] of Object.entries(faults)) all.set(kind, (all.get(kind) ?? 0) + n);
  return all;
}

function inWords(legs: readonly Leg[]): string {
  const sum = (of: (leg: Leg) => number) => legs.reduce((total, leg) => total + of(leg), 0);
  const faults = sum((leg) => Object.values(leg.faults).reduce((a, b) => a + b, 0));
  const broken = sum((leg) => Object.keys(leg.broken).length);
  return (
    `${faults} faults in ${sum(({ seconds }) => seconds)} s, ${sum(({ submissions }) => submissions)} submissions, ` +
    `${sum(({ acknowledged }) => acknowledged)} acknowledged, ${sum(({ doubtful }) => doubtful)} once in doubt, ` +
    `${sum(({ unanswered }) => unanswered)} requests without a reply, ${sum(({ rows }) => rows)} rows of evidence watched, ` +
    `${broken} promises broken`
  );
}
