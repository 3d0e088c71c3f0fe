import { describe, expect, test } from '@jest/globals';
import type { Thresholds } from '../../../domain/cohorts/suppression.ts';
import { countingOnly, ownersOf, population, randomFrom, UNCOUNTED } from './attack/population.ts';
import { questionsOf } from './attack/questions.ts';
import { amongCounted, type Knowledge, knowledgeOf, linkedPairs, mayDiffer } from './attack/search.ts';

// Partitions of more records than ten are too many to go through. What an attacker of larger populations wants to know
// is searched for instead: is there an assignment, consistent with all replies, in which two records of one producer are
// of two?

const SCALES = [
  { minProducers: 3, minSamples: 6, size: 14, populations: 12 },
  { minProducers: 5, minSamples: 10, size: 22, populations: 8 },
];

describe.each(SCALES)('with $size records against $minProducers producers and $minSamples samples', (scale) => {
  const cases = Array.from({ length: scale.populations }, (_, seed) => caseOf(seed, scale.size, scale));

  test('no two records are linked by parts of cohorts within bounds', () => {
    const won = cases.filter((each) => {
      const given = linked(each, each.whole);
      return linked(each, each.all).some((pair) => !given.includes(pair));
    });
    expect(won.map(({ seed }) => seed)).toEqual([]);
  });
});

describe.each(SCALES)('with $size records against $minProducers verified producers', (scale) => {
  const cases = Array.from({ length: scale.populations }, (_, seed) => verifiedCaseOf(seed, scale.size, scale));

  test('no two records are linked by one who knows which are of verified owners', () => {
    const won = cases.filter((each) => {
      const given = linked(each, each.whole);
      return linked(each, each.all).some((pair) => !given.includes(pair));
    });
    expect(won.map(({ seed }) => seed)).toEqual([]);
  });
});

test('the search notices that judging every window by the letter links records of verified owners', () => {
  const [scale] = SCALES;
  if (!scale) throw new Error('There is a first scale');
  const cases = Array.from({ length: 12 }, (_, seed) => verifiedCaseOf(seed, scale.size, scale));
  expect(cases.some((each) => linked(each, each.whole).length < linked(each, each.byTheLetter).length)).toBe(true);
});

test('the search notices that judging every window by the letter links records', () => {
  const [scale] = SCALES;
  if (!scale) throw new Error('There is a first scale');
  const cases = Array.from({ length: 12 }, (_, seed) => caseOf(seed, scale.size, scale));
  expect(cases.some((each) => linked(each, each.whole).length < linked(each, each.byTheLetter).length)).toBe(true);
});

test('what the search finds is consistent: nothing is linked where nothing is known, all is where one made it all', () => {
  const SIX = [0, 0, 0, 0, 0, 0];
  const random = randomFrom(1);
  expect(mayDiffer(SIX, [0, 1], { few: [], enough: [] }, random)).toBe(true);
  const onlyOne = { few: [{ mask: 0b111111, producers: 2 }], enough: [] };
  expect(mayDiffer(SIX, [0, 5], onlyOne, random)).toBe(false);
  const two = { few: [{ mask: 0b111111, producers: 3 }], enough: [{ masks: [0b000011], producers: 2 }] };
  expect([mayDiffer(SIX, [0, 1], two, random), mayDiffer(SIX, [0, 2], two, random)]).toEqual([true, true]);
});

interface Case {
  readonly seed: number;
  readonly truth: readonly number[];
  readonly whole: Knowledge;
  readonly all: Knowledge;
  readonly byTheLetter: Knowledge;
}

function caseOf(seed: number, size: number, { minProducers, minSamples }: Thresholds): Case {
  const random = randomFrom(seed + 1_000 * size);
  const records = population(random, size, minProducers + Math.floor(random() * 3));
  const [truth, thresholds] = [ownersOf(records), { minProducers, minSamples }];
  const questions = questionsOf(records, thresholds);
  const whole = questions.filter((question) => question.whole === question.result);
  return {
    seed,
    truth,
    whole: knowledgeOf(whole, truth, thresholds, true),
    all: knowledgeOf(questions, truth, thresholds, false),
    byTheLetter: knowledgeOf(questions, truth, thresholds, true),
  };
}

/** About two thirds of the owners are verified; the facts are about their records alone. */
function verifiedCaseOf(seed: number, size: number, thresholds: Thresholds): Case {
  const random = randomFrom(seed + 1_000 * size + 7);
  const records = population(random, size, thresholds.minProducers + 1 + Math.floor(random() * 4));
  const verified = Array.from({ length: size }, () => random() < 0.67);
  const truth = countingOnly(ownersOf(records), (owner) => verified[owner] === true);
  const questions = questionsOf(records, thresholds);
  const whole = questions.filter((question) => question.whole === question.result);
  const known = (of: typeof questions, byTheLetter: boolean) =>
    amongCounted(knowledgeOf(of, truth, thresholds, byTheLetter), truth);
  return {
    seed,
    truth: truth.filter((owner) => owner < UNCOUNTED),
    whole: known(whole, true),
    all: known(questions, false),
    byTheLetter: known(questions, true),
  };
}

function linked({ truth }: Case, knowledge: Knowledge): readonly string[] {
  return linkedPairs(truth, knowledge);
}
