import type { Window } from '../../domain/decisions/call.ts';
import type { Submission } from '../../domain/decisions/submission/submission.ts';
import { dailySpan } from '../../domain/grading/bars/coverage.ts';
import { foreseenFault } from '../../domain/grading/foreseen.ts';
import { endTime } from '../../domain/grading/windows/window.ts';
import { calendarOf } from '../../domain/market/calendars/by-venue.ts';
import type { MarketData } from '../../domain/market/market-data.ts';
import { DAY, MINUTE, type Millis, rfc3339, SECOND } from '../../domain/time.ts';
import { type Random, randomFrom } from '../random.ts';
import type { Cast, DemoAgent } from './agents.ts';
import type { Ground } from './markets.ts';

/** A decision that an agent will submit. */
export interface Planned {
  readonly agent: string;
  /** Its Idempotency-Key: an interrupted submission is sent again with the same one. */
  readonly key: string;
  readonly submission: Submission;
}

/**
 * Plans the decisions of every agent. The seed determines them: a demo that starts again on its folder plans exactly the
 * same decisions.
 */
export async function planDecisions(
  prices: MarketData,
  { seed, agents }: Pick<Cast, 'seed' | 'agents'>,
): Promise<readonly Planned[]> {
  const plan: Planned[] = [];
  for (const agent of agents) {
    const random = randomFrom(`${seed} ${agent.name}`);
    for (let n = 1; n <= agent.decisions; n++) {
      plan.push({
        agent: agent.name,
        key: `${seed}-${agent.name}-${n}`,
        submission: await decide(agent, prices, random),
      });
    }
  }
  // The agents alternate, like separate programs.
  return plan.toSorted((a, b) => turn(a) - turn(b));
}

/** At most times most strategies have no opinion. */
const LOOKS = 1_000;

async function decide(agent: DemoAgent, prices: MarketData, random: Random): Promise<Submission> {
  for (let look = 0; look < LOOKS; look++) {
    const ground = random.pick(agent.grounds);
    const cutoff = ground.moment(random);
    const horizon = random.pick(ground.horizons);
    const { instrument, horizon_kind } = ground;
    const end_time = endTime({ instrument, horizon_kind, horizon_value: horizon }, cutoff);
    const bars = await historyBefore(agent.cheats ? end_time : cutoff, ground, prices);
    const stance = bars.length < 41 ? null : agent.strategy(bars, windowBars(ground, horizon), random);
    if (stance && (await isGradable(ground, { anchor_time: cutoff, end_time }, prices))) {
      return { ...instrument, ...stance, horizon_kind, horizon_value: horizon, data_cutoff: rfc3339(cutoff) };
    }
  }
  throw new Error(`${agent.name} had no opinion at ${LOOKS} times.`);
}

/** An agent leaves alone what the service warns of. */
async function isGradable({ instrument }: Ground, window: Window<Millis>, prices: MarketData): Promise<boolean> {
  const { anchor_time: cutoff } = window;
  const { from } = dailySpan(calendarOf(instrument), cutoff);
  const { bars } = await prices.bars(instrument, '1d', from, cutoff, cutoff);
  return foreseenFault(instrument, window, bars) === null;
}

/** The time is also that for final bars, so a strategy gets only what was known then. */
async function historyBefore(time: Millis, { instrument, size, historyFrom }: Ground, prices: MarketData) {
  return (await prices.bars(instrument, size, historyFrom(time), time, time)).bars;
}

function windowBars({ horizon_kind, size }: Ground, horizon: number): number {
  if (horizon_kind === 'trading_days') return horizon;
  return (horizon * SECOND) / (size === '1m' ? MINUTE : DAY);
}

function turn({ key }: Planned): number {
  return Number(key.slice(key.lastIndexOf('-') + 1));
}
