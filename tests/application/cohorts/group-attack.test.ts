import { describe, expect, test } from '@jest/globals';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import type { Thresholds } from '../../../domain/cohorts/suppression.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { attack, partitionsOf } from './attack/attacker.ts';
import { ownersOf, population, type Random, randomFrom } from './attack/population.ts';
import { questionsOf } from './attack/questions.ts';
import { served } from './attack/suppressors.ts';

// Decisions of a group are recognisable: by data_cutoff, factors and minute. So the attacker knows all groups, and rules
// out every assignment in which two decisions of one have different owners. Nothing else may follow from cohorts than
// what follows from whole ones.

const SCALED = [
  { minProducers: 2, minSamples: 4, size: 8, populations: 24 },
  { minProducers: 3, minSamples: 6, size: 9, populations: 4 },
];

describe.each(SCALED)('against $minProducers producers and $minSamples samples, with $size records', (scale) => {
  const cases = Array.from({ length: scale.populations }, (_, seed) =>
    groupedPopulation(randomFrom(seed + 7_000), scale),
  );

  test('an attacker who knows all groups links nothing that whole cohorts do not link', () => {
    const won = cases.filter((records) => gains(records, scale).length > 0);
    expect(won).toEqual([]);
  });

  test('each population has groups', () => {
    for (const records of cases) expect(records.some(({ group_place }) => group_place === 2)).toBe(true);
  });
});

test('the attack notices cohorts that count all horizons of a group', () => {
  const scale = { minProducers: 2, minSamples: 4, size: 8 };
  const cases = Array.from({ length: 40 }, (_, seed) => groupedPopulation(randomFrom(seed + 7_000), scale));
  expect(cases.filter((records) => gains(records, scale, () => true).length > 0).length).toBeGreaterThan(0);
});

/** Random records, of which some have a further horizon: the same decision, graded by itself. */
function groupedPopulation(
  random: Random,
  { size, minProducers }: Pick<Thresholds, 'minProducers'> & { readonly size: number },
): readonly Decision[] {
  const groups = 1 + Math.floor(random() * 3);
  const alone = population(random, size - groups, minProducers + Math.floor(random() * 3));
  const further = alone.slice(0, groups).map((lead, n): Decision => {
    const evaluated_at = new Date(
      (lead.evaluated_at ?? lead.data_cutoff).getTime() + Math.floor(random() * 86_400_000),
    );
    const horizon_value = lead.horizon_value === 3_600 ? 7_200 : 3_600;
    return { ...lead, record_id: `dec_20260301_f000000${n}`, horizon_value, evaluated_at, ...grouped(n, 2) };
  });
  const leads = alone.map((record, n) => (n < groups ? { ...record, ...grouped(n, 1) } : record));
  return [...leads, ...further].toSorted((a, b) => Number(a.data_cutoff) - Number(b.data_cutoff));
}

function grouped(n: number, group_place: number) {
  return { group_id: `group ${n}`, group_place, group_of: 2 };
}

/** The pairs that follow from all replies, and not from those about whole cohorts, for one who knows the groups. */
function gains(
  records: readonly Decision[],
  thresholds: Thresholds,
  countsFurther?: (filter: CohortFilter) => boolean,
): readonly string[] {
  const truth = ownersOf(records);
  const groups = records.map(({ group_id }) => group_id);
  const known = partitionsOf(records.length).filter((partition) =>
    groups.every((group, row) => group === null || partition[row] === partition[groups.indexOf(group)]),
  );
  const questions = questionsOf(records, thresholds, countsFurther);
  // What whole cohorts reveal where none has two decisions of a group: nothing more may follow.
  const whole = questionsOf(records, thresholds).filter((question) => question.whole === question.result);
  const given = attack(whole, truth, served, thresholds, known);
  const found = attack(questions, truth, served, thresholds, known);
  return [...found.linked].filter((pair) => !given.linked.has(pair));
}
