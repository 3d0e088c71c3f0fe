import { describe, expect, test } from '@jest/globals';
import { datasetRows } from '../../../application/datasets/publish-dataset.ts';
import type { Thresholds } from '../../../domain/cohorts/suppression.ts';
import {
  type CoarseOutcome,
  type DatasetRow,
  type DatasetSource,
  isPublished,
} from '../../../domain/datasets/dataset-row.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { utcDate } from '../../../domain/time.ts';
import { isCounted } from '../../contracts/cohorts/outcome-parts.ts';
import { attack } from '../cohorts/attack/attacker.ts';
import {
  type Mask,
  ownersOf,
  type Partition,
  population,
  producersOf,
  randomFrom,
  sizeOf,
} from '../cohorts/attack/population.ts';
import { type Question, questionsOf } from '../cohorts/attack/questions.ts';
import { byTheLetter, SHOWN, type Suppressor, served } from '../cohorts/attack/suppressors.ts';

// The attacker of cohorts asks at two moments, between which decisions are graded and one may be quarantined, everything
// that wisdom, public cohorts and the atlas answer. Two datasets, one of each moment, tell him nothing more.

const SCALED = [
  { minProducers: 2, minSamples: 4, size: 7, populations: 10 },
  { minProducers: 2, minSamples: 3, size: 8, populations: 2 },
  { minProducers: 3, minSamples: 5, size: 8, populations: 4 },
];

describe.each(SCALED)('against $minProducers producers and $minSamples samples, with $size records', (scale) => {
  const cases = Array.from({ length: scale.populations }, (_, seed) => caseOf(seed, scale.size, scale));

  test('two datasets tell nothing that the replies of the same moments do not', () => {
    expect(cases.filter((each) => gains(each, published).length > 0).map(({ seed }) => seed)).toEqual([]);
  });

  test('what the attacker reads is what a dataset has', async () => {
    let shown = 0;
    for (const { moments, truth, thresholds } of cases)
      for (const { groups, records } of moments)
        for (const { mask, include_retroactive, text } of groups) {
          const rows = await rowsOf(records, truth, thresholds, include_retroactive);
          const mine = rows.filter((row) => textOf(row) === text);
          const isShown = published(questionOf(mask), truth, thresholds) === SHOWN;
          expect(mine).toHaveLength(isShown ? sizeOf(mask) : 0);
          shown += mine.length;
        }
    expect(shown).toBeGreaterThan(0);
  });
});

/** Faulty datasets, each in its own way: the attack must notice them. */
const LEAKY: Readonly<Record<string, Suppressor>> = {
  'lets the rows of a withheld cohort through': ({ result }, _, { minSamples }) =>
    sizeOf(result) >= minSamples ? SHOWN : 'too_few_samples',
  'lists the rows of an owner side by side': (question, partition, thresholds) => {
    const reply = published(question, partition, thresholds);
    if (reply !== SHOWN) return reply;
    const owners = partition.map((owner, row) =>
      (question.result & (1 << row)) === 0 ? '' : partition.indexOf(owner),
    );
    return `${reply} ${owners.join()}`;
  },
  'counts the owners of a cohort': (question, partition, thresholds) => {
    const reply = published(question, partition, thresholds);
    return reply === SHOWN ? `${reply} of ${producersOf(partition, question.result)}` : reply;
  },
};

describe('the attack notices a dataset that', () => {
  const cases = Array.from({ length: 16 }, (_, seed) => caseOf(seed, 7, { minProducers: 2, minSamples: 3 }));

  test.each(Object.entries(LEAKY))('%s', (_, leaky) => {
    expect(cases.some((each) => gains(each, leaky).length > 0)).toBe(true);
  });

  test('has the months or days of a cohort that have enough owners', () => {
    const byDays = cases.map((each) => ({ ...each, datasets: each.moments.flatMap(({ days }) => days) }));
    expect(byDays.some((each) => gains(each, byTheLetter).length > 0)).toBe(true);
  });

  test('has what is new in a cohort since the one before, where that has enough owners', () => {
    const news = cases.map((each) => {
      const [before, after] = each.moments;
      const old = before?.all ?? 0;
      const masks = (after?.groups ?? []).map(({ mask }) => mask & ~old).filter((mask) => mask !== 0);
      return { ...each, datasets: masks.map(questionOf) };
    });
    const byOwners: Suppressor = ({ result }, partition, { minProducers }) =>
      producersOf(partition, result) >= minProducers ? SHOWN : 'too_few_producers';
    expect(news.some((each) => gains(each, byOwners).length > 0)).toBe(true);
  });
});

/** The reply of a dataset about one of its cohorts, by the rule that it is made by. */
function published({ result }: Question, partition: Partition, thresholds: Thresholds): string {
  const enoughProducers = producersOf(partition, result) >= thresholds.minProducers;
  return isPublished({ samples: sizeOf(result), enoughProducers }, thresholds) ? SHOWN : 'too_few_producers';
}

interface Group {
  readonly text: string;
  readonly include_retroactive: boolean;
  readonly mask: Mask;
}

/** What there is to ask at a moment; masks are of all records of the case. */
interface Moment {
  readonly records: readonly (readonly [place: number, record: Decision])[];
  readonly all: Mask;
  readonly wisdom: readonly Question[];
  readonly atlas: readonly Question[];
  readonly groups: readonly Group[];
  readonly days: readonly Question[];
}

interface Case {
  readonly seed: number;
  readonly truth: Partition;
  readonly thresholds: Thresholds;
  readonly moments: readonly Moment[];
  /** The cohorts that datasets have or leave out. */
  readonly datasets: readonly Question[];
}

function caseOf(seed: number, size: number, { minProducers, minSamples }: Thresholds): Case {
  const random = randomFrom(seed + 1_000 * size + 3);
  const thresholds = { minProducers, minSamples };
  const records = population(random, size, minProducers + Math.floor(random() * 3));
  const graded = records.map(({ evaluated_at }) => Number(evaluated_at)).toSorted((a, b) => a - b);
  const first = graded[Math.floor(size * 0.7)] ?? 0;
  const gone = random() < 0.4 ? Math.floor(random() * size) : -1;
  const placed = records.map((record, place) => [place, record] as const);
  const moments = [
    placed.filter(([, { evaluated_at }]) => Number(evaluated_at) <= first),
    placed.filter(([place]) => place !== gone),
  ].map((there) => momentOf(there, thresholds));
  const datasets = moments.flatMap(({ groups }) => groups.map(({ mask }) => questionOf(mask)));
  return { seed, truth: ownersOf(records), thresholds, moments, datasets };
}

function momentOf(records: Moment['records'], thresholds: Thresholds): Moment {
  const maskOf = (matches: (record: Decision) => boolean) =>
    records.reduce((mask, [place, record]) => (matches(record) ? mask | (1 << place) : mask), 0);
  const moved = (mask: Mask) => records.reduce((to, [place], i) => (mask & (1 << i) ? to | (1 << place) : to), 0);
  const asked = questionsOf(
    records.map(([, record]) => record),
    thresholds,
  );
  const inScopes = [true, false].map((scope) => (record: Decision) => isCounted(record, scope));
  const groups = [true, false].flatMap((include_retroactive) =>
    [...new Set(records.map(([, record]) => textOf(record)))].map((text) => ({
      ...{ text, include_retroactive },
      mask: maskOf((record) => textOf(record) === text && isCounted(record, include_retroactive)),
    })),
  );
  const days = [...new Set(records.map(([, { data_cutoff }]) => utcDate(data_cutoff)))];
  const ofDays = days.map((day) => maskOf((record) => utcDate(record.data_cutoff) === day));
  return {
    records,
    groups,
    all: maskOf(() => true),
    wisdom: asked.map(({ filter, whole, result, parts }) => ({
      ...{ filter, whole: moved(whole), result: moved(result), parts: parts.map(moved) },
    })),
    atlas: inScopes.flatMap((counts) => [
      questionOf(maskOf(counts)),
      ...[...new Set(records.map(([, record]) => record.perspective_type))].map((perspective) =>
        questionOf(maskOf((record) => counts(record) && record.perspective_type === perspective)),
      ),
      ...[...new Set(days.map((day) => day.slice(0, 7)))].map((month) =>
        questionOf(maskOf((record) => counts(record) && utcDate(record.data_cutoff).startsWith(month))),
      ),
    ]),
    days: groups.flatMap(({ mask }) => ofDays.map((day) => questionOf(mask & day))),
  };
}

function questionOf(mask: Mask): Question {
  return { filter: { market: 'crypto', include_retroactive: true }, whole: mask, result: mask, parts: [] };
}

/** What datasets reveal beyond what everything else does at the same two moments. */
function gains({ truth, thresholds, moments, datasets }: Case, dataset: Suppressor): string[] {
  const wisdom = new Set(moments.flatMap((moment) => moment.wisdom));
  const atlas = moments.flatMap((moment) => moment.atlas);
  const fromDatasets = new Set(datasets);
  const replies: Suppressor = (question, partition, least) => {
    if (wisdom.has(question)) return served(question, partition, least);
    return (fromDatasets.has(question) ? dataset : byTheLetter)(question, partition, least);
  };
  const given = attack([...wisdom, ...atlas], truth, replies, thresholds);
  const found = attack([...wisdom, ...atlas, ...datasets], truth, replies, thresholds);
  return [
    ...[...found.linked].filter((pair) => !given.linked.has(pair)).map((pair) => `linked ${pair}`),
    ...[...found.counted].filter((mask) => !given.counted.has(mask)).map((mask) => `counted ${mask}`),
    ...(found.exposed > given.exposed ? ['exposed'] : []),
  ];
}

/** The cohorts of a population differ in these alone. */
function textOf({ direction, horizon_value }: Pick<Decision, 'direction' | 'horizon_value'>): string {
  return `${direction} ${horizon_value}`;
}

async function rowsOf(
  records: Moment['records'],
  truth: Partition,
  { minProducers, minSamples }: Thresholds,
  include_retroactive: boolean,
): Promise<readonly DatasetRow[]> {
  const rows: DatasetRow[] = [];
  const rules = { minProducers, minSamples, ownerProof: 'none' } as const;
  for await (const page of datasetRows(sourceOf(records, truth), rules, {
    include_retroactive,
    further_horizon: false,
  }))
    rows.push(...page);
  return rows;
}

function sourceOf(records: Moment['records'], truth: Partition): DatasetSource {
  return {
    async instruments(after) {
      const keys = [...new Set(records.map(([, record]) => instrumentKey(record)))];
      return keys.filter((key) => after === null || key > after);
    },
    async cohorts(instrument, { include_retroactive, samples, producers }) {
      const there = records.filter(
        ([, record]) => instrumentKey(record) === instrument && isCounted(record, include_retroactive),
      );
      return [...Map.groupBy(there, ([, record]) => textOf(record)).values()].flatMap((group) => {
        const [first] = group;
        if (!first || group.length < samples) return [];
        const { market, symbol, venue, asset_class, quote_currency, direction, horizon_kind, horizon_value } = first[1];
        const outcome: CoarseOutcome = {
          data_cutoff_month: '2026-01',
          counted_as: 'realtime',
          result_bucket: 'weak_correct',
          move: null,
          method: 'eval/2',
          grid: null,
          further_horizon: false,
        };
        return [
          {
            cohort: { market, symbol, venue, asset_class, quote_currency, direction, horizon_kind, horizon_value },
            samples: group.length,
            enoughProducers: new Set(group.map(([place]) => truth[place])).size >= producers,
            alike: [{ outcome, records: group.length }],
          },
        ];
      });
    },
  };
}
