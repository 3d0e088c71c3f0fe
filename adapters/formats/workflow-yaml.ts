import { Document, isScalar, Scalar, visit } from 'yaml';
import { WORKFLOW } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import type { WorkflowDocument, WorkflowYaml } from '../../domain/workflows/workflow-files.ts';
import { printed, UNPRINTED } from './unprinted.ts';
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
  return printed(isSmall ? text : dense(content));
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
  const document = new Document(content, { version: '1.2', compat: 'yaml-1.1', aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && node.value.search(UNPRINTED) >= 0) node.type = Scalar.QUOTE_DOUBLE;
    },
    Pair(_, { key }) {
      if (isScalar(key) && `${key.value}`.includes('\n')) key.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0 });
}

function dense({ nodes, edges, ...rest }: ReturnType<typeof inReadingOrder>): string {
  const listed = (items: readonly object[]) => items.map((item) => `\n  - ${JSON.stringify(item)}`).join('') || ' []';
  return `${inLines(rest)}nodes:${listed(nodes)}\nedges:${listed(edges)}\n`;
}
