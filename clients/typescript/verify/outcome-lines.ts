import { bucketOf } from '../../../domain/grading/bucket.ts';
import type { DecisionOpening, Opening, OutcomeOpening } from '../../../domain/log/leaves/opening.ts';
import { isStated } from '../../../domain/log/leaves/verify-opening.ts';
import { type Line, line } from './verdict.ts';

/** The greatest relative difference between two ways to compute the same number. */
const ROUNDING = 1e-9;

/** An opening with the place of its leaf. */
export interface PlacedOpening {
  readonly origin: string;
  readonly index: number;
  readonly opening: Opening;
  /** In the tree that a log serves, at this index. */
  readonly isInTree: boolean;
}

/**
 * Whether the bucket of an outcome follows from the facts that it shows, without any price: the move from entry to exit
 * in sigmas of the window is that of the prices and the volatility, and the bucket is that of the move.
 */
export function bucketLine({ public_outcome }: Pick<OutcomeOpening, 'public_outcome'>): Line {
  const { outcome, result_bucket } = public_outcome;
  try {
    const { entry, exit, sigma_d, tau, z, raw_return, directional_return } = outcome;
    const move = Math.log(exit.adjusted_price / entry.adjusted_price) / (sigma_d * Math.sqrt(tau));
    const signed = directional_return === null ? Math.abs(move) : directional_return === raw_return ? move : -move;
    const isMove = Math.abs(signed - z) <= ROUNDING * Math.max(1, Math.abs(z));
    const bucket = bucketOf(directional_return === null ? 'neutral' : 'bullish', z);
    if (isMove && bucket === result_bucket)
      return line('holds', 'bucket', `${bucket} follows from a move of ${z} sigmas`);
    return line(
      'FAILS',
      'bucket',
      `the facts show ${isMove ? bucket : `a move of ${signed} sigmas`}, not ${result_bucket}`,
    );
  } catch {
    return line('FAILS', 'bucket', 'the outcome does not show its facts');
  }
}

/** The opening of the leaf that an outcome is of, among others. */
interface Graded<Placed extends PlacedOpening> {
  readonly of: Placed;
  /** Both are of one log, or are in the tree that a log serves; else their logs may have one tree. */
  readonly isSameTree: boolean;
}

/** A log that goes on with another one has its leaves at their indexes. */
export function gradedOpening<Placed extends PlacedOpening>(
  { origin, isInTree, opening }: PlacedOpening & { readonly opening: OutcomeOpening },
  others: readonly Placed[],
): Graded<Placed> | null {
  const placed = others.filter(({ index }) => index === opening.leaf.of);
  const same = placed.find((other) => other.origin === origin) ?? placed.find((other) => isInTree && other.isInTree);
  if (same) return { of: same, isSameTree: true };
  const of = placed.find((other) => isOfOneService(other.origin, origin) && isStated(other.opening));
  return of ? { of, isSameTree: false } : null;
}

/** Whether two origins differ in the number of the log alone. */
export function isOfOneService(origin: string, other: string): boolean {
  const serviceOf = (each: string) => each.replace(/\/\d+$/, '');
  return serviceOf(origin) === serviceOf(other);
}

/** Whether an outcome is that of a decision, and is signed by the direction of that decision. */
export function decisionLine(
  { opening, origin }: PlacedOpening & { readonly opening: OutcomeOpening },
  graded: Graded<PlacedOpening> | null,
): Line {
  const { of } = opening.leaf;
  if (graded && !graded.isSameTree) {
    const other = `the proof of leaf ${of} is of ${graded.of.origin}, with which ${origin} may go on`;
    return line('not checked', 'decision', `${other}: --log shows it`);
  }
  const decision = graded?.of.opening;
  if (!decision) return line('not checked', 'decision', `it is of leaf ${of}, whose proof is not among the files`);
  if (!isStated(decision)) return line('FAILS', 'decision', `leaf ${of} is no decision`);
  const { direction, record_id, method } = decision.public_statement;
  const fits = gradesDecision(opening, decision);
  const detail = fits
    ? `it grades ${record_id}, ${direction}, by ${method}`
    : `it does not fit ${record_id}, ${direction}`;
  return line(fits ? 'holds' : 'FAILS', 'decision', detail);
}

/** Whether an outcome has the method of a decision, and is signed by its direction. */
export function gradesDecision(
  { public_outcome: { outcome } }: Pick<OutcomeOpening, 'public_outcome'>,
  { public_statement: { direction, method } }: Pick<DecisionOpening, 'public_statement'>,
): boolean {
  return outcome?.method === method && isSignedBy(direction, outcome);
}

export function isOutcome(opening: Opening): opening is OutcomeOpening {
  return 'public_outcome' in opening;
}

type Direction = DecisionOpening['public_statement']['direction'];

function isSignedBy(direction: Direction, { raw_return, directional_return }: Returns): boolean {
  if (direction === 'neutral') return directional_return === null;
  return directional_return === (direction === 'bullish' ? raw_return : 0 - raw_return);
}

type Returns = Pick<OutcomeOpening['public_outcome']['outcome'], 'raw_return' | 'directional_return'>;

/**
 * The first place at which two JSON values differ, in words; null for none. Numbers may differ by 10^-9 of their size: engines
 * round logarithms and roots differently.
 * @param path of the values, such as `outcome.entry.price`
 */
export function firstDifference(shown: unknown, computed: unknown, path = ''): string | null {
  if (isBranch(shown) && isBranch(computed)) {
    for (const name of new Set([...Object.keys(shown), ...Object.keys(computed)])) {
      const difference = firstDifference(shown[name], computed[name], path === '' ? name : `${path}.${name}`);
      if (difference !== null) return difference;
    }
    return null;
  }
  if (typeof shown === 'number' && typeof computed === 'number' && isClose(shown, computed)) return null;
  const [left, right] = [JSON.stringify(shown) ?? 'nothing', JSON.stringify(computed) ?? 'nothing'];
  return left === right ? null : `${path} is ${left}, not ${right}`;
}

function isClose(a: number, b: number): boolean {
  return Math.abs(a - b) <= Math.max(ROUNDING * Math.abs(a), 1e-15);
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
