import {
  Composer,
  CST,
  type Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type Scalar,
} from 'yaml';
import { WORKFLOW } from '../../domain/limits.ts';
import type { Place, YamlReading } from '../../domain/workflows/workflow-files.ts';

export interface YamlFault extends Place {
  /** A predicate of the document: "contains a member twice". */
  readonly reason: string;
}

/**
 * The document of a YAML text as JSON, or its first fault with the place; see `WorkflowYaml.read` for what is accepted.
 * A hostile text of 64 KiB takes some 0.2 s: do not call it in the thread that serves requests.
 */
export function readYaml(text: string): YamlReading | YamlFault {
  const lines = new LineCounter();
  const { stackTraceLimit } = Error;
  // The parser makes an error for each fault, up to one for each character: their stacks took most of the time.
  Error.stackTraceLimit = 0;
  try {
    return read(text, lines);
  } catch (error) {
    if (error instanceof Refused) return { reason: error.message, ...placeOf(error.offset, lines) };
    if (error instanceof RangeError) return { reason: 'nests too deeply', line: 1, column: 1 };
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

class Refused extends Error {
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(reason);
    this.offset = offset;
  }
}

function read(text: string, lines: LineCounter): YamlReading {
  const { contents } = onlyDocument(text, lines);
  const places = new Map<string, Place>();
  const note = (path: string, offset: number) => places.set(path, placeOf(offset, lines));
  return { json: JSON.stringify(contents ? jsonValue(contents, '', 0, note) : null), places };
}

function placeOf(offset: number, lines: LineCounter): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

const LONGEST_REASON = 200;

function onlyDocument(text: string, lines: LineCounter): Document.Parsed {
  const [first] = new Composer(CORE).compose(onlyDocumentTokens(text, lines), true, text.length);
  const [fault] = [...(first?.errors ?? []), ...(first?.warnings ?? [])];
  // The parser is recursive and runs out of stack on deep nesting.
  if (fault?.code === 'RESOURCE_EXHAUSTION') throw new Refused('nests too deeply', fault.pos[0]);
  if (fault) throw new Refused(`is not valid: ${fault.message.slice(0, LONGEST_REASON)}`, fault.pos[0]);
  if (!first) throw new Refused('is empty', 0);
  return first as Document.Parsed;
}

/** Keys are text: `yes`, `1e3` and `null` are ordinary names. `membersOf` finds repeated ones. */
const CORE = {
  version: '1.2',
  schema: 'core',
  merge: false,
  stringKeys: true,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
} as const;

function* onlyDocumentTokens(text: string, lines: LineCounter) {
  let documents = 0;
  for (const token of tokensOf(text, lines)) {
    if (token.type === 'directive') throw new Refused('contains a directive (%), which is not allowed', token.offset);
    if (token.type === 'error')
      throw new Refused(`is not valid: ${token.message.slice(0, LONGEST_REASON)}`, token.offset);
    if (token.type === 'document') documents += 1;
    if (documents > 1 && 'offset' in token) throw new Refused('contains a second document', token.offset);
    yield token;
  }
}

/** As `Parser.parse`, but it stops at brackets that nest far too deep, before the parser has worked for their rest. */
function* tokensOf(text: string, lines: LineCounter) {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let depth = 0;
  let before = '';
  for (const lexeme of new Lexer().lex(text)) {
    // This mark comes before the text of a scalar, which may be a bracket.
    if (before !== CST.SCALAR) depth = Math.max(0, depth + (BRACKETS[lexeme] ?? 0));
    if (depth > DEEPEST_BRACKETS) throw tooDeep(parser.offset);
    yield* parser.next(lexeme);
    before = lexeme;
  }
  yield* parser.end();
}

const BRACKETS: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 };

/** More than any document may have: `jsonValue` counts the other levels too, and reports the exact place. */
const DEEPEST_BRACKETS = 2 * WORKFLOW.yamlDepth;

function tooDeep(offset: number): Refused {
  return new Refused(`nests deeper than ${WORKFLOW.yamlDepth} levels`, offset);
}

type Note = (path: string, offset: number) => void;

/** Levels whose places are reported: those of `nodes.0.config.member`. */
const NOTED_LEVELS = 4;

function jsonValue(node: Node, path: string, depth: number, note: Note): unknown {
  const offset = node.range?.[0] ?? 0;
  if (depth <= NOTED_LEVELS) note(path, offset);
  refuseExtras(node, offset);
  if (isScalar(node)) return plainValue(node, offset);
  if (depth >= WORKFLOW.yamlDepth) throw tooDeep(offset);
  const inner = (member: unknown, key: string | number) =>
    member ? jsonValue(member as Node, path === '' ? `${key}` : `${path}.${key}`, depth + 1, note) : null;
  if (isSeq(node)) return node.items.map(inner);
  if (isMap<Scalar, Node>(node)) return Object.fromEntries(membersOf(node.items, offset, inner));
  throw new Refused('contains a value that JSON cannot express', offset);
}

function refuseExtras(node: Node, offset: number): void {
  if ('source' in node && !isScalar(node)) throw new Refused('contains an alias (*), which is not allowed', offset);
  if ('anchor' in node && node.anchor !== undefined) {
    throw new Refused('contains an anchor (&), which is not allowed', offset);
  }
  if (node.tag !== undefined) throw new Refused('contains a tag (!), which is not allowed', offset);
}

function plainValue({ value }: Scalar, offset: number): unknown {
  if (typeof value === 'string') return plainText(value, offset);
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new Refused('contains a number that JSON cannot express', offset);
}

function plainText(text: string, offset: number): string {
  if (text.includes('\0')) throw new Refused('contains the character U+0000', offset);
  if (!text.isWellFormed()) throw new Refused('contains an unpaired surrogate', offset);
  return text;
}

function* membersOf(
  items: readonly { readonly key: Scalar; readonly value: Node | null }[],
  start: number,
  inner: (member: Node | null, key: string) => unknown,
): Generator<[string, unknown]> {
  const names = new Set<string>();
  for (const { key, value } of items) {
    const offset = key.range?.[0] ?? start;
    refuseExtras(key, offset);
    const name = plainText(String(key.value ?? ''), offset);
    if (names.has(name)) throw new Refused(`contains a member twice: ${name.slice(0, LONGEST_REASON)}`, offset);
    if (name === '__proto__') throw new Refused('contains a member __proto__, which is not allowed', offset);
    names.add(name);
    yield [name, inner(value, name)];
  }
}
