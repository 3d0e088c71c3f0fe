import type { Direction } from '../../../../domain/decisions/call.ts';
import { HOUR, MINUTE } from '../../../../domain/time.ts';
import type { Chance } from './chance.ts';
import type { Moment } from './market.ts';

/** Submits at the first moment at which it has something to say. */
export interface PlayingAgent {
  readonly name: string;
  say(moment: Moment, chance: Chance): Direction | null;
}

/** Says whatever, at any moment: it shows what a decision without skill gets. */
export const UNSKILLED: PlayingAgent = {
  name: 'knows nothing',
  say: (_, chance) => (chance.uniform() < 0.03 ? (chance.uniform() < 0.5 ? 'bullish' : 'bearish') : null),
};

/** They know the whole past up to the moment, and look for prices that are late. */
export const KNOWING: readonly PlayingAgent[] = [
  { name: 'follows the fair price from a stale trade', say: (moment) => towardsFair(moment, 0.3) },
  { name: 'waits for a very stale trade', say: (moment) => towardsFair(moment, 0.8) },
  {
    name: 'follows the fair price in a silence',
    say: (moment) => (moment.silence >= 2 * MINUTE ? towardsFair(moment, 0.1) : null),
  },
  {
    name: 'follows the fair price before a close',
    say: (moment) =>
      moment.closesIn <= 20 * MINUTE && moment.silence >= 15 * MINUTE ? towardsFair(moment, 0.1) : null,
  },
  {
    name: 'follows the fair price at night',
    say: (moment) => (Number.isFinite(moment.closesIn) && moment.closesIn > 7 * HOUR ? towardsFair(moment, 0.2) : null),
  },
  { name: 'counts on a silence', say: ({ silence }) => (silence >= 4 * MINUTE ? 'neutral' : null) },
  { name: 'counts on a long silence', say: ({ silence }) => (silence >= 12 * MINUTE ? 'neutral' : null) },
  { name: 'knows of a split', say: ({ split }) => (split === 'ahead' ? 'bearish' : null) },
  { name: 'knows a false volatility', say: ({ split }) => (split === 'behind' ? 'neutral' : null) },
];

function towardsFair({ fair, lastTrade, sigma }: Moment, sigmas: number): Direction | null {
  const move = Math.log(fair / lastTrade) / sigma;
  if (Math.abs(move) < sigmas) return null;
  return move > 0 ? 'bullish' : 'bearish';
}
