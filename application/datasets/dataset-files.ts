import { DATASET_COLUMNS } from '../../domain/datasets/dataset-row.ts';
import type { DatasetFile } from '../../domain/datasets/dataset-store.ts';
import { type ColumnKind, dictionaryOf } from '../../domain/table.ts';
import { rfc3339, utcDate } from '../../domain/time.ts';
import {
  type AboutDataset,
  DATA_FILES,
  DATASET_DESCRIPTION,
  DATASET_TYPES,
  type DataFile,
  datasetTitle,
  datasetUrl,
  licenceUrl,
  versionOf,
} from './about-dataset.ts';
import { croissantOf } from './croissant.ts';

/** The files that describe those with rows, by name. */
export function describingFiles(
  about: AboutDataset,
  files: readonly DatasetFile[],
): readonly (readonly [string, string])[] {
  const data = DATA_FILES.flatMap(({ name, format }) => {
    const file = files.find((each) => each.name === name);
    return file ? [{ ...file, format }] : [];
  });
  return [
    ['data-dictionary.md', dataDictionary(about)],
    ['datapackage.json', json(dataPackage(about, data))],
    ['croissant.json', json(croissantOf(about, data))],
    ['CITATION.cff', citation(about)],
  ];
}

/** As `sha256sum -c` reads it. */
export function checksumsOf(files: readonly DatasetFile[]): string {
  return files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function dataDictionary(about: AboutDataset): string {
  return `# ${datasetTitle(about)}

${DATASET_DESCRIPTION}

Made at ${rfc3339(about.made_at)}. Licence: ${about.licence}.

A missing value is null. Rows that are alike in every column are different decisions.

${dictionaryOf(DATASET_COLUMNS)}
`;
}

/** Types of Table Schema (Data Package 2.0). */
const FIELD_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'string',
  json: 'object',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  time: 'datetime',
};

/** Data Package 2.0 of Frictionless Data: a package whose resources are tables with one schema. */
function dataPackage(about: AboutDataset, files: readonly DataFile[]): object {
  const fields = DATASET_COLUMNS.map(({ name, kind, description }) => ({ name, type: FIELD_TYPES[kind], description }));
  return {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    name: `graded-decisions-${about.month}`,
    title: datasetTitle(about),
    description: DATASET_DESCRIPTION,
    version: versionOf(about),
    created: rfc3339(about.made_at),
    ...(about.origin === '' ? {} : { homepage: datasetUrl(about) }),
    licenses: [{ name: about.licence, path: licenceUrl(about) }],
    resources: files.map(({ name, format, bytes, sha256 }) => ({
      name: name.replace('.', '-'),
      type: 'table',
      path: name,
      format,
      mediatype: DATASET_TYPES[name]?.replace(/;.*/, ''),
      encoding: 'utf-8',
      bytes,
      hash: `sha256:${sha256}`,
      schema: { $schema: 'https://datapackage.org/profiles/2.0/tableschema.json', fields },
    })),
  };
}

/** Citation File Format 1.2.0; a text in quotes of JSON is one of YAML. Without quotes YAML reads a date as a time. */
function citation(about: AboutDataset): string {
  const host = about.origin === '' ? '' : ` at ${new URL(about.origin).host}`;
  return [
    'cff-version: 1.2.0',
    'type: dataset',
    'message: "If you use these data, please cite them as below."',
    `title: ${JSON.stringify(datasetTitle(about))}`,
    'authors:',
    `  - name: ${JSON.stringify(`The owners of agents${host}`)}`,
    `version: ${JSON.stringify(versionOf(about))}`,
    `date-released: ${JSON.stringify(utcDate(about.made_at))}`,
    `license: ${about.licence}`,
    ...(about.origin === '' ? [] : [`url: ${JSON.stringify(datasetUrl(about))}`]),
    '',
  ].join('\n');
}
