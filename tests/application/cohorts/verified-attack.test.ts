import { describe, expect, test } from '@jest/globals';
import type { Thresholds } from '../../../domain/cohorts/suppression.ts';
import { attack, countedPartitionsOf, informed } from './attack/attacker.ts';
import { countingOnly, ownersOf, type Partition, population, randomFrom } from './attack/population.ts';
import { questionsOf } from './attack/questions.ts';
import { LEAKY, ours, type Suppressor } from './attack/suppressors.ts';

// Where only verified owners count (WISDOM_OWNER_PROOF), thresholds are of a part of the owners, and the sizes of
// cohorts are of the records of all of them.

const SCALED = [
  { minProducers: 2, minSamples: 4, size: 7, populations: 12 },
  { minProducers: 3, minSamples: 6, size: 7, populations: 12 },
  { minProducers: 3, minSamples: 6, size: 8, populations: 1 },
];

test('each partition is tried with each choice of owners that count', () => {
  // Touchard polynomials at 2.
  expect([1, 2, 3, 7].map((size) => countedPartitionsOf(size).length)).toEqual([2, 6, 22, 14_214]);
});

describe.each(SCALED)('with $minProducers verified producers and $minSamples samples, of $size records', (scale) => {
  const cases = Array.from({ length: scale.populations }, (_, seed) => caseOf(seed, scale.size, scale));

  test('an attacker who asks everything learns no more about the owners than whole cohorts reveal', () => {
    const assignments = countedPartitionsOf(scale.size);
    expect(cases.filter((each) => gains(each, ours, assignments).length > 0).map(({ seed }) => seed)).toEqual([]);
  });

  test('nor does one who knows which records are of verified owners', () => {
    const assignments = countedPartitionsOf(scale.size);
    const won = cases.filter((each) => gains(each, ours, informed(assignments, each.truth)).length > 0);
    expect(won.map(({ seed }) => seed)).toEqual([]);
  });
});

describe('the informed attack notices a suppressor that', () => {
  const cases = Array.from({ length: 16 }, (_, seed) => caseOf(seed, 7, { minProducers: 2, minSamples: 4 }));
  const assignments = countedPartitionsOf(7);

  test.each(Object.entries(LEAKY))('%s', (_, leaky) => {
    expect(cases.some((each) => gains(each, leaky, informed(assignments, each.truth)).length > 0)).toBe(true);
  });
});

/** About two thirds of the owners are verified. */
function caseOf(seed: number, size: number, thresholds: Thresholds) {
  const random = randomFrom(seed + 1_000 * size + 7);
  const records = population(random, size, thresholds.minProducers + 1 + Math.floor(random() * 3));
  const verified = Array.from({ length: size }, () => random() < 0.67);
  const truth = countingOnly(ownersOf(records), (owner) => verified[owner] === true);
  return { seed, truth, thresholds, questions: questionsOf(records, thresholds) };
}

/** What the replies reveal beyond whole cohorts; see attack.test.ts. */
function gains(
  { truth, thresholds, questions }: ReturnType<typeof caseOf>,
  suppressor: Suppressor,
  assignments: readonly Partition[],
): string[] {
  const whole = questions.filter((question) => question.whole === question.result);
  const given = attack(whole, truth, ours, thresholds, assignments);
  const found = attack(questions, truth, suppressor, thresholds, assignments);
  return [
    ...[...found.linked].filter((pair) => !given.linked.has(pair)).map((pair) => `linked ${pair}`),
    ...[...found.counted].filter((mask) => !given.counted.has(mask)).map((mask) => `counted ${mask}`),
    ...(found.exposed > 0 ? ['exposed'] : []),
  ];
}
