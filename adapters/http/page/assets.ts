import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join, posix } from 'node:path';
import { sha256Hex } from '../../../application/sha256.ts';
import { bundleOf } from '../../../clients/typescript/bundle.ts';
import { type TightlyPacked, tightlyPacked } from '../kit/reply/packed.ts';
import { servedScript } from './served-script.ts';

/** One file that the page consists of, as it is sent. */
export interface Asset {
  readonly type: string;
  readonly body: TightlyPacked;
}

/** All files that can be requested, by name; any other name is 404. */
export interface Assets {
  /** Changes with any byte of any file, so that caches may store the files below it without a limit. */
  readonly version: string;
  readonly files: ReadonlyMap<string, Asset>;
  /** The scripts that the page at `/` needs first, which a browser should preload; others load with their views. */
  readonly scripts: readonly string[];
}

const TYPES: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** What a reader of `/` needs: the page itself, and its home. */
const FIRST = ['start-page.ts', 'home/home-view.ts'];

const PLAIN = ['style.css', 'console.css', 'evidence.css', 'workflows.css', 'icon.svg'];

/** Served as one file together with the modules of the domain that it names. */
const OF_DOMAIN = join('kit', 'domain.ts');

const SCRIPTS = join(import.meta.dirname, 'browser');

let current: Assets | undefined;

/** Read from the disk and compressed at the first request; a running service does not see later changes. */
export function currentAssets(): Assets {
  current ??= readAssets();
  return current;
}

function readAssets(): Assets {
  const scripts = readdirSync(SCRIPTS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const texts = new Map([
    ...scripts.map((name) => [name, servedScript(sourceOf(name))] as const),
    ...PLAIN.map((name) => [name, readFileSync(join(import.meta.dirname, name), 'utf8')] as const),
    ...libraries(),
  ]);
  const files = new Map([...texts].map(([name, text]) => [name, assetOf(name, text)] as const));
  return { version: versionOf(texts), files, scripts: neededFirst(texts) };
}

function sourceOf(name: string): string {
  const file = join(SCRIPTS, name);
  return name === OF_DOMAIN ? bundleOf(file) : readFileSync(file, 'utf8');
}

/** The modules that those of `FIRST` import, however far, in the order of reading; without those of types alone. */
function neededFirst(texts: ReadonlyMap<string, string>): readonly string[] {
  const needed = new Set(FIRST);
  for (const name of needed) {
    const imports = (texts.get(name) ?? '').matchAll(/^(?:import|export)\b[^;]*?\bfrom '(\.[^']+)'/gm);
    for (const [, path = ''] of imports) needed.add(posix.join(posix.dirname(name), path));
  }
  return [...needed].filter((name) => texts.get(name)?.trim() !== '');
}

/** The drawing libraries in their packaged form for browsers; with the licence where the minified form lacks it. */
function libraries(): (readonly [string, string])[] {
  const { resolve } = createRequire(import.meta.url);
  const charts = join(resolve('lightweight-charts/package.json'), '..');
  const network = join(resolve('cytoscape'), '../..');
  const codes = join(resolve('uqr'), '../..');
  const licenceOf = (folder: string) => `/*! ${readFileSync(join(folder, 'LICENSE'), 'utf8')}*/\n`;
  return [
    ['lightweight-charts.mjs', readFileSync(join(charts, 'dist/lightweight-charts.standalone.production.mjs'), 'utf8')],
    ['cytoscape.mjs', licenceOf(network) + readFileSync(join(network, 'dist/cytoscape.esm.min.mjs'), 'utf8')],
    ['uqr.mjs', licenceOf(codes) + servedScript(readFileSync(join(codes, 'dist/index.mjs'), 'utf8'))],
  ];
}

function assetOf(name: string, text: string): Asset {
  return { type: TYPES[extname(name)] ?? 'text/plain', body: tightlyPacked(text) };
}

function versionOf(texts: ReadonlyMap<string, string>): string {
  const inOrder = [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Hex(...inOrder.map(([name, text]) => `${name}\0${text}\0`)).slice(0, 16);
}
