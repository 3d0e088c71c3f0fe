import { beforeAll, expect, test } from '@jest/globals';
import { judgeCohort } from '../../../application/cohorts/read-overview.ts';
import { datasetRows } from '../../../application/datasets/publish-dataset.ts';
import type { CohortRules } from '../../../domain/cohorts/suppression.ts';
import {
  type DatasetFile,
  type DatasetRow,
  type DatasetSource,
  filterOf,
} from '../../../domain/datasets/dataset-row.ts';
import { type Decision, isFurtherHorizon } from '../../../domain/decisions/decision.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { utcMonth } from '../../../domain/time.ts';
import { aVerifiedAgent } from '../../builders/decisions.ts';
import { race } from '../adapters.ts';
import { membersOf } from '../cohorts/naive.ts';
import { universe } from '../cohorts/universe.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';

const RULES: readonly CohortRules[] = [
  { minProducers: 1, minSamples: 1, ownerProof: 'none' },
  { minProducers: 2, minSamples: 2, ownerProof: 'none' },
  { minProducers: 3, minSamples: 4, ownerProof: 'none' },
  { minProducers: 2, minSamples: 2, ownerProof: 'verified' },
];
const FILE: DatasetFile = { name: 'decisions.jsonl', bytes: 4, sha256: '0f'.repeat(32) };

/** A dataset has exactly what queries for whole cohorts show, is made once, as a whole or not at all, and stays. */
export const publishingContract: DecisionContract = {
  name: 'publishing datasets',
  promises(bench) {
    let records: readonly Decision[];
    beforeAll(async () => {
      const verified = await Promise.all(Array.from({ length: 4 }, () => aVerifiedAgent(bench.storage())));
      const others = await Promise.all(Array.from({ length: 4 }, () => bench.agent()));
      records = await universe(bench, 240, 7, [...verified, ...others]);
    });
    const store = () => bench.storage().datasets;

    test.each(RULES)('the rows are those of the cohorts that a query shows, by %j', async (rules) => {
      const seen = { shown: 0, withheld: 0 };
      for (const include_retroactive of [true, false]) {
        const rows = await rowsBy(bench, 2010 + RULES.indexOf(rules), rules, include_retroactive);
        const known = new Map(records.map((record) => [cohortText(record), record]));
        const byCohort = Map.groupBy(rows, cohortText);
        const published = { leading: [] as Decision[], further: [] as Decision[] };
        for (const [text, record] of known) {
          const judged = await judgeCohort(bench.storage().cohorts, filterOf(record, include_retroactive), rules);
          const mine = byCohort.get(text) ?? [];
          const { result } = judged.summary;
          expect([text, mine.length]).toEqual([text, judged.reason === null ? result.samples : 0]);
          seen[judged.reason === null ? 'shown' : 'withheld'] += 1;
          if (judged.reason !== null) continue;
          for (const [bucket, count] of Object.entries(result.buckets))
            expect(mine.filter(({ result_bucket }) => result_bucket === bucket)).toHaveLength(count);
          expect(mine.filter(({ counted_as }) => counted_as === 'retroactive')).toHaveLength(result.retroactive);
          for (const [file, further] of FILES_OF_HORIZONS) {
            const members = membersOf(records, filterOf(record, include_retroactive));
            const own = members.filter((each) => isFurtherHorizon(each) === further);
            expect(
              mine
                .filter((row) => row.further_horizon === further)
                .map(rowText)
                .toSorted(),
            ).toEqual(
              own.map((each) => rowText({ ...each, data_cutoff_month: utcMonth(each.data_cutoff) })).toSorted(),
            );
            published[file].push(...own);
          }
        }
        // Places 2 and 3 of a group are both in the file of further horizons.
        expect(mostOfOneGroup(published.leading)).toBe(1);
        expect(mostOfOneGroup(published.further)).toBe(2);
        expect([...byCohort.keys()].filter((text) => !known.has(text))).toEqual([]);
      }
      expect(seen.shown).toBeGreaterThan(5);
      if (rules.minSamples > 1) expect(seen.withheld).toBeGreaterThan(5);
    });

    test('instruments are listed in pages, each once', async () => {
      const listed = await inSource(bench, '2021-01', async (source) => {
        const all: string[] = [];
        for (let after: string | null = null; ; ) {
          const page: readonly string[] = await source.instruments(after, 2);
          expect(page.length).toBeLessThanOrEqual(2);
          all.push(...page);
          if (page.length === 0) return all;
          after = page.at(-1) ?? null;
        }
      });
      expect(new Set(listed)).toEqual(new Set(records.map(instrumentKey)));
      expect(new Set(listed).size).toBe(listed.length);
    });

    test('files are kept in parts, and stay', async () => {
      const written = await store().make('2022-01', async (_, write) => {
        await write(FILE.name, Buffer.from('ab'));
        await write('other', Buffer.from('x'));
        await write(FILE.name, Buffer.from('cd'));
        return [FILE, { ...FILE, name: 'other', bytes: 1 }];
      });
      expect(written).toBe(true);
      const made_at = await bench.now();
      const files = [FILE, { ...FILE, name: 'other', bytes: 1 }];
      expect(await store().find('2022-01')).toEqual({ month: '2022-01', made_at, files, leaf: null });
      const parts = await Promise.all([0, 1, 2].map((n) => store().part('2022-01', FILE.name, n)));
      expect(parts.map((part) => part && Buffer.from(part).toString())).toEqual(['ab', 'cd', null]);
      expect(await store().part('2022-01', 'another', 0)).toBeNull();
      let again = 0;
      const remade = await store().make('2022-01', async () => {
        again += 1;
        return [];
      });
      expect([remade, again]).toEqual([false, 0]);
    });

    test('one that fails leaves nothing, and the next one is made', async () => {
      const failing = store().make('2022-02', async (_, write) => {
        await write(FILE.name, Buffer.from('half'));
        throw new Error('the disk is full');
      });
      await expect(failing).rejects.toThrow('the disk is full');
      expect(await store().find('2022-02')).toBeNull();
      expect(await store().part('2022-02', FILE.name, 0)).toBeNull();
      expect(await store().make('2022-02', async () => [FILE])).toBe(true);
    });

    test('of several processes that make one at once, one does', async () => {
      let made = 0;
      const results = await race(6, () =>
        store().make('2022-03', async (_, write) => {
          made += 1;
          await write(FILE.name, Buffer.from('once'));
          return [FILE];
        }),
      );
      expect([results.filter(Boolean).length, made]).toEqual([1, 1]);
      expect(Buffer.from((await store().part('2022-03', FILE.name, 0)) ?? []).toString()).toBe('once');
    });

    test('they are listed with the newest first', async () => {
      const months = (await store().list()).map(({ month }) => month);
      expect(months).toEqual(months.toSorted().toReversed());
      expect(months.slice(0, 3)).toEqual(['2022-03', '2022-02', '2022-01']);
    });
  },
};

/** What a source says, inside of a dataset that is kept under a month of its own. */
async function inSource<T>(bench: Bench, month: string, read: (source: DatasetSource) => Promise<T>): Promise<T> {
  let answer: { readonly value: T } | null = null;
  await bench.storage().datasets.make(month, async (source) => {
    answer = { value: await read(source) };
    return [];
  });
  if (answer === null) throw new Error(`There is a dataset of ${month} already.`);
  return (answer as { readonly value: T }).value;
}

function rowsBy(bench: Bench, year: number, rules: CohortRules, include_retroactive: boolean) {
  return inSource(bench, `${year}-0${include_retroactive ? 1 : 2}`, async (source) => {
    const rows: DatasetRow[] = [];
    for (const further_horizon of [false, true]) {
      const file: DatasetRow[] = [];
      for await (const page of datasetRows(source, rules, { include_retroactive, further_horizon })) file.push(...page);
      expect(file.every((row) => row.further_horizon === further_horizon)).toBe(true);
      rows.push(...file);
    }
    return rows;
  });
}

const FILES_OF_HORIZONS = [
  ['leading', false],
  ['further', true],
] as const;

function rowText(row: Pick<DatasetRow, 'data_cutoff_month' | 'method'> & Pick<Decision, 'result_bucket'>) {
  return [row.data_cutoff_month, row.result_bucket, row.method].join(' ');
}

function mostOfOneGroup(records: readonly Decision[]): number {
  const grouped = records.filter(({ group_id }) => group_id !== null);
  const groups = [...Map.groupBy(grouped, ({ group_id }) => group_id).values()];
  return Math.max(...groups.map(({ length }) => length));
}

function cohortText({ direction, horizon_kind, horizon_value, ...record }: Parameters<typeof filterOf>[0]): string {
  return [instrumentKey(record), direction, horizon_kind, horizon_value].join(' ');
}
