import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HOUR } from '../../../domain/time.ts';
import { giveToFolder } from '../../files/folder-owner.ts';

const STAGING = '.staging-';

/**
 * Whether the store holds this very manifest for the instrument, or bars that an operator has imported, which packaged
 * ones never replace: so nothing is to be done.
 */
export async function holds(store: string, folder: string, manifest: string): Promise<boolean> {
  const held = await readFile(join(store, folder, 'manifest.json'), 'utf8').catch(unlessAbsent);
  return held === manifest || (held !== undefined && isImported(held));
}

function isImported(manifest: string): boolean {
  try {
    return 'imported_at' in JSON.parse(manifest);
  } catch {
    return false;
  }
}

/**
 * Puts an instrument's files into the store, in place of those that were there. They are written aside and moved by
 * one rename, so that a crash leaves the folder whole or absent; of two that install at once either may win.
 */
export async function install(store: string, folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(dirname(join(store, folder)), { recursive: true });
  await sweep(store);
  const staging = await mkdtemp(join(store, STAGING));
  try {
    const fresh = join(staging, 'fresh');
    await mkdir(fresh);
    for (const [name, text] of Object.entries(files)) await writeFile(join(fresh, name), text, { flush: true });
    await rename(join(store, folder), join(staging, 'replaced')).catch(unlessAbsent);
    await rename(fresh, join(store, folder)).catch(unlessTaken);
    giveInstalled(store, folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Bars that root installs belong to the owner of the store, down from the store itself, which may be new too. */
function giveInstalled(store: string, folder: string): void {
  const parts = folder.split('/');
  for (const [depth] of ['', ...parts].entries()) {
    giveToFolder(join(store, ...parts.slice(0, depth)), { below: depth === parts.length });
  }
}

/** What a crash left behind; younger ones may belong to another process at work. */
async function sweep(store: string): Promise<void> {
  for (const name of await readdir(store)) {
    if (!name.startsWith(STAGING)) continue;
    const state = await stat(join(store, name)).catch(unlessAbsent);
    if (state && Date.now() - state.mtimeMs > HOUR) await rm(join(store, name), { recursive: true, force: true });
  }
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function unlessTaken(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
}
