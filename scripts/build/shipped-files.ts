import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformSync } from 'esbuild';
import { libraries, type ServedScript, servedScripts } from '../../adapters/http/page/page-scripts.ts';
import { bundleOf } from '../../clients/typescript/bundle.ts';
import { ROOT } from './bundle-programs.ts';

/** Files and folders that programs read as they are. */
const READ = [
  'package.json',
  'scripts/prices/package.json',
  'docs',
  'clients/python/stancebook.py',
  'adapters/postgres/after-restore.sql',
  'adapters/postgres/functions',
  'adapters/postgres/migrations',
  'adapters/market/symbols',
  'adapters/http/page',
  'tests/fixtures/bars',
];

/** The modules that are served as one file each. */
export const SERVED = ['clients/typescript/verify.ts', 'adapters/http/page/import/import-page.ts'];

/** Writes what the programs of the build read into a folder, each file where it is in the checkout. */
export function writeShippedFiles(folder: string): void {
  for (const name of READ) cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter: isShipped });
  for (const name of SERVED) write(join(folder, name.replace(/\.ts$/, '.mjs')), bundleOf(join(ROOT, name)));
  const page = join(folder, 'adapters/http/page');
  write(join(page, 'browser.json'), JSON.stringify(shippedScripts()));
  write(join(page, 'libraries.json'), JSON.stringify(libraries()));
}

/** Sources are in the bundles; secrets that an operator made next to their examples stay on their machine. */
export function isShipped(path: string): boolean {
  return !/\.ts$|\.env$|\.pem$|-password$|-token$|__pycache__$/.test(path);
}

/** The scripts of the page with short names, an eighth smaller than from a checkout. */
export function shippedScripts(): readonly ServedScript[] {
  return servedScripts(join(ROOT, 'adapters/http/page/browser')).map(({ text, ...script }) => ({
    ...script,
    text: transformSync(text, { minify: true, format: 'esm', target: 'es2024', charset: 'utf8' }).code,
  }));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
