import { CHIPS, COIN, type Ground, INDEX, inTwoYears, MINUTES, SHARES } from './hunting-grounds.ts';
import {
  breakout,
  carry,
  coinFlip,
  hindsight,
  meanReversion,
  neutralRange,
  type Strategy,
  trendFollowing,
} from './strategies.ts';

/** One agent of an owner of its own. */
export interface DemoAgent {
  /** The name of its folder, its keys and its row of the table. */
  readonly name: string;
  readonly about: string;
  readonly strategy: Strategy;
  readonly grounds: readonly [Ground, ...Ground[]];
  readonly decisions: number;
  /** It states a time of its data before prices that it knows: a cheat. */
  readonly cheats?: true;
}

/** The agents of a demo. */
export interface Cast {
  /** Determines what they decide. */
  readonly seed: string;
  readonly agents: readonly [DemoAgent, ...DemoAgent[]];
  /** They have too few owners for the cohorts of the contract. */
  readonly isSmall: boolean;
}

const EVERYWHERE = [SHARES, CHIPS, INDEX, COIN] as const;

export const SMALL_CAST: Cast = {
  seed: 'demo-1',
  isSmall: true,
  agents: [
    agent('trend', 'follows the crossing of two averages', trendFollowing, EVERYWHERE),
    agent('reversion', 'bets against stretched prices', meanReversion, [SHARES, CHIPS, INDEX]),
    agent('breakout', 'goes with a close beyond 20 closes', breakout, EVERYWHERE),
    agent('coin', 'flips a coin', coinFlip, [...EVERYWHERE, MINUTES]),
    agent('range', 'expects calm to stay calm', neutralRange, [SHARES, CHIPS, INDEX, MINUTES]),
    agent('minutes', 'bets against stretched minutes', meanReversion, [MINUTES]),
  ],
};

const TWO_YEARS = [inTwoYears(SHARES), inTwoYears(CHIPS), inTwoYears(INDEX)] as const;

const [FIRST, ...OTHERS] = [
  ...crowd(9, 'trend', 'follows the crossing of two averages', trendFollowing),
  ...crowd(8, 'reversion', 'bets against stretched prices', meanReversion),
  ...crowd(6, 'carry', 'holds while it is calm', carry),
  ...crowd(6, 'coin', 'flips a coin', coinFlip),
  { ...agent('cheat', 'states its data older than they are', hindsight, TWO_YEARS), decisions: 100, cheats: true },
] as const;

/** Thirty owners in two years. */
export const LARGE_CAST: Cast = { seed: 'demo-large-1', isSmall: false, agents: [FIRST as DemoAgent, ...OTHERS] };

function agent(name: string, about: string, strategy: Strategy, grounds: DemoAgent['grounds']): DemoAgent {
  return { name, about, strategy, grounds, decisions: 60 };
}

/** So many agents of one strategy: their looks at the market differ, and so do their decisions. */
function crowd(size: number, name: string, about: string, strategy: Strategy): readonly DemoAgent[] {
  return Array.from({ length: size }, (_, at) => ({
    ...agent(at === 0 ? name : `${name}-${at + 1}`, about, strategy, TWO_YEARS),
    decisions: 100,
  }));
}
