import type { Dataset, DatasetFile } from '../../domain/datasets/dataset-store.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ports } from '../ports.ts';

type ReadPorts = Pick<Ports, 'datasets'>;

/** A dataset as it is listed. */
export interface ListedDataset {
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
