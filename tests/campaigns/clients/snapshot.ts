import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tally } from '../stage/tally.ts';
import {
  type Croissant,
  croissantFaults,
  type DataPackage,
  dataPackageFaults,
  digestFaults,
} from './snapshot-readers.ts';

/** What the service needs to publish snapshots. */
export const SNAPSHOT_SETTINGS = { DATA_SNAPSHOTS: 'monthly', DATA_SNAPSHOTS_LICENCE: 'CC-BY-4.0' } as const;

/**
 * The descriptions of the service's first snapshot, as programs read them that the project did not write; each must find
 * the faults that are planted in a copy.
 */
export async function checkSnapshot(url: string, folder: string, tally: Tally): Promise<void> {
  const place = join(folder, 'snapshot');
  const { address, names } = await download(url, place);
  const tables = names.filter((name) => /\.(parquet|jsonl)$/.test(name));
  const read = (name: string) => JSON.parse(readFileSync(join(place, name), 'utf8'));
  await checkDescription('datapackage.json', read('datapackage.json') as DataPackage, tally, [
    { by: 'datapackage', faults: dataPackageFaults, plants: PACKAGE_PLANTS },
    {
      by: 'sha256sum',
      faults: ({ resources }) => {
        return digestFaults(
          place,
          tables,
          resources.map(({ path, hash }) => [path, hash?.replace('sha256:', '')]),
        );
      },
      plants: [
        ['a missing hash', /"hash": "sha256:\w+",/, ''],
        ['a wrong hash', /"hash": "sha256:\w+"/, `"hash": "sha256:${'0'.repeat(64)}"`],
        ['a file that is not there', /"path": "decisions\./, '"path": "other.'],
      ],
    },
  ]);
  await checkDescription('croissant.json', read('croissant.json') as Croissant, tally, [
    { by: 'jsonld and schema.org', faults: (each) => croissantFaults(each, address), plants: CROISSANT_PLANTS },
    {
      by: 'sha256sum',
      faults: ({ distribution }) => {
        return digestFaults(
          place,
          tables,
          distribution.map(({ contentUrl, sha256 }) => [contentUrl, sha256]),
        );
      },
      plants: [
        ['a missing hash', /,\s*"sha256": "\w+"/, ''],
        ['a wrong hash', /"sha256": "\w+"/, `"sha256": "${'0'.repeat(64)}"`],
        ['a file that is not there', /"contentUrl": "decisions\./, '"contentUrl": "other.'],
      ],
    },
  ]);
}

/** What is planted, and the text of the description that it replaces. */
type Plant = readonly [what: string, text: RegExp, by: string];

interface Reading<Description> {
  readonly by: string;
  readonly faults: (description: Description) => readonly string[] | Promise<readonly string[]>;
  readonly plants: readonly Plant[];
}

async function checkDescription<Description>(
  name: string,
  description: Description,
  { check, holds }: Tally,
  readings: readonly Reading<Description>[],
): Promise<void> {
  for (const { by, faults, plants } of readings) {
    check(`${name} has no fault by ${by}`, await faults(description));
    const text = JSON.stringify(description, null, 2);
    for (const [what, place, replacement] of plants) {
      const planted = text.replace(place, replacement);
      const found = planted === text ? [] : await faults(JSON.parse(planted));
      holds(
        `${what} in ${name} is found by ${by}`,
        found.length > 0,
        planted === text ? 'it was not planted' : undefined,
      );
    }
  }
}

const PACKAGE_PLANTS: readonly Plant[] = [
  ['a field of an unknown type', /"type": "integer"/, '"type": "whole"'],
  ['a field without a name', /"name": "market",/, ''],
  ['a resource without a path', /"path": "decisions\.parquet",/, ''],
  ['a hash that is none', /"hash": "sha256:/, '"hash": "sha256:z'],
  ['a size that is a text', /"bytes": (\d+)/, '"bytes": "$1"'],
];

const CROISSANT_PLANTS: readonly Plant[] = [
  ['a field of an unknown type', /"dataType": "sc:Text"/, '"dataType": "sc:Txt"'],
  ['a misspelt property', /"license":/, '"licence":'],
  ['a property of another class', /"alternateName":/, '"legalName":'],
  ['a field of a file that is not named', /"fileObject": \{\s*"@id": "/, '$&other-'],
  ['a prefix that is not declared', /"cr": "[^"]+",/, ''],
  ['a term that is defined by itself', /"citeAs": "cr:citeAs"/, '"citeAs": "citeAs:"'],
];

interface Snapshot {
  /** Of its folder. */
  readonly address: string;
  readonly names: readonly string[];
}

/** All files of the newest snapshot. The service makes its first one when it starts, or soon after. */
async function download(url: string, place: string): Promise<Snapshot> {
  mkdirSync(place);
  for (const end = Date.now() + 90_000; ; await sleep(500)) {
    const { snapshots } = (await (await fetch(`${url}/data/`)).json()) as Listed;
    const [snapshot] = snapshots;
    if (!snapshot && Date.now() > end) throw new Error('The service made no snapshot in 90 s.');
    if (!snapshot) continue;
    const address = `${url}${snapshot.path}`;
    const names = snapshot.files.map(({ name }) => name);
    for (const name of names)
      writeFileSync(join(place, name), Buffer.from(await (await fetch(`${address}${name}`)).arrayBuffer()));
    return { address, names };
  }
}

interface Listed {
  readonly snapshots: readonly { readonly path: string; readonly files: readonly { readonly name: string }[] }[];
}
