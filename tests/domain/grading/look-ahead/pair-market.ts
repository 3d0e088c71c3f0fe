import type { Bar } from '../../../../domain/market/bars.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../../domain/time.ts';
import { at, BTC } from '../../market/real-bars.ts';
import type { Chance } from './chance.ts';
import { barsOfTrades, fetched, type Moment, type SimulatedMarket, type SourceHabits, type Trade } from './market.ts';

/** What the markets of a run have in common. */
export interface PairTerms extends SourceHabits {
  /** Of a day. */
  readonly sigma: number;
  readonly horizon_value: number;
  /** Minutes between silences, and of one, on average. */
  readonly active: number;
  readonly silence: number;
  /** The chance of a trade in ten seconds that are not silent. */
  readonly trades: number;
}

const STEP = 10 * SECOND;
const FROM = at('2024-03-09T10:00Z');
const SUBMITS = { from: FROM + 2 * HOUR, to: FROM + 4 * HOUR };
const UNTIL = FROM + 6 * HOUR;

/** Minutes of a crypto pair that is silent at times while its fair price moves on. */
export function pairMarket(chance: Chance, terms: PairTerms): SimulatedMarket {
  const trades: Trade[] = [];
  const moments: Moment[] = [];
  const sigma = terms.sigma * Math.sqrt((terms.horizon_value * SECOND) / DAY);
  const state = { fair: 100, isSilent: false, until: FROM, last: { at: FROM, price: 100 } };
  for (let now = FROM; now < UNTIL; now += STEP) {
    while (now >= state.until) {
      state.isSilent = !state.isSilent;
      state.until += MINUTE * chance.waiting(state.isSilent ? terms.silence : terms.active);
    }
    // The state at the step's start is what a submission at that time can know; the trade follows it.
    if (now >= SUBMITS.from && now < SUBMITS.to) moments.push(momentOf(now, state, sigma));
    state.fair *= Math.exp(terms.sigma * Math.sqrt(STEP / DAY) * chance.normal());
    const trade = { at: now + STEP / 2, price: Math.round(state.fair * 1e4) / 1e4 };
    if (state.isSilent || chance.uniform() >= terms.trades) continue;
    trades.push(trade);
    state.last = trade;
  }
  const minutes = Array.from({ length: (UNTIL - FROM) / MINUTE }, (_, i) => FROM + i * MINUTE);
  const path = barsOfTrades(
    minutes.map((start) => ({ start, end: start + MINUTE })),
    trades,
    terms,
  );
  const daily = daysBefore(chance, terms.sigma);
  const { horizon_value } = terms;
  return {
    ...{ instrument: BTC, size: '1m', horizon_kind: 'holding_seconds', horizon_value, moments },
    evidence: (needed, now) => fetched(needed, path, daily, now),
  };
}

function momentOf(now: number, { fair, last }: { fair: number; last: Trade }, sigma: number): Moment {
  const never = { closesIn: Number.POSITIVE_INFINITY, split: null };
  return { at: now, fair, lastTrade: last.price, silence: now - last.at, sigma, ...never };
}

function daysBefore(chance: Chance, sigma: number): Bar[] {
  const midnight = at('2024-03-09');
  let close = 100;
  return Array.from({ length: 25 }, (_, i) => {
    const open = close;
    close = Math.round(open * Math.exp(sigma * chance.normal()) * 1e4) / 1e4;
    const start = midnight - (25 - i) * DAY;
    const [high, low] = [Math.max(open, close), Math.min(open, close)];
    return { start, end: start + DAY, open, high, low, close, volume: 1, split: 1, total: 1 };
  });
}
