import { join } from 'node:path';

// Which programs a child process can be, in a checkout; the build has its own (scripts/build/built-programs.ts).

/** The program of the service. */
export const SERVICE = join(import.meta.dirname, '..', 'infrastructure', 'main.ts');

/** Preloaded into a child, so that it does not outlive its parent. */
export const END_WITH_PARENT = join(import.meta.dirname, 'end-with-parent.mjs');
