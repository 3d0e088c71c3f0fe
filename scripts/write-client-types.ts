import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { runTool } from './tools.ts';

/** The types of the TypeScript client. */
export const CLIENT_TYPES = join(import.meta.dirname, '../../../clients/typescript/client/interface.d.ts');

/**
 * The types that openapi-typescript makes of the document, as the TypeScript client needs them: without examples, and
 * without refusals, which the client throws.
 * @param document as JSON
 * @throws Error with what the generator printed
 */
export async function clientTypesOf(document: string): Promise<string> {
  const folder = makeThrowawayFolder('client-types');
  try {
    const [input, output] = [join(folder, 'document.json'), join(folder, 'interface.d.ts')];
    writeFileSync(input, JSON.stringify(reduced(JSON.parse(document))));
    const made = await runTool('openapi-typescript', [input, '--immutable', '--output', output]);
    if (made.status !== 0) throw new Error(made.stderr);
    return readFileSync(output, 'utf8');
  } finally {
    removeThrowawayFolder(folder);
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
