import { describe, expect, test } from '@jest/globals';
import type { Thresholds } from '../../../domain/cohorts/suppression.ts';
import { attack, type Findings, partitionsOf } from './attack/attacker.ts';
import { ownersOf, population, randomFrom } from './attack/population.ts';
import { questionsOf } from './attack/questions.ts';
import { LEAKY, type Suppressor, served } from './attack/suppressors.ts';

const SCALED = [
  { minProducers: 2, minSamples: 4, size: 7, populations: 10 },
  { minProducers: 2, minSamples: 4, size: 8, populations: 1 },
  { minProducers: 3, minSamples: 6, size: 8, populations: 8 },
  { minProducers: 3, minSamples: 6, size: 9, populations: 1 },
];

test('all partitions are tried: their number is that of Bell', () => {
  expect([1, 2, 3, 7, 8, 9].map((size) => partitionsOf(size).length)).toEqual([1, 2, 5, 877, 4_140, 21_147]);
});

describe.each(SCALED)('against $minProducers producers and $minSamples samples, with $size records', (scale) => {
  const cases = Array.from({ length: scale.populations }, (_, seed) => caseOf(seed, scale.size, scale));

  test('an attacker who asks everything learns no more about the producers than whole cohorts reveal', () => {
    const won = cases.filter((each) => gains(each, served).length > 0).map(({ seed }) => seed);
    expect(won).toEqual([]);
  });
});

describe('the attack notices a suppressor that', () => {
  const cases = Array.from({ length: 10 }, (_, seed) => caseOf(seed, 7, { minProducers: 2, minSamples: 4 }));

  test.each(Object.entries(LEAKY))('%s', (_, leaky) => {
    expect(cases.some((each) => gains(each, leaky).length > 0)).toBe(true);
  });
});

function caseOf(seed: number, size: number, { minProducers, minSamples }: Thresholds) {
  const random = randomFrom(seed + 1_000 * size);
  const records = population(random, size, minProducers + Math.floor(random() * 3));
  const thresholds = { minProducers, minSamples };
  const questions = questionsOf(records, thresholds);
  return { seed, truth: ownersOf(records), thresholds, questions };
}

/**
 * What the replies reveal. The contract itself says from which number of producers on whole cohorts are shown; what
 * follows from that alone is no fault of the suppressor.
 */
function gains({ truth, thresholds, questions }: ReturnType<typeof caseOf>, suppressor: Suppressor): string[] {
  const whole = questions.filter((question) => question.whole === question.result);
  const given = attack(whole, truth, served, thresholds);
  const found: Findings = attack(questions, truth, suppressor, thresholds);
  return [
    ...[...found.linked].filter((pair) => !given.linked.has(pair)).map((pair) => `linked ${pair}`),
    ...[...found.counted].filter((mask) => !given.counted.has(mask)).map((mask) => `counted ${mask}`),
    ...(found.exposed > 0 ? ['exposed'] : []),
  ];
}
