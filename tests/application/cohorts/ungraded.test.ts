import { describe, expect, test } from '@jest/globals';
import { OWNER_PROOFS } from '../../../domain/cohorts/cohort-reader.ts';
import { partThresholds } from '../../../domain/cohorts/suppression.ts';
import { countingOnly, ownersOf, population, randomFrom, UNCOUNTED } from './attack/population.ts';
import { questionsOf } from './attack/questions.ts';
import { amongCounted, joined, type Knowledge, knowledgeOf, linkedPairs } from './attack/search.ts';
import {
  byTheLetterForUngraded,
  exposedBy,
  knowledgeOfUngraded,
  LEAKY_FOR_UNGRADED,
  mixedQuestions,
  oursForUngraded,
} from './attack/ungraded.ts';

// Ungraded records are not public. The attacker knows them all the same, and wants to learn whose they are. Where only
// verified owners count, about two thirds of them, he also knows which records are theirs, and looks at these alone.

const SIZES = [
  { minProducers: 3, minSamples: 6, size: 22, graded: 8, populations: 12 },
  { minProducers: 5, minSamples: 10, size: 28, graded: 11, populations: 12 },
];
const SCALES = OWNER_PROOFS.flatMap((proof) => SIZES.map((size) => ({ ...size, proof })));
type Scale = (typeof SCALES)[number];

describe.each(SCALES)('with proof $proof, $minProducers producers, $minSamples samples, $size records', (scale) => {
  const cases = casesOf(scale);

  test('ungraded counts link no two records that graded counts of whole cohorts do not', () => {
    const won = cases.filter((each) => gains(each, joined(each.graded, each.ungraded)) > 0);
    expect(won.map(({ seed }) => seed)).toEqual([]);
  });

  test('ungraded counts of too few are never shown', () => {
    for (const { questions, truth } of cases) expect(exposedBy(oursForUngraded, questions, truth, scale)).toBe(0);
  });

  test('some ungraded counts are shown, and some are withheld because of their owners', () => {
    expect(cases.some(({ ungraded }) => ungraded.enough.length > 0)).toBe(true);
    expect(cases.some(({ ungraded }) => ungraded.few.length > 0)).toBe(true);
  });

  test.each(Object.entries(LEAKY_FOR_UNGRADED))('the attack notices a rule that %s', (_, leaky) => {
    expect(cases.some(({ questions, truth }) => exposedBy(leaky, questions, truth, scale) > 0)).toBe(true);
  });
});

test('the attack notices ungraded counts by the simple thresholds in every time window', () => {
  const [scale] = SCALES;
  if (!scale) throw new Error('There is a first scale');
  const cases = casesOf(scale);
  expect(cases.some((each) => gains(each, joined(each.graded, each.byTheLetter)) > 0)).toBe(true);
});

function casesOf(scale: Scale) {
  return Array.from({ length: scale.populations }, (_, seed) => caseOf(seed, scale));
}

function caseOf(seed: number, { size, graded: first, proof, ...thresholds }: Scale) {
  const random = randomFrom(seed + 1_000 * size);
  const owners = thresholds.minProducers + (proof === 'verified' ? 4 : 0) + Math.floor(random() * 3);
  const records = population(random, size, owners);
  const verified = Array.from({ length: size }, () => proof === 'none' || random() < 0.67);
  const truth = countingOnly(ownersOf(records), (owner) => verified[owner] === true);
  const ofGraded = questionsOf(records.slice(0, first), thresholds);
  const whole = ofGraded.filter((question) => question.whole === question.result);
  const [questions, windowed] = [mixedQuestions(records, first, false), mixedQuestions(records, first, true)];
  const ours = { rule: oursForUngraded, least: partThresholds(thresholds) };
  const byTheLetter = { rule: byTheLetterForUngraded, least: thresholds };
  return {
    seed,
    truth,
    questions,
    counted: truth.filter((owner) => owner < UNCOUNTED),
    whole: amongCounted(knowledgeOf(whole, truth, thresholds, true), truth),
    graded: amongCounted(knowledgeOf(ofGraded, truth, thresholds, false), truth),
    ungraded: amongCounted(knowledgeOfUngraded(questions, truth, thresholds, ours), truth),
    byTheLetter: amongCounted(knowledgeOfUngraded(windowed, truth, thresholds, byTheLetter), truth),
  };
}

/** How many pairs of records of one owner the attacker links who knows this, beyond what graded whole cohorts reveal. */
function gains({ counted, whole }: ReturnType<typeof caseOf>, knowledge: Knowledge): number {
  const given = linkedPairs(counted, whole);
  return linkedPairs(counted, knowledge).filter((pair) => !given.includes(pair)).length;
}
