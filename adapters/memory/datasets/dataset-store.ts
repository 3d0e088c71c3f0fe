import { sha256 } from '../../../application/sha256.ts';
import { countedAs } from '../../../domain/cohorts/counted-as.ts';
import type {
  CoarseOutcome,
  Dataset,
  DatasetCohort,
  DatasetFile,
  DatasetSource,
  DatasetStore,
  TalliedCohort,
  WantedCohorts,
} from '../../../domain/datasets/dataset-row.ts';
import { isFurtherHorizon } from '../../../domain/decisions/decision.ts';
import { moveRangeOf } from '../../../domain/decisions/own/record-counts.ts';
import { isPublic } from '../../../domain/decisions/visibility.ts';
import { identityOf, instrumentKey } from '../../../domain/market/instrument.ts';
import { utcMonth } from '../../../domain/time.ts';
import { type CohortTables, producersOf } from '../cohorts/cohort-reader.ts';
import type { DecisionRow, DecisionTables } from '../decisions/decision-tables.ts';
import type { Table } from '../kit/table.ts';
import { type LogTables, logOfLeaf } from '../log/log-tables.ts';

export interface DatasetTables {
  /** By month. */
  readonly datasets: Table<string, Omit<Dataset, 'leaf'>>;
  /** By month, file and number. */
  readonly datasetParts: Table<string, { readonly content: Uint8Array }>;
}

type Tables = DatasetTables &
  CohortTables &
  Pick<DecisionTables, 'logs'> &
  Pick<LogTables, 'logDatasets' | 'logCheckpoints'>;

export function memoryDatasets(tables: Tables, now: () => Date): DatasetStore {
  const { datasets, datasetParts, logDatasets } = tables;
  const partOf = (month: string, name: string, number: number) =>
    datasetParts.get(`${month} ${name} ${number}`)?.content ?? null;
  const withLeaf = (dataset: Omit<Dataset, 'leaf'>): Dataset => {
    const leaf = logDatasets.get(dataset.month);
    const log = leaf && logOfLeaf(tables, leaf);
    return { ...dataset, leaf: leaf && log ? { origin: log.origin, index: leaf.index } : null };
  };
  return {
    list: async () =>
      datasets
        .where(() => true)
        .toSorted((a, b) => (a.month < b.month ? 1 : -1))
        .map(withLeaf),
    async find(month) {
      const dataset = datasets.get(month);
      return dataset ? withLeaf(dataset) : null;
    },
    part: async (month, name, number) => partOf(month, name, number),
    async make(month, work) {
      if (datasets.get(month)) return false;
      const made_at = now();
      const numbers = new Map<string, number>();
      const write = async (name: string, content: Uint8Array) => {
        const number = numbers.get(name) ?? 0;
        numbers.set(name, number + 1);
        datasetParts.set(`${month} ${name} ${number}`, { content });
      };
      const written = async (name: string, number: number) => partOf(month, name, number);
      const files: readonly DatasetFile[] = await work(sourceOf(tables), write, written);
      datasets.set(month, { month, made_at, files });
      return true;
    },
  };
}

/** SHA-256, hex, of the file SHA256SUMS. */
export function sumsOf({ datasetParts }: DatasetTables, month: string): string {
  const content = datasetParts.get(`${month} SHA256SUMS 0`)?.content ?? Uint8Array.of();
  return sha256(content).toString('hex');
}

function sourceOf(tables: CohortTables): DatasetSource {
  const counted = () => tables.decisions.where((row) => isPublic(row) && countedAs(row) !== null);
  return {
    async instruments(after, limit) {
      const keys = [...new Set(counted().map(instrumentKey))].toSorted();
      return keys.filter((key) => after === null || key > after).slice(0, limit);
    },
    async cohorts(instrument, wanted) {
      const rows = counted().filter((row) => instrumentKey(row) === instrument);
      const taken = rows.filter((row) => wanted.include_retroactive || countedAs(row) === 'realtime');
      const groups = Map.groupBy(taken, (row) => JSON.stringify(cohortOf(row)));
      return [...groups.values()].flatMap((group) => tallyOf(group, tables, wanted));
    },
  };
}

function tallyOf(
  rows: readonly DecisionRow[],
  tables: CohortTables,
  { samples, producers, ownerProof }: WantedCohorts,
): readonly TalliedCohort[] {
  const [first] = rows;
  if (!first || rows.length < samples) return [];
  const alike = [...Map.groupBy(rows.map(outcomeOf), (outcome) => JSON.stringify(outcome)).values()];
  return [
    {
      cohort: cohortOf(first),
      samples: rows.length,
      enoughProducers: producersOf(rows, tables, ownerProof) >= producers,
      alike: alike.flatMap((same) => (same[0] ? [{ outcome: same[0], records: same.length }] : [])),
    },
  ];
}

function cohortOf(row: DecisionRow): DatasetCohort {
  const { direction, horizon_kind, horizon_value } = row;
  return { ...identityOf(row), direction, horizon_kind, horizon_value };
}

function outcomeOf(row: DecisionRow): CoarseOutcome {
  const { result_bucket, method, grid } = row;
  const counted_as = countedAs(row);
  if (result_bucket === null || counted_as === null) throw new TypeError('A counted record has a result bucket');
  const data_cutoff_month = utcMonth(row.data_cutoff);
  const further_horizon = isFurtherHorizon(row);
  return { data_cutoff_month, counted_as, result_bucket, move: moveRangeOf(row), method, grid, further_horizon };
}
