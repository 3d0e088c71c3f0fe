import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { sha256Hex } from '../../../application/sha256.ts';
import { type TightlyPacked, tightlyPacked } from '../kit/reply/static-reply.ts';
import { libraries, type ServedScript, servedScripts } from './page-scripts.ts';

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
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** What a reader of `/` needs: the page itself, and its home. */
const FIRST = ['start-page.js', 'home.js'];

const PLAIN = ['style.css', 'home.css', 'icon.svg'];

/** Of the views of workflows, as one file `workflows.css`. */
const OF_WORKFLOWS = ['workflows.css', 'workflow-drawing.css'];

/** Of all views, as one file `views.css`: compressed one by one they are a third larger. */
const OF_VIEWS = [
  'console.css',
  'tables.css',
  'evidence.css',
  'decisions.css',
  'record-panel.css',
  'bell.css',
  'overview.css',
];

let current: Assets | undefined;

/** Read from the disk and compressed at the first request; a running service does not see later changes. */
export function currentAssets(): Assets {
  current ??= readAssets();
  return current;
}

function readAssets(): Assets {
  const scripts = servedScripts(join(import.meta.dirname, 'browser'));
  const texts = new Map([
    ...scripts.map(({ name, text }) => [name, text] as const),
    ...PLAIN.map((name) => [name, tight(textOf(name))] as const),
    ['views.css', tight(OF_VIEWS.map(textOf).join(''))] as const,
    ['workflows.css', tight(OF_WORKFLOWS.map(textOf).join(''))] as const,
    ...libraries(),
  ]);
  const files = new Map([...texts].map(([name, text]) => [name, assetOf(name, text)] as const));
  return { version: versionOf(texts), files, scripts: neededFirst(scripts) };
}

function textOf(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8');
}

/** Those of `FIRST` and what they import, however far. */
function neededFirst(scripts: readonly ServedScript[]): readonly string[] {
  const needed = new Set(FIRST);
  for (const name of needed) {
    for (const imported of scripts.find((script) => script.name === name)?.imports ?? []) needed.add(imported);
  }
  return [...needed];
}

/** A style sheet or a picture without the white space that only its readers need. */
function tight(text: string): string {
  return text.replace(/\s*([{};,])\s*/g, '$1').replaceAll(': ', ':');
}

function assetOf(name: string, text: string): Asset {
  return { type: TYPES[extname(name)] ?? 'text/plain', body: tightlyPacked(text) };
}

function versionOf(texts: ReadonlyMap<string, string>): string {
  const inOrder = [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Hex(...inOrder.map(([name, text]) => `${name}\0${text}\0`)).slice(0, 16);
}
