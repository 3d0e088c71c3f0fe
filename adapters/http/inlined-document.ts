import type { Reference } from './docs/document.ts';
import type { OpenApiDocument } from './openapi-components.ts';

/** The document with each component in the places that refer to it, for readers who cannot look it up; a schema within itself stays a reference. */
export function inlinedDocument(document: OpenApiDocument): Reference {
  const components = (document.components ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const inlined = (node: unknown, within: readonly string[]): unknown => {
    if (Array.isArray(node)) return node.map((item) => inlined(item, within));
    if (typeof node !== 'object' || node === null) return node;
    const { $ref } = node as { readonly $ref?: unknown };
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(String($ref)) ?? [];
    const target = components[kind]?.[name];
    if (target !== undefined && !within.includes(name)) return inlined(target, [...within, name]);
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inlined(value, within)]));
  };
  return { ...document, paths: inlined(document.paths, []) } as unknown as Reference;
}
