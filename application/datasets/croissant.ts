import { DATASET_COLUMNS } from '../../domain/datasets/dataset-row.ts';
import type { ColumnKind } from '../../domain/table.ts';
import { rfc3339, utcDate } from '../../domain/time.ts';
import {
  type AboutDataset,
  DATASET_DESCRIPTION,
  DATASET_TYPES,
  type DataFile,
  datasetTitle,
  datasetUrl,
  licenceUrl,
  versionOf,
} from './about-dataset.ts';

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
    description: id.includes('retroactive')
      ? 'One row for each decision, retroactive ones too.'
      : 'One row for each decision that was stated before its prices were known.',
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
