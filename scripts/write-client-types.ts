// Writes the types of the TypeScript client, which are not in the repository: `scripts/prepare.mjs` runs it before each
// npm script that needs them, and `clients/typescript/build.ts` before it builds the package. It writes nothing while the
// sources of the interface are those of the last time.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLIENT_TYPES, headOf, isWritten } from './client-types/written-types.mjs';

const ROOT = join(import.meta.dirname, '..');
const PROGRAM = join(import.meta.dirname, 'client-types/node_modules/openapi-typescript/bin/cli.js');

/** @throws Error with what the generator printed */
async function writeClientTypes(): Promise<void> {
  if (isWritten(ROOT)) return;
  const text = `${headOf(ROOT)}${clientTypesOf(await servedDocument())}`;
  const file = join(ROOT, CLIENT_TYPES);
  // Renamed into place: two npm scripts may write it at once.
  writeFileSync(`${file}-${process.pid}`, text);
  renameSync(`${file}-${process.pid}`, file);
}

/** Loaded here, because an unchanged interface needs none of it. */
async function servedDocument(): Promise<string> {
  const [{ CONTRACT_VERSION }, { openApiDocument }, { endpointsOf }, { documentText }] = await Promise.all([
    import('../adapters/http/openapi/openapi-document.ts'),
    import('../adapters/http/openapi/openapi-document.ts'),
    import('../adapters/http/routes/endpoints.ts'),
    import('../adapters/http/service-pages.ts'),
  ]);
  // No handler runs here, so that no port is called.
  return documentText(openApiDocument(endpointsOf({} as Parameters<typeof endpointsOf>[0]), CONTRACT_VERSION));
}

/**
 * The types that openapi-typescript makes of the document, as the TypeScript client needs them: without examples, and
 * without refusals, which the client throws.
 * @param document as JSON
 * @throws Error with what the generator printed
 */
export function clientTypesOf(document: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'stancebook-client-types-'));
  try {
    const [input, output] = [join(folder, 'document.json'), join(folder, 'interface.d.ts')];
    writeFileSync(input, JSON.stringify(reduced(JSON.parse(document))));
    const made = spawnSync(process.execPath, [PROGRAM, input, '--immutable', '--output', output], {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    if (made.status !== 0) throw new Error(`openapi-typescript ended with ${made.status}:\n${made.stderr}`);
    return readFileSync(output, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Reducible {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Record<string, unknown>;
}

interface Operation {
  readonly responses: Record<string, { headers?: unknown }>;
}

function reduced(document: Reducible): Reducible {
  for (const { responses } of Object.values(document.paths).flatMap(Object.values<Operation>)) {
    for (const [status, response] of Object.entries(responses)) {
      if (status >= '300') delete responses[status];
      else delete response.headers;
    }
  }
  for (const part of ['examples', 'responses', 'headers']) delete document.components[part];
  dropExamples(document);
  return document;
}

/** No schema of the interface has a property of these names. */
function dropExamples(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    if (name === 'example' || name === 'examples') Reflect.deleteProperty(value, name);
    else dropExamples(part);
  }
}

if (import.meta.main) await writeClientTypes();
