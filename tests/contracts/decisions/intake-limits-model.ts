import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type {
  DecisionDraft,
  DecisionIntake,
  LimitRefusal,
} from '../../../domain/decisions/submission/decision-intake.ts';
import {
  type Cooldown,
  countedHour,
  type HourCounts,
  judgeSubmitLimits,
  limitRefusals,
  submitHour,
} from '../../../domain/quotas/submit-limits.ts';
import { DAY, HOUR, MINUTE, type Millis, SECOND } from '../../../domain/time.ts';
import { type AgentCaller, aDraft, aSubmission, hindsight } from '../../builders/decisions.ts';
import { NOON } from './adapters.ts';
import type { Bench, DecisionContract } from './bench.ts';

/** Where the clock goes before a submission, from where it stands. */
const MOVES: Readonly<Record<string, (at: Millis) => Millis>> = {
  nowhere: (at) => at,
  'on by 1 ms': (at) => at + 1,
  'on by 1 s': (at) => at + SECOND,
  'on by 15 min less 1 ms': (at) => at + 15 * MINUTE - 1,
  'on by 15 min': (at) => at + 15 * MINUTE,
  'to the last ms of the hour': (at) => Math.floor(at / HOUR) * HOUR + HOUR - 1,
  'to the next hour': (at) => Math.floor(at / HOUR) * HOUR + HOUR,
  'to the last ms of the day': (at) => Math.floor(at / DAY) * DAY + DAY - 1,
  'to midnight': (at) => Math.floor(at / DAY) * DAY + DAY,
  'back by 1 ms': (at) => at - 1,
  'back by 20 min': (at) => at - 20 * MINUTE,
  'back by 2 h': (at) => at - 2 * HOUR,
  'back by 1 day': (at) => at - DAY,
  'back by 26 h': (at) => at - 26 * HOUR,
};

interface Step {
  readonly move: keyof typeof MOVES;
  readonly agent: number;
  readonly direction: 'bullish' | 'bearish';
  readonly retroactive: boolean;
  readonly submitsPerHour: number;
  readonly cooldownSeconds: number;
  readonly retroactivePerDay: number;
  readonly agentHoursPerNetwork: number;
  /** Characters of the summary: two of the greatest pass the bytes of an hour. */
  readonly size: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  move: fc.constantFrom(...Object.keys(MOVES)),
  agent: fc.constantFrom(0, 0, 0, 1),
  direction: fc.constantFrom('bullish', 'bullish', 'bearish'),
  retroactive: fc.boolean(),
  submitsPerHour: fc.constantFrom(0, 1, 2, 3, 100, 100),
  cooldownSeconds: fc.constantFrom(0, 0, 1, 900, 900),
  retroactivePerDay: fc.constantFrom(0, 1, 2, 100, 100),
  agentHoursPerNetwork: fc.constantFrom(0, 1, 2, 100, 100),
  size: fc.constantFrom(0, 0, 20_000, 60_000),
});

const realtime = { agent: 0, direction: 'bullish', retroactive: false } as const;
const contract = {
  ...{ submitsPerHour: 120, cooldownSeconds: 900, retroactivePerDay: 50 },
  ...{ agentHoursPerNetwork: 9_600, size: 0 },
};
const stepOf = (move: string, changes: Partial<Step> = {}): Step => ({ ...realtime, ...contract, move, ...changes });

/** Edge cases that random steps might not reach. */
const EDGES: readonly (readonly Step[])[] = [
  ['nowhere', 'on by 15 min less 1 ms', 'on by 1 ms', 'back by 1 ms', 'on by 1 ms'].map((move) => stepOf(move)),
  ['nowhere', 'back by 20 min', 'on by 15 min', 'on by 15 min', 'on by 15 min'].map((move) => stepOf(move)),
  ['to the last ms of the hour', 'nowhere', 'on by 1 ms', 'nowhere', 'back by 1 ms', 'on by 1 ms'].map((move) =>
    stepOf(move, { cooldownSeconds: 0, submitsPerHour: 1 }),
  ),
  ['to the last ms of the day', 'nowhere', 'on by 1 ms', 'nowhere', 'back by 1 day', 'to midnight'].map((move) =>
    stepOf(move, { cooldownSeconds: 0, retroactive: true, retroactivePerDay: 1 }),
  ),
  ['nowhere', 'back by 2 h', 'to the next hour', 'to the next hour', 'to the next hour'].map((move) =>
    stepOf(move, { cooldownSeconds: 0, submitsPerHour: 1 }),
  ),
  [stepOf('nowhere'), stepOf('back by 1 ms', { cooldownSeconds: 0 }), stepOf('nowhere')],
  ['to the last ms of the hour', 'nowhere', 'on by 1 ms', 'back by 1 ms', 'nowhere'].map((move) =>
    stepOf(move, { cooldownSeconds: 0, size: 40_000 }),
  ),
  ['to the last ms of the day', 'nowhere', 'on by 1 ms', 'back by 1 day', 'nowhere', 'to midnight'].map((move, n) =>
    stepOf(move, { cooldownSeconds: 0, agent: n % 2, agentHoursPerNetwork: 1 }),
  ),
];

export const intakeLimitsModelContract: DecisionContract = {
  name: 'the limits of a submission, as the domain judges them',
  promises(bench) {
    test('the same verdicts and waits at the same times under the same limits, whatever the clock does', async () => {
      const steps = fc.array(step, { minLength: 1, maxLength: 14 });
      const asJudged = fc.asyncProperty(steps, (list) => expectAsJudged(bench, list));
      await fc.assert(asJudged, { numRuns: 25, examples: EDGES.map((list) => [[...list]]) });
    });
  },
};

/** Submits in turn and compares each verdict with that of the domain, which keeps its own counts. */
async function expectAsJudged(bench: Bench, steps: readonly Step[]): Promise<void> {
  const first = await bench.agent();
  const agents = [first, await bench.agent(first)];
  const counts: Counts = { cooldowns: new Map(), hours: new Map(), used: new Map() };
  let at = NOON.getTime();
  for (const each of steps) {
    at = MOVES[each.move]?.(at) ?? at;
    await bench.arrange().freeze(new Date(at));
    const agent = agents[each.agent] ?? first;
    await expectNext(bench, agent, each, new Date(at), counts);
  }
}

interface Counts {
  readonly cooldowns: Map<string, Cooldown>;
  /** By agent. */
  readonly hours: Map<string, HourCounts>;
  readonly used: Map<string, number>;
}

/** The first is what a submission gets; each other one is what it gets without the limits before it. */
async function expectEachWait(intake: DecisionIntake, draft: DecisionDraft, would_wait: readonly LimitRefusal[]) {
  let { limits } = draft;
  for (const refusal of would_wait) {
    expect(await intake.submit({ ...draft, limits })).toEqual(refusal);
    limits = { ...limits, ...LIFTED[refusal.verdict] };
  }
}

const LIFTED = {
  frequency: { submitsPerHour: 1_000_000 },
  cooldown: { cooldownSeconds: 0 },
  retroactive_quota: { retroactivePerDay: 1_000_000 },
  hour_bytes: { submitMeanBytes: 1_000_000 },
  network_hours: { agentHoursPerNetwork: 1_000_000 },
};

async function expectNext(bench: Bench, agent: AgentCaller, sent: Step, now: Date, { cooldowns, hours, used }: Counts) {
  const { submitsPerHour, cooldownSeconds, retroactivePerDay, agentHoursPerNetwork, direction, retroactive } = sent;
  const limits = { submitsPerHour, cooldownSeconds, retroactivePerDay, agentHoursPerNetwork, submitMeanBytes: 1 };
  const submission = (retroactive ? hindsight : aSubmission)(now, { direction, summary: 'x'.repeat(sent.size) });
  const draft = aDraft(agent, now, submission, { limits });
  const call = `${agent.agent_id} ${direction}`;
  const hour = countedHour(hours.get(agent.agent_id), submitHour(now));
  const day = now.toISOString().slice(0, 10);
  const cooldown = cooldowns.get(call) ?? null;
  const before = {
    ...{ hour: hour.hour, cooldown, submitsThisHour: hour.used, bytesThisHour: hour.bytes },
    ...{ retroactiveToday: used.get(day) ?? 0, agentHoursToday: used.get(`${day} hours`) ?? 0 },
  };
  const limited = { retroactive, limits, bytes: Buffer.byteLength(draft.body), fromNetwork: true };
  const { intake } = bench.storage();
  const { would_wait } = await intake.preview(draft);
  expect(would_wait).toEqual(limitRefusals(before, limited, now));
  await expectEachWait(intake, draft, would_wait);
  const verdict = await intake.submit(draft);
  if (would_wait.length === 0) expect(verdict).toMatchObject({ verdict: 'accepted' });
  const record_id = verdict.verdict === 'accepted' ? verdict.receipt.record_id : '';
  const judged = judgeSubmitLimits(before, { record_id, ...limited }, now);
  if (judged.verdict !== 'admitted') return expect(verdict).toEqual(judged);
  expect(verdict).toMatchObject({ verdict: 'accepted' });
  if (judged.counts.cooldown) cooldowns.set(call, judged.counts.cooldown);
  const { submitsThisHour, bytesThisHour, retroactiveToday, agentHoursToday } = judged.counts;
  hours.set(agent.agent_id, { ...hour, used: submitsThisHour, bytes: bytesThisHour });
  used.set(day, retroactiveToday).set(`${day} hours`, agentHoursToday);
}
