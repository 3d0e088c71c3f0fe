import { pegFacts } from '../circuits/circuit.ts';
import { coinOf } from '../circuits/coin.ts';
import type { Direction } from '../decisions/call.ts';
import type { Bar } from '../market/bars.ts';
import type { Calendar } from '../market/calendar.ts';
import type { BarSeries } from '../market/market-data.ts';
import { type Millis, rfc3339 } from '../time.ts';
import type { Observation } from './bars/coverage.ts';
import { storedBar } from './bars/stored-bar.ts';
import { bucketOf } from './bucket.ts';
import type { EvaluationCall, Evidence } from './evaluation.ts';
import { GRADING } from './method-numbers.ts';
import type { LevelFacts, Outcome } from './outcome.ts';
import { ownerFacts } from './paths/owner-facts.ts';
import type { Path, PriceEvent } from './paths/path.ts';
import type { Excursion, PathFacts, PricePoint } from './paths/path-facts.ts';
import { regimeAt } from './paths/regime.ts';

/** What a method measured in the evidence, checked to be sufficient for an outcome. */
export interface Measured {
  readonly path: Path;
  /** The bars of the path as its levels are compared with: one of volume 0 touches none. */
  readonly levelBars: readonly Bar[];
  readonly seen: Observation;
  readonly sigma_d: number;
  /** Of the time from entry to exit. */
  readonly tau: number;
  readonly delisted: boolean;
  /** The facts about the levels of the decision; by the rules of `eval/1` unless given. */
  readonly levels?: LevelFacts | null;
}

/** Bucket and facts of a decision (evaluation.md sections 3 to 5 and 7). `evidence` has final bars only. */
export function outcomeOf(
  calendar: Calendar,
  call: EvaluationCall,
  evidence: Evidence,
  measured: Measured,
): Outcome<PathFacts> {
  const move = moveOf(measured);
  const facts = pathFacts(call.direction, evidence.path, measured, move);
  return {
    result_bucket: bucketOf(call.direction, move.z0),
    created_regime: regimeAt(calendar, evidence.daily.bars, call.anchor_time),
    facts: { ...facts, ...pegFact(call, evidence) },
    owner_facts: ownerFacts(call, evidence.path, measured),
    bars: call.keepsBars === false ? [] : measured.path.bars.map(storedBar),
  };
}

/** The outcome with the facts of its method in front. */
export function withFacts<Facts extends object>(outcome: Outcome<PathFacts>, facts: Facts): Outcome<Facts & PathFacts> {
  return { ...outcome, facts: { ...facts, ...outcome.facts } };
}

interface WindowMove {
  /** The volatility of the window. */
  readonly sigmaH: number;
  /** The log return from entry to exit in sigmas of the window. */
  readonly z0: number;
}

/** The move from entry to exit (evaluation.md section 4). */
export function moveOf({
  path: { entry, exit },
  sigma_d,
  tau,
}: Pick<Measured, 'path' | 'sigma_d' | 'tau'>): WindowMove {
  const sigmaH = sigma_d * Math.sqrt(tau);
  return { sigmaH, z0: Math.log(adjusted(exit) / adjusted(entry)) / sigmaH };
}

function pathFacts(
  direction: Direction,
  { source, size, names }: BarSeries,
  { path, seen, sigma_d, tau, delisted }: Measured,
  { sigmaH, z0 }: WindowMove,
): Omit<PathFacts, 'peg'> {
  const { entry, exit } = path;
  const raw_return = adjusted(exit) / adjusted(entry) - 1;
  return {
    source,
    ...(names && { names }),
    bar_size: size,
    entry: pricePoint(entry, exit),
    exit: pricePoint(exit, exit),
    raw_return,
    directional_return: direction === 'neutral' ? null : withSign(direction, raw_return),
    sigma_d,
    tau,
    z: direction === 'neutral' ? Math.abs(z0) : withSign(direction, z0),
    ...excursions(direction, path),
    fraction_in_favour: fractionInFavour(direction, path, sigmaH),
    realised_volatility: realisedVolatility(path),
    coverage: seen.coverage,
    halted: seen.longestHalt > 0,
    delisted_exit: delisted,
  };
}

/** The states of the circuit of the coin that the instrument is quoted in, where it was not normal throughout. */
function pegFact(call: EvaluationCall, { isolations = [] }: Evidence): Pick<PathFacts, 'peg'> {
  const coin = coinOf(call.instrument);
  const peg = coin && pegFacts(coin, isolations, call);
  return peg ? { peg } : {};
}

function pricePoint(event: PriceEvent, exit: PriceEvent): PricePoint {
  return {
    time: rfc3339(event.ts),
    price: event.price,
    adjusted_price: event.price * (event.bar.total / exit.bar.total),
  };
}

/** Never a negative zero. */
function withSign(direction: Direction, value: number): number {
  return direction === 'bearish' ? 0 - value : value;
}

/** The best and the worst price for a decision between entry and exit (evaluation.md section 5), adjusted. */
function excursions(direction: Direction, path: Path): { readonly mfe: Excursion | null; readonly mae: Excursion } {
  if (direction === 'neutral') {
    const lows = lowest(path, 'low', (low) => 0 - Math.abs(low));
    const highs = lowest(path, 'high', (high) => 0 - Math.abs(high));
    return { mfe: null, mae: excursion(lows.value < highs.value ? lows : highs) };
  }
  const down = lowest(path, 'low', (low) => low);
  const up = lowest(path, 'high', (high) => 0 - high);
  return direction === 'bullish'
    ? { mfe: excursion(opposite(up)), mae: excursion(down) }
    : { mfe: excursion(opposite(down)), mae: excursion(up) };
}

/**
 * The share of path bars that closed in favour of the decision; `sigmaH` sizes the band of a neutral one. Null without
 * bars.
 */
function fractionInFavour(direction: Direction, { entry, bars }: Path, sigmaH: number): number | null {
  if (bars.length === 0) return null;
  const [base, band] = [adjusted(entry), GRADING.signedQuartile * sigmaH];
  let favoured = 0;
  for (const bar of bars) {
    const move = Math.log((bar.close * bar.total) / base);
    const isFavoured = direction === 'neutral' ? Math.abs(move) <= band : direction === 'bullish' ? move > 0 : move < 0;
    if (isFavoured) favoured += 1;
  }
  return favoured / bars.length;
}

/** The root of the summed squared log returns from the entry over every close to the exit. */
function realisedVolatility({ entry, exit, bars }: Path): number {
  let [before, sum] = [adjusted(entry), 0];
  for (const { close, total } of bars) {
    const price = close * total;
    sum += Math.log(price / before) ** 2;
    before = price;
  }
  return Math.sqrt(sum + Math.log(adjusted(exit) / before) ** 2);
}

/** An event's price in the units of the newest bar. */
function adjusted({ price, bar }: PriceEvent): number {
  return price * bar.total;
}

interface Value {
  readonly ts: Millis;
  readonly value: number;
}

/**
 * The lowest value, the earliest of equals, that the highs or the lows relative to the entry measure. The entry and the exit
 * belong to the path even when their bars do not.
 */
function lowest({ entry, exit, bars }: Path, extreme: 'high' | 'low', measure: (move: number) => number): Value {
  const base = adjusted(entry);
  let [ts, value] = [entry.ts, measure(0)];
  for (const bar of bars) {
    const own = measure((bar[extreme] * bar.total) / base - 1);
    if (own < value) [ts, value] = [bar.end, own];
  }
  const last = measure(adjusted(exit) / base - 1);
  return last < value ? { ts: exit.ts, value: last } : { ts, value };
}

function opposite({ ts, value }: Value): Value {
  return { ts, value: 0 - value };
}

function excursion({ ts, value }: Value): Excursion {
  return { time: rfc3339(ts), value };
}
