import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { extname, join } from 'node:path';
import { sha256Hex } from '../../../application/sha256.ts';
import { type Packed, packed } from '../kit/reply/packed.ts';

/** One file that the page consists of, as it is sent. */
export interface Asset {
  readonly type: string;
  readonly body: Packed;
}

/** All files that can be requested, by name; any other name is 404. */
export interface Assets {
  /** Changes with any byte of any file, so that caches may store the files below it without a limit. */
  readonly version: string;
  readonly files: ReadonlyMap<string, Asset>;
  /** The scripts of the page at `/`, which a browser should preload. */
  readonly scripts: readonly string[];
}

const TYPES: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The script of `/verify`, which the page at `/` does not run. */
const VERIFY_SCRIPT = 'verify-page.ts';

const SCRIPTS = join(import.meta.dirname, 'browser');

let current: Assets | undefined;

/** Read from the disk and compressed at the first request; a running service does not see later changes. */
export function currentAssets(): Assets {
  current ??= readAssets();
  return current;
}

function readAssets(): Assets {
  const scripts = readdirSync(SCRIPTS).filter((name) => name.endsWith('.ts'));
  const texts = new Map([
    ...scripts.map((name) => [name, stripTypeScriptTypes(readFileSync(join(SCRIPTS, name), 'utf8'))] as const),
    ...['style.css', 'icon.svg'].map((name) => [name, readFileSync(join(import.meta.dirname, name), 'utf8')] as const),
    ...libraries(),
  ]);
  const files = new Map([...texts].map(([name, text]) => [name, assetOf(name, text)] as const));
  // Modules that contain only types are empty without them.
  const running = scripts.filter((name) => name !== VERIFY_SCRIPT && texts.get(name)?.trim() !== '');
  return { version: versionOf(texts), files, scripts: running };
}

/** The drawing libraries in their packaged form for browsers; with the licence where the minified form lacks it. */
function libraries(): (readonly [string, string])[] {
  const { resolve } = createRequire(import.meta.url);
  const charts = join(resolve('lightweight-charts/package.json'), '..');
  const network = join(resolve('cytoscape'), '../..');
  const licence = readFileSync(join(network, 'LICENSE'), 'utf8');
  return [
    ['lightweight-charts.mjs', readFileSync(join(charts, 'dist/lightweight-charts.standalone.production.mjs'), 'utf8')],
    ['cytoscape.mjs', `/*! ${licence}*/\n${readFileSync(join(network, 'dist/cytoscape.esm.min.mjs'), 'utf8')}`],
  ];
}

function assetOf(name: string, text: string): Asset {
  return { type: TYPES[extname(name)] ?? 'text/plain', body: packed(text) };
}

function versionOf(texts: ReadonlyMap<string, string>): string {
  const inOrder = [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Hex(...inOrder.map(([name, text]) => `${name}\0${text}\0`)).slice(0, 16);
}
