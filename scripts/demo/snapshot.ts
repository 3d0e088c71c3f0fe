import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { utcMonth } from '../../domain/time.ts';
import type { Setting } from './service-process.ts';

/** Public snapshots of the data, once there is something in them: a month gets one snapshot and no other. */
export const SNAPSHOTS: readonly Setting[] = [
  { name: 'DATA_SNAPSHOTS', value: 'monthly', why: 'a snapshot of its data is at /data/' },
  { name: 'DATA_SNAPSHOTS_LICENCE', value: 'CC0-1.0', why: 'anybody may use what the demo made' },
];

const fileOf = (folder: string) => join(folder, 'published');

/** Whether a service of this folder has made a snapshot. */
export function hasSnapshot(folder: string): boolean {
  return existsSync(fileOf(folder));
}

const LOOKS = 240;
const PAUSE = 500;

/** Waits until the snapshot of this month can be downloaded. @throws Error when it is not made */
export async function awaitSnapshot(url: string, folder: string): Promise<string> {
  const address = `${url}/data/${utcMonth(new Date())}/`;
  for (let looks = 0; looks < LOOKS; looks += 1) {
    if ((await fetch(`${address}SHA256SUMS`)).ok) {
      writeFileSync(fileOf(folder), address, { mode: 0o600 });
      return address;
    }
    await sleep(PAUSE);
  }
  throw new Error(`There is no snapshot at ${address}.`);
}
