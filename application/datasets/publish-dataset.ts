import {
  DATASET_COLUMNS,
  type DatasetFile,
  type DatasetRow,
  type DatasetSource,
  inCohortOrder,
  inDatasetOrder,
  isPublished,
  type ReadFilePart,
  type TalliedCohort,
  type WriteFilePart,
} from '../../domain/datasets/dataset-row.ts';
import { DATASET } from '../../domain/limits.ts';
import { type ColumnKind, dictionaryOf, type ReadTable, type StoredFile } from '../../domain/table.ts';
import { type Millis, rfc3339, utcDate, utcMonth } from '../../domain/time.ts';
import { readCheckpoint } from '../log/read-log.ts';
import type { Ports, Settings } from '../ports.ts';
import { sha256OfParts } from '../sha256.ts';
import {
  type AboutDataset,
  croissantOf,
  DATA_FILES,
  DATASET_DESCRIPTION,
  DATASET_TYPES,
  type DataFile,
  datasetTitle,
  datasetUrl,
  licenceUrl,
  versionOf,
} from './about-dataset.ts';

/** Types of Table Schema (Data Package 2.0). */
const FIELD_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'string',
  json: 'object',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  time: 'datetime',
};

type PublishPorts = Pick<Ports, 'clock' | 'datasets' | 'log' | 'settings' | 'signatures' | 'writeTable' | 'readTable'>;

/**
 * Makes the dataset of the current month, if the operator publishes datasets and there is none yet. Returns whether it
 * made one. Safe to run in several processes, and to be killed at any line. Its tables are read back before it is published.
 * @throws Error for a table that cannot be read back as it was written; nothing is published then
 */
export async function publishDataset(ports: PublishPorts): Promise<boolean> {
  const { clock, datasets, settings } = ports;
  if (settings.dataSnapshots === null) return false;
  const made_at = await clock.now();
  const month = utcMonth(made_at);
  if ((await datasets.find(month)) !== null) return false;
  const checkpoint = await newestCheckpoint(ports);
  const about = { month, made_at, origin: settings.publicOrigin ?? '', licence: settings.dataSnapshots.licence };
  return datasets.make(month, async (source, write, written) => {
    const files = await writeData(ports, source, write, written);
    if (checkpoint !== null) files.push(await writeText(write, 'checkpoint', checkpoint));
    for (const [name, text] of describingFiles(about, files)) files.push(await writeText(write, name, text));
    return [...files, await writeText(write, 'SHA256SUMS', checksumsOf(files))];
  });
}

/** What the public log says at this moment; null where there is none. */
async function newestCheckpoint({ log, signatures, settings }: PublishPorts): Promise<string | null> {
  const newest = settings.publicLog ? await log.newest() : null;
  if (newest === null || (await log.published(newest.log)) === null) return null;
  return readCheckpoint({ log, signatures }, newest.log);
}

async function writeData(
  { writeTable, readTable, settings }: Pick<PublishPorts, 'writeTable' | 'readTable' | 'settings'>,
  source: DatasetSource,
  write: WriteFilePart,
  written: ReadFilePart,
): Promise<DatasetFile[]> {
  const files: DatasetFile[] = [];
  for (const { name, format, ...wanted } of DATA_FILES) {
    const rows = digested(datasetRows(source, settings.wisdom, wanted));
    const file = await writePieces(write, name, writeTable[format](DATASET_COLUMNS, rows.pages));
    const read = await digestOf(readTable[format], { bytes: file.bytes, part: (number) => written(name, number) });
    if (read !== rows.digest()) throw new Error(`${name} has other rows than were written to it.`);
    files.push(file);
  }
  return files;
}

/** The same pages, with the digest of the cells of all their rows. */
function digested(pages: AsyncIterable<readonly DatasetRow[]>) {
  const digest = sha256OfParts();
  async function* passed(): AsyncGenerator<readonly DatasetRow[]> {
    for await (const page of pages) {
      for (const row of page) digest.add(Buffer.from(JSON.stringify(DATASET_COLUMNS.map(({ of }) => of(row)))));
      yield page;
    }
  }
  return { pages: passed(), digest: () => digest.hex() };
}

async function digestOf(read: ReadTable, file: StoredFile): Promise<string> {
  const digest = sha256OfParts();
  const names = DATASET_COLUMNS.map(({ name }) => name);
  for await (const rows of read(names, file)) for (const row of rows) digest.add(Buffer.from(JSON.stringify(row)));
  return digest.hex();
}

/**
 * The rows of all cohorts that are shown, in the order of instruments, cohorts and columns; a page at a time. A cohort pins
 * the horizon, so it is shown by all of its records, and those that are a further horizon of a decision are in a file of
 * their own. The leading file has at most one decision of a group; that of further horizons can have several, each under
 * its own horizon.
 */
export async function* datasetRows(
  source: DatasetSource,
  rules: Settings['wisdom'],
  {
    include_retroactive,
    further_horizon,
  }: Pick<(typeof DATA_FILES)[number], 'include_retroactive' | 'further_horizon'>,
): AsyncGenerator<readonly DatasetRow[]> {
  const { minProducers: producers, minSamples: samples, ownerProof } = rules;
  for (let after: string | null = null; ; ) {
    const instruments: readonly string[] = await source.instruments(after, DATASET.instruments);
    for (const instrument of instruments) {
      const tallies = await source.cohorts(instrument, { include_retroactive, samples, producers, ownerProof });
      const published = tallies.filter((tally) => isPublished(tally, rules));
      const sorted = published.toSorted((a, b) => inCohortOrder(a.cohort, b.cohort));
      for (const tally of sorted) yield* rowsOf(tally, further_horizon);
    }
    const last = instruments.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

function* rowsOf({ cohort, alike }: TalliedCohort, further: boolean): Generator<readonly DatasetRow[]> {
  const wanted = alike.filter(({ outcome }) => outcome.further_horizon === further);
  for (const { outcome, records } of wanted.toSorted((a, b) => inDatasetOrder(a.outcome, b.outcome))) {
    const row = { ...cohort, ...outcome };
    for (let left = records; left > 0; left -= DATASET.page)
      yield Array.from({ length: Math.min(left, DATASET.page) }, () => row);
  }
}

function writeText(write: WriteFilePart, name: string, text: string): Promise<DatasetFile> {
  async function* pieces(): AsyncGenerator<string> {
    yield text;
  }
  return writePieces(write, name, pieces());
}

/** Writes a file in parts of a bounded size, and says what it has become. */
async function writePieces(
  write: WriteFilePart,
  name: string,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<DatasetFile> {
  const digest = sha256OfParts();
  let bytes = 0;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const flush = async () => {
    const part = Buffer.concat(waiting);
    [waiting, waitingBytes] = [[], 0];
    if (part.length > 0) await write(name, part);
  };
  for await (const piece of pieces) {
    const content = Buffer.from(piece);
    digest.add(content);
    bytes += content.length;
    for (let from = 0; from < content.length; from += DATASET.part) {
      const part = content.subarray(from, from + DATASET.part);
      if (waitingBytes + part.length > DATASET.part) await flush();
      waiting.push(part);
      waitingBytes += part.length;
    }
  }
  await flush();
  return { name, bytes, sha256: digest.hex() };
}

/** How long the dataset of this month has been due where they are published, in milliseconds; 0 where it is there. */
export async function datasetLag({ clock, datasets }: Pick<PublishPorts, 'clock' | 'datasets'>): Promise<Millis> {
  const now = await clock.now();
  const month = utcMonth(now);
  if ((await datasets.find(month)) !== null) return 0;
  return now.getTime() - Date.parse(`${month}-01T00:00:00Z`);
}

/** The files that describe those with rows, by name. */
function describingFiles(about: AboutDataset, files: readonly DatasetFile[]): readonly (readonly [string, string])[] {
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
function checksumsOf(files: readonly DatasetFile[]): string {
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
