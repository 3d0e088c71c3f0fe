import { SUPPRESSION_REASONS, type Thresholds } from '../../../../domain/cohorts/suppression.ts';
import { countingOnly, type Mask, type Partition, producersOf, UNCOUNTED } from './population.ts';
import type { Question } from './questions.ts';
import type { Suppressor } from './suppressors.ts';

/** What an attacker learns from a suppressor. */
export interface Findings {
  /** `a b`: records that one producer must have made. */
  readonly linked: ReadonlySet<string>;
  /** Shown results, by their records, with a number of producers above the threshold that must be theirs. */
  readonly counted: ReadonlySet<Mask>;
  /** Results of which anything is shown though too few made them, or their whole cohort. */
  readonly exposed: number;
}

/**
 * An attacker who sees all records, knows the rule, and asks everything: of ALL assignments of the records to
 * producers those remain that would have led to exactly the same replies.
 */
export function attack(
  questions: readonly Question[],
  truth: Partition,
  suppressor: Suppressor,
  thresholds: Thresholds,
  assignments: readonly Partition[] = partitionsOf(truth.length),
): Findings {
  const replies = questions.map((question) => ({ question, reply: suppressor(question, truth, thresholds) }));
  const possible = assignments.filter((partition) =>
    replies.every(({ question, reply }) => suppressor(question, partition, thresholds) === reply),
  );
  const shown = replies.filter(({ reply }) => !WITHHELD.has(reply)).map(({ question }) => question);
  const few = (mask: Mask) => producersOf(truth, mask) < thresholds.minProducers;
  return {
    linked: linkedIn(possible),
    counted: new Set(shown.map(({ result }) => result).filter((mask) => isCounted(mask, possible, thresholds))),
    exposed: shown.filter(({ result, whole }) => few(result) || few(whole)).length,
  };
}

/** The replies that show nothing but the reason. */
const WITHHELD: ReadonlySet<string> = new Set(SUPPRESSION_REASONS);

function linkedIn(possible: readonly Partition[]): ReadonlySet<string> {
  const rows = (possible[0] ?? []).map((_, row) => row);
  const pairs = rows.flatMap((a) => rows.slice(a + 1).map((b) => [a, b] as const));
  const always = pairs.filter(([a, b]) => possible.every((partition) => partition[a] === partition[b]));
  return new Set(always.map(([a, b]) => `${a} ${b}`));
}

function isCounted(mask: Mask, possible: readonly Partition[], { minProducers }: Thresholds): boolean {
  const [first, ...others] = possible;
  const count = first ? producersOf(first, mask) : 0;
  return count > minProducers && others.every((partition) => producersOf(partition, mask) === count);
}

/** All partitions of so many records with all choices of the owners that count. */
export function countedPartitionsOf(size: number): readonly Partition[] {
  return partitionsOf(size).flatMap((partition) => {
    const choices = 2 ** (Math.max(...partition) + 1);
    return Array.from({ length: choices }, (_, counted) =>
      countingOnly(partition, (owner) => (counted & (1 << owner)) !== 0),
    );
  });
}

/** Those that an attacker considers who knows which records are of owners that count. */
export function informed(assignments: readonly Partition[], truth: Partition): readonly Partition[] {
  const counts = (owner = 0) => owner < UNCOUNTED;
  return assignments.filter((partition) => partition.every((owner, row) => counts(owner) === counts(truth[row])));
}

const partitionsBySize = new Map<number, readonly Partition[]>();

/** All partitions of so many records, each once: a record is its group's first or joins an earlier one's. */
export function partitionsOf(size: number): readonly Partition[] {
  const known = partitionsBySize.get(size);
  if (known) return known;
  const made =
    size === 0
      ? [[]]
      : partitionsOf(size - 1).flatMap((partition) => {
          const groups = partition.length === 0 ? 0 : Math.max(...partition) + 1;
          return Array.from({ length: groups + 1 }, (_, group) => [...partition, group]);
        });
  partitionsBySize.set(size, made);
  return made;
}
