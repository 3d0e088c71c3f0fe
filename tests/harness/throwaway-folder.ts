import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder for temporary files. Root runs PostgreSQL as another user, who can pass through it. */
export function makeThrowawayFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `stancebook-${name}-`));
  chmodSync(folder, 0o711);
  return folder;
}

/** Removes a throwaway folder together with the data folder of a service at any depth. */
export function removeThrowawayFolder(folder: string, dataDir: string = join(folder, 'data')): void {
  removeDataDir(dataDir);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Removes the data folder of a service with its cluster, which is behind a link where root could not give it away. */
export function removeDataDir(dataDir: string): void {
  const cluster = join(dataDir, 'postgres');
  if (existsSync(cluster)) rmSync(realpathSync(cluster), { recursive: true, force: true, maxRetries: 5 });
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
}
