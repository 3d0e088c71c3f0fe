import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A bar store of its own for one test, filled file by file. */
export interface TemporaryStore {
  readonly folder: string;
  write(path: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

export async function temporaryStore(): Promise<TemporaryStore> {
  const folder = await mkdtemp(join(tmpdir(), 'bars-'));
  return {
    folder,
    async write(path, text) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

export const manifest = {
  source: 'made for the test',
  licence: 'none',
  time_zone: 'UTC',
  sizes: ['1h', '1d'],
  cadence: 'continuous',
  history_from: '2024-01-01T00:00:00Z',
  delisted_at: null,
};
