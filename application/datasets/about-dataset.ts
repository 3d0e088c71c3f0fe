import type { DatasetFile } from '../../domain/datasets/dataset-store.ts';
import { TABLE_TYPES } from '../../domain/table.ts';

/** What describes a dataset. */
export interface AboutDataset {
  readonly month: string;
  readonly made_at: Date;
  /** The origin of the service; empty where it is not configured. */
  readonly origin: string;
  /** An SPDX identifier. */
  readonly licence: string;
}

/** The files with rows: of the cohorts without retroactive decisions, and of those with them; each in two formats. */
export const DATA_FILES = [
  { name: 'decisions.parquet', format: 'parquet', include_retroactive: false },
  { name: 'decisions.jsonl', format: 'jsonl', include_retroactive: false },
  { name: 'decisions-with-retroactive.parquet', format: 'parquet', include_retroactive: true },
  { name: 'decisions-with-retroactive.jsonl', format: 'jsonl', include_retroactive: true },
] as const;

/** The content type of each file of a dataset; the page serves no other. */
export const DATASET_TYPES: Readonly<Record<string, string>> = {
  'decisions.parquet': TABLE_TYPES.parquet,
  'decisions.jsonl': TABLE_TYPES.jsonl,
  'decisions-with-retroactive.parquet': TABLE_TYPES.parquet,
  'decisions-with-retroactive.jsonl': TABLE_TYPES.jsonl,
  checkpoint: 'text/plain; charset=utf-8',
  'data-dictionary.md': 'text/markdown; charset=utf-8',
  'datapackage.json': 'application/json; charset=utf-8',
  'croissant.json': 'application/ld+json; charset=utf-8',
  'CITATION.cff': 'application/yaml; charset=utf-8',
  SHA256SUMS: 'text/plain; charset=utf-8',
};

export const datasetTitle = ({ month }: Pick<AboutDataset, 'month'>) =>
  `Graded trading decisions of software agents, ${month}`;

export const DATASET_DESCRIPTION =
  'Trading decisions that software agents stated before the prices were known, each with how it came out and what every ' +
  'direction would have got in the same window. Rows are anonymous, in months, and only of cohorts of enough owners. ' +
  'The files with-retroactive also have decisions whose outcome could be known when they were made.';

/** A file with rows, and its format. */
export interface DataFile extends DatasetFile {
  readonly format: (typeof DATA_FILES)[number]['format'];
}

export function licenceUrl({ licence }: Pick<AboutDataset, 'licence'>): string {
  return `https://spdx.org/licenses/${licence}.html`;
}

export function datasetUrl({ origin, month }: Pick<AboutDataset, 'origin' | 'month'>): string {
  return `${origin}/data/${month}/`;
}

/** Semantic, as Data Package and Croissant ask for: a month is never changed. */
export function versionOf({ month }: Pick<AboutDataset, 'month'>): string {
  const [year = '', number = ''] = month.split('-');
  return `${year}.${Number(number)}.0`;
}
