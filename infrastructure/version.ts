import { readFileSync } from 'node:fs';

/** The version of this release, of package.json. The interface has its own: adapters/http/openapi/openapi-document.ts. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
