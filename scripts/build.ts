// `npm run build [-- FOLDER]`: makes `dist`, the programs as JavaScript with all that they read, for a Node.js without types.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundlePrograms, ROOT } from './build/bundle-programs.ts';
import { licencesOf } from './build/licences.ts';
import { writeShippedFiles } from './build/shipped-files.ts';

/** Packages that were made of a build stay next to it. */
const KEPT = 'pack';

/** Makes the build in a folder, byte for byte the same from the same sources. What else was in it is removed. */
export async function buildTo(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const before = readdirSync(folder).filter((name) => name !== KEPT);
  for (const name of before) rmSync(join(folder, name), { recursive: true, force: true });
  const metafile = await bundlePrograms(folder);
  const program = join(folder, 'stancebook.mjs');
  writeFileSync(program, `#!/usr/bin/env node\n${readFileSync(program, 'utf8')}`);
  chmodSync(program, 0o755);
  writeShippedFiles(join(folder, 'files'));
  writeFileSync(join(folder, 'licences.txt'), licencesOf(metafile));
}

/** The same for a checkout, below which the build finds its packages. Returns the folder. */
export async function buildInCheckout(named = 'dist'): Promise<string> {
  const folder = resolve(ROOT, named);
  await buildTo(folder);
  // The sample prices of a checkout; a package that npm makes has no such link.
  symlinkSync(join(ROOT, 'scripts/prices/node_modules'), join(folder, 'files/scripts/prices/node_modules'));
  return folder;
}

if (import.meta.main) {
  const folder = await buildInCheckout(process.argv[2]);
  console.log(`${folder} has ${readdirSync(folder).filter((name) => name.endsWith('.mjs')).length} modules.`);
}
