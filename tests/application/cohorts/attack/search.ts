import type { Thresholds } from '../../../../domain/cohorts/suppression.ts';
import { type Mask, type Partition, producersOf, type Random, sizeOf } from './population.ts';
import type { Question } from './questions.ts';

/** Fewer than `producers` made this set. */
export interface Few {
  readonly mask: Mask;
  readonly producers: number;
}

/** At least `producers` made one of these sets. */
export interface Enough {
  readonly masks: readonly Mask[];
  readonly producers: number;
}

/** All that replies tell of producers. */
export interface Knowledge {
  readonly few: readonly Few[];
  readonly enough: readonly Enough[];
}

/** What the replies of the service tell; `byTheLetter`: of one that judges narrowed results like whole cohorts. */
export function knowledgeOf(
  questions: readonly Question[],
  truth: Partition,
  { minProducers }: Thresholds,
  byTheLetter: boolean,
): Knowledge {
  const few: Few[] = [];
  const enough: Enough[] = [];
  for (const { whole, result, parts } of questions) {
    const isJudgedWhole = byTheLetter || result === whole;
    const producers = isJudgedWhole ? minProducers : Math.max(minProducers, 3);
    const masks = isJudgedWhole ? [result] : parts;
    if (masks.length === 0) continue;
    if (masks.some((mask) => producersOf(truth, mask) >= producers)) enough.push({ masks, producers });
    else few.push(...masks.map((mask) => ({ mask, producers })));
  }
  return { few: largest(few), enough: distinct(enough) };
}

/** What is few in a set is few in all that lies in it. */
function largest(few: readonly Few[]): readonly Few[] {
  const once = [...new Map(few.map((each) => [`${each.mask} ${each.producers}`, each])).values()];
  return once.filter(
    ({ mask, producers }) =>
      !once.some((other) => other.mask !== mask && (mask & ~other.mask) === 0 && other.producers <= producers),
  );
}

function distinct(enough: readonly Enough[]): readonly Enough[] {
  return [...new Map(enough.map((each) => [`${each.masks} ${each.producers}`, each])).values()];
}

/**
 * Whether the records `a` and `b` may be of different producers for all that is known: false is certain, null when the
 * search was given up after `steps`.
 */
export function mayDiffer(
  size: number,
  [a, b]: readonly [number, number],
  { few, enough }: Knowledge,
  random: Random,
  steps = 20_000,
): boolean | null {
  const weight = (row: number) => few.filter(({ mask }) => mask & (1 << row)).length;
  const others = Array.from({ length: size }, (_, row) => row).filter((row) => row !== a && row !== b);
  const order = [a, b, ...others.toSorted((x, y) => weight(y) - weight(x))];
  const owner = new Array<number>(size).fill(0);
  let left = steps;
  const fits = (placed: Mask) =>
    few.every(({ mask, producers }) => producersOf(owner, mask & placed) < producers) &&
    enough.every(({ masks, producers }) =>
      masks.some((mask) => producersOf(owner, mask & placed) + sizeOf(mask & ~placed) >= producers),
    );
  const place = (depth: number, owners: number, placed: Mask): boolean | null => {
    const row = order[depth];
    if (row === undefined) return true;
    if (left-- <= 0) return null;
    for (const choice of shuffled(owners + 1, random)) {
      if (depth === 1 && choice === owner[a]) continue;
      owner[row] = choice;
      const placedToo = placed | (1 << row);
      const found = fits(placedToo) && place(depth + 1, Math.max(owners, choice + 1), placedToo);
      if (found !== false) return found;
    }
    return false;
  };
  return place(0, 0, 0);
}

function shuffled(count: number, random: Random): readonly number[] {
  const keys = Array.from({ length: count }, (_, i) => ({ i, key: random() }));
  return keys.toSorted((x, y) => x.key - y.key).map(({ i }) => i);
}
