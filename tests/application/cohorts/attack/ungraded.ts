import {
  partThresholds,
  reasonToWithhold,
  shownUngraded,
  type Thresholds,
} from '../../../../domain/cohorts/suppression.ts';
import type { Decision } from '../../../../domain/decisions/decision.ts';
import { type Choice, choices, type Mask, type Partition, producersOf, sizeOf } from './population.ts';
import { combined, distinct } from './questions.ts';
import type { Enough, Few, Knowledge } from './search.ts';

/** The graded and the ungraded records that a filter selects, of one list of records. */
export interface MixedQuestion {
  readonly filter: Choice['filter'];
  readonly graded: Mask;
  readonly ungraded: Mask;
}

/** Whether the ungraded counts of a question are shown. */
export type UngradedRule = (question: MixedQuestion, partition: Partition, thresholds: Thresholds) => boolean;

/** The one that the service uses. */
export const oursForUngraded: UngradedRule = ({ graded, ungraded }, partition, thresholds) => {
  const cohort = { samples: sizeOf(graded), enoughProducers: hasEnough(graded, partition, thresholds.minProducers) };
  const counts = { rejected: sizeOf(ungraded), data_unavailable: [], suspected: 0 };
  const enoughProducers = hasEnough(ungraded, partition, partThresholds(thresholds).minProducers);
  const reason = reasonToWithhold({ result: cohort, whole: cohort }, thresholds);
  return reason === null && shownUngraded({ counts, enoughProducers }, thresholds) !== null;
};

/** Faulty rules: an attack must detect each. */
export const LEAKY_FOR_UNGRADED: Readonly<Record<string, UngradedRule>> = {
  'shows them in a withheld cohort': (question, partition, thresholds) =>
    oursForUngraded({ ...question, graded: question.ungraded }, partition, thresholds),
  'counts their owners together with those of the graded ones': (question, partition, thresholds) =>
    sizeOf(question.ungraded) >= thresholds.minSamples &&
    oursForUngraded({ ...question, ungraded: question.graded | question.ungraded }, partition, thresholds),
  'looks at their number alone': ({ graded, ungraded }, partition, thresholds) =>
    hasEnough(graded, partition, thresholds.minProducers) && sizeOf(ungraded) >= thresholds.minSamples,
};

/**
 * The questions of filters of every kind; the ungraded records are those from `firstUngraded` on.
 * @param windowed with the ungraded records of each time window too, which the service does not count
 */
export function mixedQuestions(
  records: readonly Decision[],
  firstUngraded: number,
  windowed: boolean,
): readonly MixedQuestion[] {
  const { direction, perspective, horizon, origin, windows } = choices(records);
  const filters = combined([direction, perspective, horizon, origin]);
  const gradedOnes = (1 << firstUngraded) - 1;
  const ungradedOnes = ((1 << records.length) - 1) & ~gradedOnes;
  const bounds = windowed ? windows.map(({ mask }) => mask) : [-1];
  const questions = filters.flatMap(({ filter, mask }) =>
    bounds.map((bound) => ({ filter, graded: mask & gradedOnes, ungraded: mask & bound & ungradedOnes })),
  );
  return distinct(questions, ({ graded, ungraded }) => `${graded} ${ungraded}`);
}

/** The simple thresholds, which the service does not use. */
export const byTheLetterForUngraded: UngradedRule = ({ graded, ungraded }, partition, thresholds) =>
  [graded, ungraded].every(
    (mask) => sizeOf(mask) >= thresholds.minSamples && hasEnough(mask, partition, thresholds.minProducers),
  );

/**
 * What the ungraded counts reveal to an attacker who knows all records and not their owners.
 * @param rule what decides whether they are shown, by the thresholds `least` for ungraded records
 */
export function knowledgeOfUngraded(
  questions: readonly MixedQuestion[],
  truth: Partition,
  thresholds: Thresholds,
  { rule, least }: { readonly rule: UngradedRule; readonly least: Thresholds },
): Knowledge {
  const few: Few[] = [];
  const enough: Enough[] = [];
  const { minProducers: producers, minSamples } = least;
  for (const question of questions) {
    const { graded, ungraded: mask } = question;
    const isJudged = sizeOf(graded) >= thresholds.minSamples && hasEnough(graded, truth, thresholds.minProducers);
    if (!isJudged || sizeOf(mask) < minSamples) continue;
    if (rule(question, truth, thresholds)) enough.push({ masks: [mask], producers });
    else few.push({ mask, producers });
  }
  return { few, enough };
}

/** Shown counts of records that too few owners made, or whose cohort is withheld. */
export function exposedBy(
  rule: UngradedRule,
  questions: readonly MixedQuestion[],
  truth: Partition,
  thresholds: Thresholds,
): number {
  const shown = questions.filter((question) => rule(question, truth, thresholds));
  const isFew = (mask: Mask, { minProducers, minSamples }: Thresholds) =>
    sizeOf(mask) < minSamples || !hasEnough(mask, truth, minProducers);
  const least = partThresholds(thresholds);
  return shown.filter(({ graded, ungraded }) => isFew(graded, thresholds) || isFew(ungraded, least)).length;
}

function hasEnough(mask: Mask, partition: Partition, producers: number): boolean {
  return producersOf(partition, mask) >= producers;
}
