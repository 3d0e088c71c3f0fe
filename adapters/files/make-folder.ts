import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { giveToFolder } from './folder-owner.ts';

/**
 * Makes a folder and those above it, for their user alone; root makes them for the owner of the folder above. `mkdir` of Node.js with `recursive` never returns where the
 * parent exists and refuses new entries with ENOENT, as in `/proc`.
 * @throws Error with the code of the system
 */
export function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
    giveToFolder(folder);
  } catch (error) {
    // Another process may have made it.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
