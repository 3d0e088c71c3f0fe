import type { Direction } from '../../../../domain/decisions/call.ts';
import { type HadSaid, hadSaid, moveZ } from '../../../../domain/grading/bucket.ts';
import type { Evaluation, EvaluationCall, EvaluationMethod } from '../../../../domain/grading/evaluation.ts';
import type { MethodName } from '../../../../domain/grading/method-facts.ts';
import type { PathFacts } from '../../../../domain/grading/paths/path-facts.ts';
import { retryDelay, settlesAt } from '../../../../domain/grading/windows/settling.ts';
import { planWindow, windowAt } from '../../../../domain/grading/windows/window.ts';
import type { PlayingAgent } from './agents.ts';
import type { Chance } from './chance.ts';
import type { SimulatedMarket } from './market.ts';

/** A graded decision: what the agent said, and what each direction would have got. */
export interface PlayedOutcome {
  readonly direction: Direction;
  readonly hadSaid: HadSaid;
}

/** The graded decisions of an agent, at most one on each market. */
export function playOn(
  method: EvaluationMethod<MethodName>,
  agent: PlayingAgent,
  markets: readonly SimulatedMarket[],
  chance: Chance,
): readonly PlayedOutcome[] {
  return markets.flatMap((market) => decide(method, agent, market, chance) ?? []);
}

function decide(
  method: EvaluationMethod<MethodName>,
  agent: PlayingAgent,
  market: SimulatedMarket,
  chance: Chance,
): PlayedOutcome | null {
  for (const moment of market.moments) {
    const direction = agent.say(moment, chance);
    if (direction === null) continue;
    const facts = grade(method, market, direction, moment.at);
    return facts && { direction, hadSaid: hadSaid(moveZ(direction, facts)) };
  }
  return null;
}

/** As a service does: admitted, settled, tried again while bars are missing; what cohorts leave out does not count. */
function grade(
  method: EvaluationMethod<MethodName>,
  market: SimulatedMarket,
  direction: Direction,
  receivedAt: number,
): PathFacts | null {
  const { instrument, horizon_kind, horizon_value, size } = market;
  const terms = { instrument, horizon_kind, horizon_value, data_cutoff: receivedAt };
  const plan = planWindow(terms, receivedAt);
  if (Array.isArray(plan)) return null;
  const call: EvaluationCall = { ...terms, direction, ...windowAt(plan, receivedAt) };
  const needed = method.barsNeeded(call, [size, '1d']);
  if (needed.kind !== 'bars') return null;
  let now = settlesAt(instrument, { end_time: call.end_time, bar_size: needed.path.size, cadence: 'continuous' });
  for (let attempt = 1; ; attempt += 1) {
    const result: Evaluation<PathFacts> = method.evaluate(call, market.evidence(needed, now), now);
    if (result.kind === 'evaluated') return isLeftOut(result.outcome.facts) ? null : result.outcome.facts;
    const delay = result.kind === 'deferred' ? retryDelay(attempt) : null;
    if (delay === null) return null;
    now += delay;
  }
}

function isLeftOut(facts: PathFacts): boolean {
  return 'suspected_split' in facts && facts.suspected_split === true;
}
