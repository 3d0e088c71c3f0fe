import { Document, isScalar, Scalar, visit } from 'yaml';
import { WORKFLOW } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import type { WorkflowDocument, WorkflowYaml } from '../../domain/workflows/workflow-files.ts';
import { YamlReaders } from './yaml-readers.ts';

/** Reads YAML in threads of its own, and writes it in a form that readers of YAML 1.1 understand alike. */
export function workflowYaml(readers = new YamlReaders()): WorkflowYaml {
  return {
    async read(text) {
      const reading = await readers.read(text);
      if ('json' in reading) return reading;
      const { reason, line, column } = reading;
      const message = `The document ${reason} (line ${line}, column ${column}).`;
      throw new Problem('MALFORMED_BODY', message, {
        suggestion: 'Send one document of YAML 1.2 in UTF-8 without aliases, anchors, tags and directives.',
        details: [{ path: '', message: reason, line, column }],
      });
    },
    write: writeYaml,
  };
}

/** Laid out in lines; what would be too large to be imported so has its nodes and edges in a line each. */
export function writeYaml(document: WorkflowDocument): string {
  const text = written(document, false);
  return Buffer.byteLength(text) <= WORKFLOW.importBytes ? text : written(document, true);
}

const STYLE = { lineWidth: 0, flowCollectionPadding: false } as const;

function written(content: WorkflowDocument, dense: boolean): string {
  const document = new Document(content, { version: '1.2', compat: 'yaml-1.1', aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && !isPlainText(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
    Pair(_, { key }) {
      if (isScalar(key) && `${key.value}`.includes('\n')) key.type = Scalar.QUOTE_DOUBLE;
    },
    Map(_, node, path) {
      if (dense && path.length === 4) node.flow = true;
    },
  });
  return document.toString(STYLE).replaceAll(new RegExp(UNPRINTED, 'gu'), escaped);
}

/**
 * What YAML allows in quotes only, what some readers take for the end of a line, and what turns the direction of text
 * around so that it reads as something else.
 */
const UNPRINTED = '[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ufeff\\ufffe\\uffff]';
const HAS_UNPRINTED = new RegExp(UNPRINTED, 'u');

function isPlainText(text: string): boolean {
  return !HAS_UNPRINTED.test(text);
}

/** They stand in double quotes, so that an escape means the same. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
