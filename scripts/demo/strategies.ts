import type { PerspectiveType } from '../../domain/decisions/call.ts';
import type { KeyFactor, Submission } from '../../domain/decisions/submission/submission.ts';
import type { Bar } from '../../domain/market/bars.ts';
import type { Random } from '../random.ts';

/** The opinion of a strategy: a submission without instrument and times. */
export type Stance = Pick<Submission, 'direction'> &
  Partial<Omit<Submission, 'direction'>> & { readonly perspective_type: PerspectiveType };

/** Returns an opinion from bars, the newest last, for a window of so many bars; null when it has none. */
export type Strategy = (bars: readonly Bar[], window: number, random: Random) => Stance | null;

/** Follows the crossing of two averages. */
export const trendFollowing: Strategy = (bars, window) => {
  const { last, average, sigma } = seriesOf(bars);
  const [fast, slow] = [average(10), average(40)];
  if (Math.abs(fast / slow - 1) < sigma) return null;
  const direction = fast > slow ? 'bullish' : 'bearish';
  const reach = sigma * Math.sqrt(window) * (direction === 'bullish' ? 1 : -1);
  return {
    direction,
    perspective_type: 'technical',
    key_factors: [
      factor('fast', 'Average of the last 10 closes', fast),
      factor('slow', 'Average of the last 40 closes', slow),
      { id: 'trend', factor: 'The fast average leads the slow one', depends_on: ['fast', 'slow'], direction },
    ],
    price_targets: {
      targets: [{ price: rounded(last * (1 + reach)), size_pct: 50 }, { price: rounded(last * (1 + 2 * reach)) }],
      stop_loss: { price: rounded(last * (1 - 1.2 * reach)), kind: window > 5 ? 'trailing' : 'hard' },
    },
    confidence: 0.6,
  };
};

/** Bets against a move far from its average. */
export const meanReversion: Strategy = (bars, window) => {
  const { last, average, sigma } = seriesOf(bars);
  const distance = (last / average(20) - 1) / (sigma * Math.sqrt(20));
  if (Math.abs(distance) < 0.6) return null;
  const direction = distance < 0 ? 'bullish' : 'bearish';
  const far = sigma * Math.sqrt(window) * 2;
  return {
    direction,
    perspective_type: 'quantitative',
    key_factors: [
      factor('distance', 'Distance from the average of 20 closes, in sigmas', distance),
      { id: 'stretched', factor: 'A stretched price returns', depends_on: ['distance'], direction, weight: 0.7 },
    ],
    invalidation: [
      direction === 'bullish'
        ? { kind: 'drops_below', threshold: rounded(last * (1 - far)) }
        : { kind: 'rises_above', threshold: rounded(last * (1 + far)) },
    ],
  };
};

/** Follows a close beyond the last 20 bars. */
export const breakout: Strategy = (bars, window) => {
  const { last, closes, sigma } = seriesOf(bars);
  const before = closes.slice(-21, -1);
  const [top, bottom] = [Math.max(...before), Math.min(...before)];
  if (last <= top && last >= bottom) return null;
  const direction = last > top ? 'bullish' : 'bearish';
  const reach = sigma * Math.sqrt(window) * (direction === 'bullish' ? 1 : -1);
  return {
    direction,
    perspective_type: 'technical',
    key_factors: [
      factor('edge', 'The edge of the last 20 closes', direction === 'bullish' ? top : bottom),
      { id: 'broken', factor: 'The last close lies beyond it', depends_on: ['edge'], direction },
    ],
    reference_price: rounded(last),
    price_targets: {
      targets: [{ price: rounded(last * (1 + 1.5 * reach)) }],
      stop_loss: { price: rounded(last * (1 - reach)), kind: 'hard' },
    },
  };
};

/** Has no skill, as a reference for the four buckets. */
export const coinFlip: Strategy = (_bars, _window, random) => ({
  direction: random.pick(['bullish', 'bearish'] as const),
  perspective_type: 'alternative',
  key_factors: ['A coin was flipped'],
});

/** Expects a narrow range to stay narrow. */
export const neutralRange: Strategy = (bars) => {
  const { closes, sigma } = seriesOf(bars);
  const recent = closes.slice(-20);
  const width = Math.log(Math.max(...recent) / Math.min(...recent)) / (sigma * Math.sqrt(20));
  if (width > 1.3) return null;
  return {
    direction: 'neutral',
    perspective_type: 'sentiment',
    key_factors: [
      factor('width', 'Width of the last 20 closes, in sigmas', width),
      { id: 'calm', factor: 'A narrow range stays narrow', depends_on: ['width'] },
    ],
  };
};

/** Is paid for holding while the price is calm, as the buyer of a share is by its drift. */
export const carry: Strategy = (bars) => {
  const { closes, sigma } = seriesOf(bars);
  const moves = closes.slice(1).map((close, index) => Math.log(close / (closes[index] ?? close)) ** 2);
  const usual = Math.sqrt(mean(moves));
  if (sigma > usual) return null;
  return {
    direction: 'bullish',
    perspective_type: 'fundamental',
    key_factors: [
      factor('sigma', 'Daily sigma of the last 20 closes', sigma),
      factor('usual', 'Daily sigma of the last months', usual),
      {
        id: 'paid',
        factor: 'Holding is paid for while it is calm',
        depends_on: ['sigma', 'usual'],
        direction: 'bullish',
      },
    ],
    confidence: 0.55,
  };
};

/** Says what the last bar did. With stale prices, in which the window has passed already, that is always right. */
export const hindsight: Strategy = (bars, window) => {
  const { closes } = seriesOf(bars);
  const [first = 0, last = 0] = [closes.at(-1 - window), closes.at(-1)];
  return {
    direction: last > first ? 'bullish' : 'bearish',
    perspective_type: 'alternative',
    key_factors: ['It cannot fail'],
    confidence: 0.95,
  };
};

/** Closes in the units of the newest bar, which price targets need. */
function seriesOf(bars: readonly Bar[]) {
  const newest = bars.at(-1);
  if (!newest || bars.length < 41) throw new RangeError('A strategy needs at least 41 bars.');
  const closes = bars.map(({ close, split }) => (close * split) / newest.split);
  const average = (over: number) => mean(closes.slice(-over));
  const moves = closes.slice(1).map((close, index) => Math.log(close / (closes[index] ?? close)) ** 2);
  return { closes, last: newest.close, average, sigma: Math.max(0.0005, Math.sqrt(mean(moves.slice(-20)))) };
}

function factor(id: string, text: string, value: number): KeyFactor {
  return { id, factor: text, dimension: 'price', metric: { name: id, value: Number(value.toPrecision(6)) } };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function rounded(price: number): number {
  return Number(price.toPrecision(6));
}
