import { ask } from '../../kit/ask.ts';
import type { Library, NodeTemplate } from '../wire-workflows.ts';

let library: Promise<Library> | undefined;

/** The library of steps, which does not change while the page is open. @throws RefusedRequest */
export function readLibrary(): Promise<Library> {
  library ??= ask<{ readonly items: readonly NodeTemplate[] }>('/api/v1/nodes').then(
    ({ items }) => new Map(items.map((template) => [template.node_id, template])),
    (error: unknown) => {
      library = undefined;
      throw error;
    },
  );
  return library;
}
