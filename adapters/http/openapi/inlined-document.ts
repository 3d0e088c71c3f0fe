import type { OpenApiDocument } from './components.ts';
import type { Reference } from './reference.ts';

type Component = Readonly<Record<string, unknown>>;

/**
 * The document with each component in the places that refer to it, for readers who cannot resolve references. Members
 * next to a reference take precedence over it. A schema inside itself stays a reference.
 * @param isInlined which components to inline; default all
 */
export function inlinedDocument(
  document: OpenApiDocument,
  isInlined: (kind: string, component: Component) => boolean = () => true,
): Reference {
  const components = (document.components ?? {}) as Readonly<Record<string, Readonly<Record<string, Component>>>>;
  const inlined = (node: unknown, ancestors: readonly string[]): unknown => {
    if (Array.isArray(node)) return node.map((item) => inlined(item, ancestors));
    if (typeof node !== 'object' || node === null) return node;
    const { $ref, ...siblings } = node as { readonly $ref?: unknown };
    const [reference = '', kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(String($ref)) ?? [];
    const target = components[kind]?.[name];
    if (target !== undefined && !ancestors.includes(reference) && isInlined(kind, target)) {
      return inlined({ ...target, ...siblings }, [...ancestors, reference]);
    }
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inlined(value, ancestors)]));
  };
  return inlined(document, []) as Reference;
}
