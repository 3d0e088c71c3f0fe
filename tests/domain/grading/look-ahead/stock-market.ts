import type { Bar } from '../../../../domain/market/bars.ts';
import type { Calendar, Segment, TradingSession } from '../../../../domain/market/calendar.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../../../domain/market/instrument.ts';
import { DAY, HOUR, MINUTE, type Millis } from '../../../../domain/time.ts';
import { at } from '../../market/real-bars.ts';
import type { Chance } from './chance.ts';
import { barsOfTrades, fetched, type Moment, type SimulatedMarket, type SourceHabits, type Trade } from './market.ts';

/** What the markets of a run have in common. */
export interface StockTerms extends SourceHabits {
  readonly instrument: Instrument;
  /** Of a day, night included. */
  readonly sigma: number;
  /** The share of the night in its square. */
  readonly night: number;
  /** Full sessions. */
  readonly horizon_value: number;
  /** The chance of a trade in five minutes. */
  readonly trades: number;
  /** A date before the first session of the window. */
  readonly from: string;
  readonly split: 'ahead' | 'behind' | null;
}

const STEP = 5 * MINUTE;
const HISTORY = 26;
const AFTER = 4;

/** Hours of a thinly traded stock: its fair price moves at night, and the source learns of splits late. */
export function stockMarket(chance: Chance, terms: StockTerms): SimulatedMarket {
  const { instrument, horizon_value } = terms;
  const calendar = calendarOf(instrument);
  const first = calendar.nthFrom(at(terms.from), 1);
  const past = Array.from({ length: HISTORY }, (_, i) => calendar.nthBefore(first.open, HISTORY - i));
  const later = calendar.sessions(first.open, calendar.nthFrom(first.open, horizon_value + AFTER).close);
  const sessions = [...past, ...later];
  const splitAt = splitOpen(terms, past, later);
  const ratio = splitAt === null ? 1 : 2;
  const announced = first.open + DAY * (2 + 10 * chance.uniform());
  const played = play(chance, terms, calendar, sessions, { splitAt, ratio });
  const moments = momentsOf(played, terms, first, announced);
  return {
    ...{ instrument, size: '1h', horizon_kind: 'trading_days', horizon_value, moments },
    evidence(needed, now) {
      const isKnown = splitAt !== null && now >= announced;
      const units = (bar: Bar) => {
        const factor = isKnown && bar.start < splitAt ? 1 / ratio : 1;
        return { ...bar, split: factor, total: factor };
      };
      return fetched(needed, played.hours.map(units), played.days.map(units), now);
    },
  };
}

function splitOpen({ split }: StockTerms, past: readonly TradingSession[], later: readonly TradingSession[]) {
  if (split === 'ahead') return later[2]?.open ?? null;
  return split === 'behind' ? (past[HISTORY - 8]?.open ?? null) : null;
}

/** The fair price after each step, in the units of the end. */
interface Step {
  readonly at: Millis;
  readonly fair: number;
  readonly inSession: boolean;
}

interface Played {
  readonly steps: readonly Step[];
  readonly trades: readonly Trade[];
  readonly hours: readonly Bar[];
  readonly days: readonly Bar[];
}

function play(
  chance: Chance,
  terms: StockTerms,
  calendar: Calendar,
  sessions: readonly TradingSession[],
  { splitAt, ratio }: { readonly splitAt: Millis | null; readonly ratio: number },
): Played {
  const [steps, trades]: [Step[], Trade[]] = [[], []];
  let fair = 100;
  for (const { open, segments, length } of sessions) {
    const unit = splitAt !== null && open < splitAt ? ratio : 1;
    fair *= Math.exp(terms.sigma * Math.sqrt(terms.night) * chance.normal());
    // What the night brings is known from its first hour on.
    steps.push({ at: calendar.nthBefore(open, 1).close + HOUR, fair, inSession: false });
    const move = terms.sigma * Math.sqrt(((1 - terms.night) * STEP) / length);
    for (const now of segments.flatMap(stepsOf)) {
      if (now > open) fair *= Math.exp(move * chance.normal());
      steps.push({ at: now, fair, inSession: true });
      if (chance.uniform() < terms.trades) trades.push({ at: now + 1, price: Math.round(fair * unit * 1e4) / 1e4 });
    }
  }
  const bars = (slots: readonly { readonly start: Millis; readonly end: Millis }[]) =>
    barsOfTrades(slots, trades, terms);
  return { steps, trades, hours: bars(sessions.flatMap(hoursOf)), days: daysOf(sessions, steps, splitAt, ratio) };
}

function stepsOf({ open, close }: Segment): Millis[] {
  return Array.from({ length: (close - open) / STEP }, (_, i) => open + i * STEP);
}

function hoursOf({ segments }: TradingSession) {
  return segments.flatMap(({ open, close }) =>
    Array.from({ length: Math.ceil((close - open) / HOUR) }, (_, i) => {
      return { start: open + i * HOUR, end: Math.min(close, open + (i + 1) * HOUR) };
    }),
  );
}

/** Daily bars of the fair price, as an index of many venues would show them. */
function daysOf(
  sessions: readonly TradingSession[],
  steps: readonly Step[],
  splitAt: Millis | null,
  ratio: number,
): Bar[] {
  const fair = steps
    .filter(({ inSession }) => inSession)
    .map(({ at, fair }) => {
      const unit = splitAt !== null && at < splitAt ? ratio : 1;
      return { at, price: Math.round(fair * unit * 1e4) / 1e4 };
    });
  const slots = sessions.map(({ open, close }) => ({ start: open, end: close }));
  return barsOfTrades(slots, fair, { silent: 'missing', carriesOpens: false });
}

/** Every 20 minutes of two days, whether the venue is open or not. */
function momentsOf({ steps, trades }: Played, terms: StockTerms, first: TradingSession, announced: Millis): Moment[] {
  const calendar = calendarOf(terms.instrument);
  const sigma = terms.sigma * Math.sqrt(terms.horizon_value);
  const unit = terms.split === 'ahead' ? 2 : 1;
  const moments: Moment[] = [];
  let [step, trade] = [0, 0];
  for (let now = first.open + 7 * MINUTE; now < first.open + 2 * DAY; now += 20 * MINUTE) {
    while ((steps[step + 1]?.at ?? now + 1) <= now) step += 1;
    while ((trades[trade + 1]?.at ?? now + 1) <= now) trade += 1;
    const last = trades[trade] ?? { at: now, price: Number.NaN };
    const split = now < announced ? terms.split : null;
    const closesIn = calendar.currentOrNext(now).close - now;
    const known = { lastTrade: last.price, silence: now - last.at, closesIn, sigma, split };
    moments.push({ at: now, fair: (steps[step]?.fair ?? Number.NaN) * unit, ...known });
  }
  return moments;
}
