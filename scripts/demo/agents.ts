import { CHIPS, COIN, type Ground, INDEX, MINUTES, SHARES } from './hunting-grounds.ts';
import { breakout, coinFlip, meanReversion, neutralRange, type Strategy, trendFollowing } from './strategies.ts';

/** One agent of an owner of its own. */
export interface DemoAgent {
  /** The name of its folder, its keys and its row of the table. */
  readonly name: string;
  readonly about: string;
  readonly strategy: Strategy;
  readonly grounds: readonly [Ground, ...Ground[]];
  readonly decisions: number;
}

export const AGENTS: readonly DemoAgent[] = [
  agent('trend', 'follows the crossing of two averages', trendFollowing, [SHARES, CHIPS, INDEX, COIN]),
  agent('reversion', 'bets against stretched prices', meanReversion, [SHARES, CHIPS, INDEX]),
  agent('breakout', 'goes with a close beyond 20 closes', breakout, [SHARES, CHIPS, INDEX, COIN]),
  agent('coin', 'flips a coin', coinFlip, [SHARES, CHIPS, INDEX, COIN, MINUTES]),
  agent('range', 'expects calm to stay calm', neutralRange, [SHARES, CHIPS, INDEX, MINUTES]),
  agent('minutes', 'bets against stretched minutes', meanReversion, [MINUTES]),
];

function agent(name: string, about: string, strategy: Strategy, grounds: DemoAgent['grounds']): DemoAgent {
  return { name, about, strategy, grounds, decisions: 60 };
}
