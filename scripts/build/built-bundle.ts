import { readFileSync } from 'node:fs';

// Takes the place of clients/typescript/bundle.ts in the build, which has each bundle as a file next to its entry.

export function bundleOf(entry: string): string {
  return readFileSync(entry.replace(/\.ts$/, '.mjs'), 'utf8');
}
