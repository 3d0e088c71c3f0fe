import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { libraries as madeLibraries, ServedScript } from '../../adapters/http/page/page-scripts.ts';

// Takes the place of adapters/http/page/page-scripts.ts in the build, which has what that one makes as files.

export function servedScripts(sources: string): readonly ServedScript[] {
  return JSON.parse(readFileSync(`${sources}.json`, 'utf8'));
}

export function libraries(): ReturnType<typeof madeLibraries> {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'libraries.json'), 'utf8'));
}
