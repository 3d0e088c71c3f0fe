import type { Library, NodeTemplate } from '../wire-workflows.ts';

/** The templates in the groups of the library. */
export function groupsOf(library: Library): ReadonlyMap<string, readonly NodeTemplate[]> {
  return Map.groupBy(library.values(), ({ group }) => group);
}

/** The templates that have every typed word in their names, instructions or ports. */
export function matchingTemplates(library: Library, typed: string): Library {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = ({ node_id, title, instructions, inputs, outputs }: NodeTemplate) =>
    [node_id, title, instructions, ...[...inputs, ...outputs].map(({ port }) => port)].join(' ').toLowerCase();
  return new Map([...library].filter(([, template]) => words.every((word) => textOf(template).includes(word))));
}
