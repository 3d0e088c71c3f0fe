import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { giveToFolder } from '../../adapters/files/folder-owner.ts';

/**
 * Closes to other users what earlier releases wrote into the data folder: files 0600, folders 0700; and gives what root
 * wrote into a folder of another user to that user. The folder may contain more than the service's own, so only its names
 * are touched, and only what belongs to this user.
 */
export function closeFiles(dataDir: string): void {
  const isAnothers = statSync(dataDir).uid !== process.geteuid?.();
  for (const name of NAMES) {
    close(join(dataDir, name));
    if (isAnothers) giveToFolder(join(dataDir, name), { below: true });
  }
}

const NAMES = ['instance.lock', 'instance.pid', 'postgres.log', 'postgres.log.1', 'secrets', 'bars'] as const;

/** Folders last, so that an interrupted pass is made again. */
function close(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.uid !== process.geteuid?.() || (found.mode & 0o077) === 0) return;
  if (found.isDirectory()) {
    for (const name of readdirSync(path)) close(join(path, name));
    chmodSync(path, 0o700);
  } else if (found.isFile()) chmodSync(path, 0o600);
}
