import type { OpenApiDocument } from './components.ts';

// The OpenAPI document as this page reads it: the members that our own generator writes, nothing more.

export interface Reference {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, { readonly description: string }>>;
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>;
  };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: Schema;
}

export interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  /** By the code of the refusal; the components contain the examples. */
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

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
