/** A place in the document that a linter reports. */
export interface Place {
  /** The steps to it, joined by `/`; the path of an operation contains slashes of its own. */
  readonly pointer: string;
  /** Schemas that only replies refer to, headers and refusals are of replies; the document's own facts are neither. */
  readonly part: 'request' | 'reply' | 'other';
  /** The value there, if it is an object. */
  readonly schema: PlacedSchema;
}

interface PlacedSchema {
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
}

/** A document as it was parsed. */
export type Node = Readonly<Record<string, unknown>>;

/** Finds the place of the steps in a document. */
export function placesOf(document: Node): (steps: readonly string[]) => Place {
  const requested = requestedSchemas(document);
  return (steps) => {
    const value = steps.reduce<unknown>((node, step) => (isNode(node) ? node[step] : undefined), document);
    return { pointer: steps.join('/'), part: partOf(steps, requested), schema: isNode(value) ? value : {} };
  };
}

function partOf([root, kind = '', name = '', ...rest]: readonly string[], requested: ReadonlySet<string>) {
  if (root === 'components') return kind === 'schemas' && requested.has(name) ? 'request' : 'reply';
  if (root !== 'paths') return 'other';
  if (name === 'parameters' || rest[0] === 'parameters' || rest[0] === 'requestBody') return 'request';
  return rest[0] === 'responses' || name === 'responses' ? 'reply' : 'other';
}

/** The names of the schemas that parameters and bodies refer to, directly or through others. */
function requestedSchemas(document: Node): ReadonlySet<string> {
  const found = new Set<string>();
  const schemas = (document.components as Node).schemas as Node;
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const item of node) visit(item);
    if (!isNode(node)) return;
    const name = /^#\/components\/schemas\/(.+)$/.exec(String(node.$ref))?.[1];
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      visit(schemas[name]);
    }
    for (const [key, value] of Object.entries(node)) if (key !== 'example') visit(value);
  };
  for (const methods of Object.values(document.paths as Node)) {
    for (const operation of Object.values(methods as Node)) {
      const { parameters, requestBody } = operation as Node;
      visit([parameters, requestBody]);
    }
  }
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}
