import { join } from 'node:path';

// Takes the place of scripts/programs.ts in the build, whose programs are next to each other.

export const SERVICE = join(import.meta.dirname, '..', '..', 'service.mjs');

export const END_WITH_PARENT = join(import.meta.dirname, '..', '..', 'end-with-parent.mjs');
