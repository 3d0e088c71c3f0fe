import { DATASET_COLUMNS, type Dataset, type DatasetFile } from '../../domain/datasets/dataset-row.ts';
import { Problem } from '../../domain/problem.ts';
import { type ColumnKind, TABLE_TYPES } from '../../domain/table.ts';
import { rfc3339, utcDate } from '../../domain/time.ts';
import type { Ports } from '../ports.ts';

/** The terms of Croissant 1.0 that are used here, and the names that its context gives them. */
const CONTEXT = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  citeAs: 'cr:citeAs',
  column: 'cr:column',
  conformsTo: 'dct:conformsTo',
  cr: 'http://mlcommons.org/croissant/',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  dct: 'http://purl.org/dc/terms/',
  examples: { '@id': 'cr:examples', '@type': '@json' },
  extract: 'cr:extract',
  field: 'cr:field',
  fileObject: 'cr:fileObject',
  fileProperty: 'cr:fileProperty',
  fileSet: 'cr:fileSet',
  format: 'cr:format',
  includes: 'cr:includes',
  isLiveDataset: 'cr:isLiveDataset',
  jsonPath: 'cr:jsonPath',
  key: 'cr:key',
  md5: 'cr:md5',
  parentField: 'cr:parentField',
  path: 'cr:path',
  rai: 'http://mlcommons.org/croissant/RAI/',
  recordSet: 'cr:recordSet',
  references: 'cr:references',
  regex: 'cr:regex',
  repeated: 'cr:repeated',
  replace: 'cr:replace',
  sc: 'https://schema.org/',
  separator: 'cr:separator',
  source: 'cr:source',
  subField: 'cr:subField',
  transform: 'cr:transform',
} as const;

const DATA_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'sc:Text',
  json: 'sc:Text',
  integer: 'sc:Integer',
  number: 'sc:Float',
  boolean: 'sc:Boolean',
  time: 'sc:DateTime',
};

/** What describes a dataset. */
export interface AboutDataset {
  readonly month: string;
  readonly made_at: Date;
  /** The origin of the service; empty where it is not configured. */
  readonly origin: string;
  /** An SPDX identifier. */
  readonly licence: string;
}

/**
 * The files with rows: of the cohorts without retroactive decisions, and of those with them; further horizons of decision
 * groups apart; each in two formats.
 */
export const DATA_FILES = [
  ...tableFiles('decisions', { include_retroactive: false, further_horizon: false }),
  ...tableFiles('decisions-with-retroactive', { include_retroactive: true, further_horizon: false }),
  ...tableFiles('further-horizons', { include_retroactive: false, further_horizon: true }),
  ...tableFiles('further-horizons-with-retroactive', { include_retroactive: true, further_horizon: true }),
];

function tableFiles(name: string, rows: { readonly include_retroactive: boolean; readonly further_horizon: boolean }) {
  return (['parquet', 'jsonl'] as const).map((format) => ({ name: `${name}.${format}`, format, ...rows }));
}

/** The content type of each file of a dataset; the page serves no other. */
export const DATASET_TYPES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(DATA_FILES.map(({ name, format }) => [name, TABLE_TYPES[format]])),
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
  'The files with-retroactive also have decisions whose outcome could be known when they were made. The files ' +
  'further-horizons have the further horizons of decisions that were stated over several.';

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

/**
 * The metadata of a dataset by MLCommons Croissant 1.0: the dataset, its files (`FileObject`), and a `RecordSet` for the
 * rows of each Parquet file, with a field for each column.
 */
export function croissantOf(about: AboutDataset, files: readonly DataFile[]): object {
  const title = datasetTitle(about);
  return {
    '@context': CONTEXT,
    '@type': 'sc:Dataset',
    conformsTo: 'http://mlcommons.org/croissant/1.0',
    name: `graded-decisions-${about.month}`,
    alternateName: title,
    description: DATASET_DESCRIPTION,
    url: datasetUrl(about),
    license: licenceUrl(about),
    version: versionOf(about),
    datePublished: utcDate(about.made_at),
    dateCreated: rfc3339(about.made_at),
    isLiveDataset: false,
    citeAs: `@misc{graded-decisions-${about.month}, title = {${title}}, year = {${about.month.slice(0, 4)}}}`,
    creator: { '@type': 'sc:Organization', name: 'The owners of agents', url: datasetUrl(about) },
    distribution: files.map(fileObject),
    recordSet: files.filter(({ format }) => format === 'parquet').map(recordSet),
  };
}

function fileObject({ name, bytes, sha256 }: DataFile): object {
  return {
    '@type': 'cr:FileObject',
    '@id': name,
    name,
    contentUrl: name,
    contentSize: `${bytes} B`,
    encodingFormat: name.endsWith('.parquet') ? 'application/x-parquet' : DATASET_TYPES[name]?.replace(/;.*/, ''),
    sha256,
  };
}

function recordSet({ name }: DataFile): object {
  const id = name.replace('.parquet', '');
  return {
    '@type': 'cr:RecordSet',
    '@id': id,
    name: id,
    description:
      (id.includes('further') ? 'Further horizons of decisions over several. ' : '') +
      (id.includes('retroactive')
        ? 'One row for each decision, retroactive ones too.'
        : 'One row for each decision that was stated before its prices were known.'),
    field: DATASET_COLUMNS.map((column) => ({
      '@type': 'cr:Field',
      '@id': `${id}/${column.name}`,
      name: column.name,
      description: column.description,
      dataType: DATA_TYPES[column.kind],
      source: { fileObject: { '@id': name }, extract: { column: column.name } },
    })),
  };
}

type ReadPorts = Pick<Ports, 'datasets'>;

/** A dataset as it is listed. */
interface ListedDataset {
  readonly month: string;
  readonly made_at: Date;
  readonly path: string;
  readonly files: readonly DatasetFile[];
  /** The leaf of the evidence log whose `sha256` is that of SHA256SUMS; null until there is one. */
  readonly leaf: Dataset['leaf'];
}

/** All datasets, the newest first. */
export async function listDatasets({ datasets }: ReadPorts): Promise<readonly ListedDataset[]> {
  return (await datasets.list()).map(listed);
}

/** @throws Problem NOT_FOUND */
export async function readDataset(ports: ReadPorts, month: string): Promise<ListedDataset> {
  return listed(await found(ports, month));
}

/** A file of a dataset, with what it contains, part by part. @throws Problem NOT_FOUND */
export async function readDatasetFile(
  ports: ReadPorts,
  month: string,
  name: string,
): Promise<{ readonly file: DatasetFile; readonly pieces: () => AsyncGenerator<Uint8Array> }> {
  const dataset = await found(ports, month);
  const file = dataset.files.find((each) => each.name === name);
  if (!file) throw notServed();
  return { file, pieces: () => partsOf(ports, month, name) };
}

async function* partsOf({ datasets }: ReadPorts, month: string, name: string): AsyncGenerator<Uint8Array> {
  for (let number = 0; ; number += 1) {
    const part = await datasets.part(month, name, number);
    if (part === null) return;
    yield part;
  }
}

async function found({ datasets }: ReadPorts, month: string): Promise<Dataset> {
  const dataset = /^\d{4}-\d{2}$/.test(month) ? await datasets.find(month) : null;
  if (!dataset) throw notServed();
  return dataset;
}

function notServed(): Problem {
  const suggestion = 'GET /data/ lists the snapshots and their files.';
  return new Problem('NOT_FOUND', 'There is no such snapshot or file.', { suggestion });
}

function listed({ month, made_at, files, leaf }: Dataset): ListedDataset {
  return { month, made_at, path: `/data/${month}/`, files, leaf };
}
