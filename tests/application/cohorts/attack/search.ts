import { partThresholds, type Thresholds } from '../../../../domain/cohorts/suppression.ts';
import { type Mask, type Partition, producersOf, type Random, randomFrom, sizeOf, UNCOUNTED } from './population.ts';
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

/** Everything that replies reveal about producers. */
export interface Knowledge {
  readonly few: readonly Few[];
  readonly enough: readonly Enough[];
}

/** What the replies of the service reveal; `byTheLetter`: of one that judges narrowed results like whole cohorts. */
export function knowledgeOf(
  questions: readonly Question[],
  truth: Partition,
  thresholds: Thresholds,
  byTheLetter: boolean,
): Knowledge {
  const few: Few[] = [];
  const enough: Enough[] = [];
  for (const { whole, result, parts } of questions) {
    const isJudgedWhole = byTheLetter || result === whole;
    const { minProducers: producers } = isJudgedWhole ? thresholds : partThresholds(thresholds);
    const masks = isJudgedWhole ? [result] : parts;
    if (masks.length === 0) continue;
    if (masks.some((mask) => producersOf(truth, mask) >= producers)) enough.push({ masks, producers });
    else few.push(...masks.map((mask) => ({ mask, producers })));
  }
  return { few: largest(few), enough: smallest(enough) };
}

/**
 * The same facts about the records of owners that count alone, to someone who knows which these are: the others are no
 * part of them. Records are numbered anew.
 */
export function amongCounted({ few, enough }: Knowledge, truth: Partition): Knowledge {
  const rows = truth.flatMap((owner, row) => (owner < UNCOUNTED ? [row] : []));
  const counted = (mask: Mask) => rows.reduce((made, row, i) => (mask & (1 << row) ? made | (1 << i) : made), 0);
  return {
    few: few.map(({ mask, producers }) => ({ mask: counted(mask), producers })),
    enough: enough.map(({ masks, producers }) => ({ masks: masks.map(counted), producers })),
  };
}

/** Both together. */
export function joined(a: Knowledge, b: Knowledge): Knowledge {
  return { few: largest([...a.few, ...b.few]), enough: smallest([...a.enough, ...b.enough]) };
}

/** Too few in a set is too few in each of its subsets. */
function largest(few: readonly Few[]): readonly Few[] {
  const rest: Few[] = [];
  for (const each of few.toSorted((a, b) => sizeOf(b.mask) - sizeOf(a.mask))) {
    if (!rest.some(({ mask, producers }) => isIn(each.mask, mask) && producers <= each.producers)) rest.push(each);
  }
  return rest;
}

/** Enough in a set is enough in each of its supersets. */
function smallest(enough: readonly Enough[]): readonly Enough[] {
  const rest: Enough[] = [];
  const weight = ({ masks }: Enough) => Math.max(...masks.map(sizeOf));
  for (const each of enough.toSorted((a, b) => weight(a) - weight(b))) {
    const follows = (other: Enough) =>
      other.producers >= each.producers && other.masks.every((mask) => each.masks.some((wider) => isIn(mask, wider)));
    if (!rest.some(follows)) rest.push(each);
  }
  return rest;
}

function isIn(mask: Mask, wider: Mask): boolean {
  return (mask & ~wider) === 0;
}

/** Pairs that cannot be of two producers; what follows from nothing being too few needs no search. */
export function linkedPairs(truth: Partition, knowledge: Knowledge): readonly string[] {
  if (knowledge.few.length === 0) return [];
  const rows = truth.map((_, row) => row);
  const mates = rows.flatMap((a) => rows.slice(a + 1).flatMap((b) => (truth[a] === truth[b] ? [[a, b] as const] : [])));
  const random = randomFrom(producersOf(truth, -1));
  return mates.filter((pair) => mayDiffer(truth, pair, knowledge, random) === false).map(String);
}

/**
 * Whether the records `a` and `b` may be of different producers given the facts: false is certain, null when the
 * search was given up. It begins near the truth, where most solutions are.
 */
export function mayDiffer(
  truth: Partition,
  pair: readonly [number, number],
  knowledge: Knowledge,
  random: Random,
): boolean | null {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = search(truth, pair, knowledge, random, attempt < ATTEMPTS - 4 ? 300 : 20_000);
    if (found !== null) return found;
  }
  return null;
}

const ATTEMPTS = 40;

function search(
  truth: Partition,
  [a, b]: readonly [number, number],
  { few, enough }: Knowledge,
  random: Random,
  steps: number,
): boolean | null {
  const weight = (row: number) => few.filter(({ mask }) => mask & (1 << row)).length;
  const others = truth.map((_, row) => row).filter((row) => row !== a && row !== b);
  const order = [a, b, ...others.toSorted((x, y) => weight(y) - weight(x))];
  const owner = truth.map(() => 0);
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
    const mates = order.slice(0, depth).filter((earlier) => truth[earlier] === truth[row] && random() < 0.9);
    const asInTruth = mates.length > 0 && random() < 0.85 ? [owner[mates.at(-1) ?? 0] ?? 0] : [];
    for (const choice of new Set([...asInTruth, ...shuffled(owners + 1, random)])) {
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
