import { Document, Scalar, type ScalarTag, visit } from 'yaml';
import { WORKFLOW } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import { shownJson, withHidden } from '../../domain/shown-text.ts';
import type { WorkflowDocument, WorkflowYaml } from '../../domain/workflows/workflow-files.ts';
import { YamlReaders } from './yaml-readers.ts';

export interface ThreadedYaml extends WorkflowYaml {
  /** Ends the threads. They do not keep the process running, but without this they would delay its end. */
  close(): Promise<void>;
}

/** Reads YAML in separate threads, and writes it in a form that readers of YAML 1.1 understand too. */
export function workflowYaml(readers = new YamlReaders()): ThreadedYaml {
  return {
    async read(text, owner_id) {
      const reading = await readers.read(text, owner_id);
      if ('json' in reading) return reading;
      const { reason, line, column } = reading;
      const message = `The document ${reason} (line ${line}, column ${column}).`;
      throw new Problem('MALFORMED_BODY', message, {
        suggestion: 'Send one document of YAML 1.2 in UTF-8 without aliases, anchors, tags and directives.',
        details: [{ path: '', message: reason, line, column }],
      });
    },
    write: writeYaml,
    close: () => readers.close(),
  };
}

/** One member a line; a document that would then be too large to import has each node and each edge on one line. */
export function writeYaml(document: WorkflowDocument): string {
  const content = inReadingOrder(document);
  const text = indented(content, 0) > WORKFLOW.importBytes ? '' : inLines(content);
  const isSmall = text !== '' && Buffer.byteLength(text) <= WORKFLOW.importBytes;
  // They are in double quotes, so the escape has the same meaning.
  return printedYaml(isSmall ? text : dense(content));
}

/** The least size of a value with one member a line; it avoids writing deep nesting that would be too large. */
function indented(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 2 * depth + String(value).length;
  return Object.values(value).reduce((sum: number, member) => sum + indented(member, depth + 1), 2 * depth);
}

function inReadingOrder({ schema_version, kind, name, description, tags, visibility, nodes, edges }: WorkflowDocument) {
  const header = { schema_version, kind, name, description, tags, ...(visibility && { visibility }) };
  return {
    ...header,
    nodes: nodes.map(({ id, node_id, config }) => ({ id, node_id, config })),
    edges: edges.map(({ from, to }) => ({ from, to })),
  };
}

function inLines(content: object): string {
  const document = new Document(content, {
    version: '1.2',
    aliasDuplicateObjects: false,
    customTags: (tags) => [EXPONENT, ...tags],
  });
  visit(document, {
    Scalar(place, node) {
      if (typeof node.value !== 'string' || isPlain(node.value)) return;
      if (place === 'key' || !isBlock(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** Words that readers of YAML 1.1 or 1.2 take for a boolean or for null; the package yaml takes `e0` for a number. */
const OTHER_TYPES = /^(?:y|n|yes|no|on|off|true|false|null|e[-+]?\d+)$/i;

/** Whether every reader of YAML takes it for a text without quotes: it begins with a letter and has no indicators. */
function isPlain(text: string): boolean {
  return /^\p{L}(?:[\p{L}\p{M}\p{Nd}_.,;()/+' -]*[\p{L}\p{M}\p{Nd}_.()/+-])?$/u.test(text) && !OTHER_TYPES.test(text);
}

/** Whether a text of several lines may be a literal block, whose lines every reader takes as they are. */
function isBlock(text: string): boolean {
  return /^\S.*\n/.test(text) && !/[\t\r]/.test(text) && printedYaml(text) === text;
}

const WITHOUT_POINT = /^-?\de/;

/** Readers of YAML 1.1 take `1e-7` for a text: there, a number with an exponent has a point and a sign. */
const EXPONENT: ScalarTag = {
  identify: (value) => typeof value === 'number' && WITHOUT_POINT.test(String(value)),
  default: true,
  tag: 'tag:yaml.org,2002:float',
  test: WITHOUT_POINT,
  resolve: Number,
  stringify: ({ value }) => withPoint(String(value)),
};

function withPoint(number: string): string {
  return number.replace('e', '.0e');
}

function dense({ nodes, edges, ...rest }: ReturnType<typeof inReadingOrder>): string {
  const listed = (items: readonly object[]) => items.map((item) => `\n  - ${flow(item)}`).join('') || ' []';
  return `${inLines(rest)}nodes:${listed(nodes)}\nedges:${listed(edges)}\n`;
}

/** JSON as every reader of YAML reads it: a name beyond 1,024 characters is marked as one. */
function flow(item: object): string {
  return JSON.stringify(item).replace(JSON_TOKENS, (token, isName?: string) => {
    if (!token.startsWith('"')) return WITHOUT_POINT.test(token) ? withPoint(token) : token;
    return isName !== undefined && token.length > LONGEST_NAME ? `? ${token}` : token;
  });
}

const JSON_TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"(:)?|-?\d[\d.e+-]*/g;
const LONGEST_NAME = 1_000;

/**
 * The text with escapes in place of what no reader sees, and of carriage returns, which move the cursor. JSON has the same
 * value afterwards. Older records and workflows contain such characters.
 */
export function printed(text: string): string {
  return shownJson(text).replaceAll('\r', '\\u000d');
}

/** The same for YAML, whose strings with such characters are in double quotes: it has no pairs of surrogates. */
export function printedYaml(text: string): string {
  return withHidden(text, (character) => {
    const digits = (character.codePointAt(0) ?? 0).toString(16);
    return character.length > 1 ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
  });
}
