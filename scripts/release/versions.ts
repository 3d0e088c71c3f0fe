import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Where each file has the version of the release. */
const PLACES: readonly (readonly [file: string, pattern: RegExp])[] = [
  ['package.json', /^ {2}"version": "(.+)",$/gm],
  ['package-lock.json', /^ {2}"version": "(.+)",$/gm],
  ['clients/typescript/package.json', /^ {2}"version": "(.+)",$/gm],
  ['clients/typescript/client/version.ts', /^export const VERSION = '(.+)';$/gm],
  ['clients/plugin/.claude-plugin/plugin.json', /^ {2}"version": "(.+)",$/gm],
  ['clients/python/stancebook.py', /^USER_AGENT = "stancebook-python\/(.+)"$/gm],
  ['server.json', /"version": "(.+?)"/g],
  ['Dockerfile', /image\.version="(.+?)"/g],
  ['docs/operating/kubernetes.yaml', /\bstancebook:(\d\S+)/g],
];

/** Semantic Versioning 2.0.0. */
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-z-][0-9a-z-]*)(\.(0|[1-9]\d*|\d*[a-z-][0-9a-z-]*))*)?$/i;

/** The versions that a text has in a place. */
function versionsIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, version = '']) => version);
}

/** The files that have another version than package.json, or none; empty when all agree. */
export function otherVersions(version: string, read = readOf): readonly string[] {
  const faults = SEMVER.test(version) ? [] : [`${version} is no version of Semantic Versioning`];
  for (const [file, pattern] of PLACES) {
    const found = versionsIn(read(file), pattern);
    if (found.length === 0) faults.push(`${file} has no version`);
    for (const each of new Set(found)) if (each !== version) faults.push(`${file} has ${each}`);
  }
  return faults;
}

/** The part of CHANGELOG.md about a release, without its heading. @throws Error when there is none */
export function notesOf(changelog: string, version: string): string {
  const parts = changelog.split(/^## (?=\[)/m);
  const part = parts.find((each) => each.startsWith(`[${version}]`));
  if (part === undefined) throw new Error(`CHANGELOG.md has no release ${version}`);
  return `${part.slice(part.indexOf('\n') + 1).trim()}\n`;
}

function readOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
