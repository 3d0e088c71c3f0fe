import type { OpenApiDocument } from './components.ts';
import type { Reference } from './reference.ts';

type Component = Readonly<Record<string, unknown>>;

/**
 * The document with each component in the places that refer to it, for readers who cannot look it up; what stands beside a
 * reference goes before it. A schema within itself stays a reference.
 * @param isInlined which of the components: all of them unless told
 */
export function inlinedDocument(
  document: OpenApiDocument,
  isInlined: (kind: string, component: Component) => boolean = () => true,
): Reference {
  const components = (document.components ?? {}) as Readonly<Record<string, Readonly<Record<string, Component>>>>;
  const inlined = (node: unknown, within: readonly string[]): unknown => {
    if (Array.isArray(node)) return node.map((item) => inlined(item, within));
    if (typeof node !== 'object' || node === null) return node;
    const { $ref, ...beside } = node as { readonly $ref?: unknown };
    const [reference = '', kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(String($ref)) ?? [];
    const target = components[kind]?.[name];
    if (target !== undefined && !within.includes(reference) && isInlined(kind, target)) {
      return inlined({ ...target, ...beside }, [...within, reference]);
    }
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inlined(value, within)]));
  };
  return inlined(document, []) as Reference;
}
