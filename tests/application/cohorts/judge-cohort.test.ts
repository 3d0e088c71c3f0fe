import { describe, expect, test } from '@jest/globals';
import { type CohortTables, memoryCohorts } from '../../../adapters/memory/cohorts/cohort-reader.ts';
import type { DecisionRow } from '../../../adapters/memory/decisions/decision-tables.ts';
import { Journal, Table } from '../../../adapters/memory/kit/table.ts';
import { judgeCohort, leanOf, readOverview } from '../../../application/cohorts/read-overview.ts';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import { belongsTo } from '../../../domain/cohorts/cohort-membership.ts';
import { OWNER_PROOFS } from '../../../domain/cohorts/cohort-reader.ts';
import { ownerShare, shareSize } from '../../../domain/cohorts/owner-share.ts';
import type { CohortRules } from '../../../domain/cohorts/suppression.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { countedWindow, windowCounts } from '../../../domain/decisions/own/window-counts.ts';
import { gridOf } from '../../../domain/grading/grid.ts';
import { COHORT } from '../../../domain/limits.ts';
import { DAY, rfc3339 } from '../../../domain/time.ts';
import { aDecision } from '../../builders/decision-records.ts';
import { countingOnly, ownersOf, type Partition, population, randomFrom, sizeOf } from './attack/population.ts';
import { questionsOf } from './attack/questions.ts';
import { ours, SHOWN } from './attack/suppressors.ts';
import { mixedQuestions, oursForUngraded } from './attack/ungraded.ts';

const THRESHOLDS: CohortRules = { minProducers: 5, minSamples: 10, ownerProof: 'none' };

/** The service's verdict on a cohort, over the memory adapter's reader. */
async function judged(records: readonly Decision[], filter: CohortFilter, thresholds = THRESHOLDS): Promise<string> {
  return (await judgeCohort(memoryCohorts(tablesOf(records)), filter, thresholds)).reason ?? SHOWN;
}

/** Owners of an even number are verified. */
function tablesOf(records: readonly Decision[]): CohortTables {
  const journal = new Journal();
  const decisions = new Table<string, DecisionRow>(journal);
  const identities: CohortTables['identities'] = new Table(journal);
  for (const record of records) {
    const { owner_id } = record;
    decisions.set(record.record_id, rowOf(record));
    if (isVerified(owner_id)) identities.set(owner_id, { issuer: 'a provider', subject: owner_id, owner_id });
  }
  return { decisions, identities, owners: new Table(journal), listings: new Table(journal) };
}

function isVerified(owner_id: string): boolean {
  return Number(owner_id.at(-1)) % 2 === 0;
}

function rowOf({ workflow_public: _, ...record }: Decision): DecisionRow {
  const { record_id, lifecycle_state, submission_origin, cohort_key, workflow_hash, commitment } = record;
  const receipt = {
    ...{ record_id, lifecycle_state, submission_origin, cohort_key, workflow_hash, commitment },
    submission_time: rfc3339(record.submission_time),
    anchor_time: rfc3339(record.anchor_time),
    end_time: rfc3339(record.end_time),
    settles_at: rfc3339(record.settles_at),
    warnings: [],
  };
  return { ...record, receipt, grid: record.facts && gridOf(record.facts), eval_token: null };
}

/** Records of one kind, by `owners` owners in turn, each a day after the one before. */
function days(count: number, owners: number, first: string, changes: Partial<Decision> = {}): readonly Decision[] {
  return Array.from({ length: count }, (_, i) =>
    aDecision({
      record_id: `dec_${first.replaceAll('-', '')}_${i.toString(16).padStart(8, '0')}`,
      owner_id: `owner ${i % owners}`,
      data_cutoff: new Date(Date.parse(first) + i * DAY),
      ...changes,
    }),
  );
}

const ALL: CohortFilter = { market: 'crypto', include_retroactive: true };
const since = (date: string): CohortFilter => ({ ...ALL, data_cutoff_since: new Date(date) });

describe('a whole cohort', () => {
  test.each([
    [10, 5, SHOWN],
    [10, 4, 'too_few_producers'],
    [9, 5, 'too_few_samples'],
    [9, 4, 'too_few_samples'],
  ])('of %i records by %i producers is %s', async (count, owners, verdict) => {
    expect(await judged(days(count, owners, '2026-01-01'), ALL)).toBe(verdict);
  });

  test('counts as whole when bounds leave nothing out', async () => {
    const records = days(10, 5, '2026-01-01');
    expect(await judged(records, { ...since('2026-01-01'), result_bucket: 'strong_correct' })).toBe(SHOWN);
  });
});

describe('a whole cohort where only verified owners count', () => {
  test.each([
    [20, 10, SHOWN],
    [20, 9, SHOWN],
    [20, 8, 'too_few_producers'],
    [9, 9, 'too_few_samples'],
  ])('of %i records by %i producers, the even ones verified, is %s', async (count, owners, verdict) => {
    const rules = { ...THRESHOLDS, ownerProof: 'verified' } as const;
    expect(await judged(days(count, owners, '2026-01-01'), ALL, rules)).toBe(verdict);
  });
});

describe('the part of a cohort within bounds', () => {
  const records = [...days(12, 6, '2026-01-10'), ...days(12, 6, '2026-03-10')];

  test('is shown when it contains a whole month that is enough, and leaves enough out', async () => {
    expect(await judged(records, since('2026-03-10'))).toBe(SHOWN);
    expect(await judged(records, since('2026-02-01'))).toBe(SHOWN);
  });

  test('is withheld when it cuts each of its periods, however many producers it has', async () => {
    expect(await judged(records, since('2026-03-11'))).toBe('narrowed_too_far');
    expect(await judged(records, since('2026-01-11'))).toBe(SHOWN);
    expect(await judged(records, { ...since('2026-01-11'), data_cutoff_until: new Date('2026-03-20') })).toBe(
      'narrowed_too_far',
    );
  });

  test('is withheld when it leaves out only some records', async () => {
    const few = [...days(9, 5, '2026-01-10'), ...days(12, 6, '2026-03-10')];
    expect(await judged(few, since('2026-03-01'))).toBe('narrowed_too_far');
    expect(await judged([...few, ...days(1, 1, '2026-01-01')], since('2026-03-01'))).toBe(SHOWN);
  });

  test('does not reveal whether its producers are too few or its bounds too narrow', async () => {
    const byFour = [...days(12, 6, '2026-01-10'), ...days(12, 4, '2026-03-10')];
    expect(await judged(byFour, since('2026-03-01'))).toBe('narrowed_too_far');
    expect(await judged(byFour, since('2026-03-11'))).toBe('narrowed_too_far');
  });

  test('as of a time contains exactly what was graded by then', async () => {
    const [as_of, later] = [new Date('2026-03-20'), new Date('2026-04-20')];
    const graded = (each: readonly Decision[], at: Date) => each.map((record) => ({ ...record, evaluated_at: at }));
    const [january, march] = [graded(records.slice(0, 12), as_of), graded(records.slice(12), later)];
    expect(await judged([...january, ...march], { ...ALL, as_of })).toBe(SHOWN);
    const [straggler, ...rest] = january;
    const late = straggler ? graded([straggler], later) : [];
    expect(await judged([...late, ...rest, ...march], { ...ALL, as_of })).toBe('narrowed_too_far');
  });

  test('of one bucket is shown when the others are as many', async () => {
    const weak = days(12, 6, '2026-05-01', { result_bucket: 'weak_correct' });
    const filter = { ...ALL, result_bucket: 'weak_correct' } as const;
    expect(await judged([...weak, ...records], filter)).toBe(SHOWN);
    expect(await judged([...weak, ...records.slice(0, 9)], filter)).toBe('narrowed_too_far');
  });

  test('is shown by the plain thresholds when one producer is enough', async () => {
    expect(await judged(records, since('2026-03-21'), { minProducers: 1, minSamples: 1, ownerProof: 'none' })).toBe(
      SHOWN,
    );
  });
});

test('the model of the attacks agrees with the service', async () => {
  let narrowedAndShown = 0;
  for (const [seed, thresholds] of MODELS.entries()) {
    const random = randomFrom(seed);
    const records = population(random, 24, thresholds.minProducers + 6);
    const questions = questionsOf(records, thresholds);
    for (let n = 0; n < 60; n++) {
      const question = questions[Math.floor(random() * questions.length)];
      if (!question) continue;
      const verdict = ours(question, countedOwnersOf(records, thresholds), thresholds);
      const { filter } = question;
      expect([filter, await judged(records, filter, thresholds)]).toEqual([filter, verdict]);
      const settings = { wisdom: thresholds, sessionSecret: 'a secret' };
      const { overview } = await readOverview(memoryCohorts(tablesOf(records)), filter, settings);
      const result = records.filter((_, i) => question.result & (1 << i));
      const windows = verdict === SHOWN ? windowCounts(result.map(countedWindow)) : null;
      expect([filter, overview.windows]).toEqual([filter, windows]);
      expect([filter, overview.windows === null]).toEqual([filter, overview.result_distribution === null]);
      if (verdict === SHOWN && question.result !== question.whole) narrowedAndShown++;
    }
  }
  expect(narrowedAndShown).toBeGreaterThan(20);
});

test('the share of a whole cohort is that of the first of its graded records, whether or not their owners are verified', async () => {
  const shares: unknown[] = [];
  for (const [seed, wisdom] of MODELS.entries()) {
    const records = population(randomFrom(seed), 24, wisdom.minProducers + 2);
    for (const filter of [ALL, { ...ALL, include_retroactive: false }, { ...ALL, direction: 'bullish' } as const]) {
      const settings = { wisdom, sessionSecret: 'a secret' };
      const { overview, reason } = await readOverview(memoryCohorts(tablesOf(records)), filter, settings);
      const members = records.filter((record) => belongsTo(filter, rowOf(record)));
      const share = reason === null ? naiveShare(members, filter, wisdom) : null;
      expect([filter, wisdom, overview.largest_owner_share]).toEqual([filter, wisdom, share]);
      shares.push(share);
    }
  }
  expect(['more', 'up_to_a_third', null].every((share) => shares.includes(share))).toBe(true);
});

function naiveShare(members: readonly Decision[], filter: CohortFilter, { minProducers, minSamples }: CohortRules) {
  const size = shareSize(filter, members.length, minSamples);
  if (size === null) return null;
  const sample = members
    .toSorted((a, b) => Number(a.evaluated_at) - Number(b.evaluated_at) || (a.record_id < b.record_id ? -1 : 1))
    .slice(0, size);
  const counts = sample.map(({ owner_id }) => sample.filter((other) => other.owner_id === owner_id).length);
  const ids = sample.map(({ record_id }) => record_id);
  return ownerShare(Math.max(...counts), size, minProducers === 1 ? 0 : leanOf(ids.join(' '), 'a secret'));
}

test('the model of the attacks on ungraded counts agrees with the service', async () => {
  const seen = new Set<boolean>();
  for (const [seed, thresholds] of MODELS.entries()) {
    const random = randomFrom(seed);
    const all = population(random, 26, thresholds.minProducers + 6);
    const records = all.map((record, i) =>
      i < 9 ? record : { ...record, lifecycle_state: 'rejected' as const, facts: null },
    );
    const owners = countedOwnersOf(records, thresholds);
    for (const question of mixedQuestions(records, 9, false)) {
      const filter: CohortFilter = { market: 'crypto', include_retroactive: true, ...question.filter };
      const { overview } = await readOverview(memoryCohorts(tablesOf(records)), filter, {
        wisdom: thresholds,
        sessionSecret: 'a secret',
      });
      const isShown = oursForUngraded(question, owners, thresholds);
      const ungraded = isShown ? { rejected: sizeOf(question.ungraded), data_unavailable: [], suspected: 0 } : null;
      expect([filter, overview.ungraded]).toEqual([filter, ungraded]);
      seen.add(isShown);
    }
  }
  expect(seen).toEqual(new Set([true, false]));
});

function countedOwnersOf(records: readonly Decision[], { ownerProof }: CohortRules): Partition {
  const names = [...new Set(records.map(({ owner_id }) => owner_id))];
  return countingOnly(ownersOf(records), (owner) => ownerProof === 'none' || isVerified(names[owner] ?? ''));
}

const MODELS = OWNER_PROOFS.flatMap((ownerProof) =>
  [1, 2, 3].flatMap((minProducers) =>
    Array.from({ length: 6 }, () => ({ minProducers, minSamples: 2 * minProducers, ownerProof })),
  ),
);

test('of a withheld cohort nothing more is read, nor windows and largest owner of more records than are counted', async () => {
  const reads: string[] = [];
  const samples = THRESHOLDS.minSamples;
  const one = { retroactive: 0, buckets: NO_BUCKETS, earliest: null, latest: null };
  const readerOf = (count: number, enoughProducers: boolean): Parameters<typeof readOverview>[0] => {
    const result = { ...one, samples: count, had_said: null, perspectives: [], enoughProducers };
    return {
      summarise: async () => ({ result, lastGraded: null, whole: result, moment: 'now' }),
      windows: async () => {
        reads.push(`windows of ${count}, ${enoughProducers}`);
        return windowCounts([]);
      },
      largestOwner: async (_, moment, size) => {
        reads.push(`largest of ${count}, ${enoughProducers}, ${moment}, ${size}`);
        return null;
      },
      ungraded: async (_, producers, ownerProof) => {
        reads.push(`ungraded of ${count}, ${enoughProducers}, for ${producers} ${ownerProof}`);
        return null;
      },
    };
  };
  for (const count of [samples - 1, samples, 3 * samples, COHORT.mostWindows, COHORT.mostWindows + 1]) {
    for (const enough of [true, false]) {
      const settings = { wisdom: THRESHOLDS, sessionSecret: 'a secret' };
      const { overview } = await readOverview(readerOf(count, enough), ALL, settings);
      expect(overview.largest_owner_share).toBeNull();
    }
  }
  const most = COHORT.mostWindows;
  expect(reads.toSorted()).toEqual(
    [
      ...[samples, 3 * samples, most].map((count) => `windows of ${count}, true`),
      ...[`largest of ${3 * samples}, true, now, 30`, `largest of ${most}, true, now, 9390`],
      ...[samples, 3 * samples, most, most + 1].map((count) => `ungraded of ${count}, true, for 5 none`),
    ].toSorted(),
  );
});

const NO_BUCKETS = { strong_correct: 0, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 0 };

test('no question is asked twice', async () => {
  const records = days(60, 7, '2026-01-01');
  const cohorts = memoryCohorts(tablesOf(records));
  for (const filter of [since('2026-01-05'), { ...since('2025-01-01'), data_cutoff_until: new Date('2026-02-20') }]) {
    const questions: string[] = [];
    const summarise: typeof cohorts.summarise = (of, producers) => {
      questions.push(JSON.stringify([of, producers]));
      return cohorts.summarise(of, producers);
    };
    expect((await judgeCohort({ summarise }, filter, THRESHOLDS)).reason ?? SHOWN).toBe(SHOWN);
    expect(questions.length).toBeGreaterThan(2);
    expect(new Set(questions).size).toBe(questions.length);
  }
});
