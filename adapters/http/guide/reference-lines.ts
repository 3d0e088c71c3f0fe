import { PROBLEMS } from '../../../domain/problem.ts';
import type { Operation, Parameter, Schema } from '../openapi/reference.ts';

// Parts of an operation of the document as lines of Markdown.

/** A parameter: its place, its need, its shape, what it means. */
export function parameterLine({ name, in: place, required, description, schema }: Parameter): string {
  const need = [place, ...(required ? ['required'] : [])];
  const { enum: words, ...shape } = schema;
  const shown = words && description !== AS_IN_A_SUBMISSION ? { ...shape, enum: words } : shape;
  return line(0, name, need, { ...shown, ...(description && { description }) });
}

/** The guide lists the words of such a parameter once, in the body of a submission. */
const AS_IN_A_SUBMISSION = 'As in a submission.';

/** The members of an object, with their own members below them. A member that is not marked as required is optional. */
export function memberLines(schema: Schema, depth = 0): string[] {
  const { properties = {}, required = [] } = objectOf(schema) ?? {};
  return Object.entries(properties).flatMap(([name, member]) => [
    line(depth, name, required.includes(name) ? ['required'] : [], member),
    ...memberLines(member, depth + 1),
  ]);
}

/** The error codes of an operation. */
export function refusalsOf({ responses }: Pick<Operation, 'responses'>): readonly string[] {
  const media = Object.values(responses).flatMap(({ content }) => Object.values(content ?? {}));
  return [...new Set(media.flatMap(({ examples }) => Object.keys(examples ?? {})))];
}

/** What to do about each code that any of the operations refuses with. */
export function refusalLines(operations: readonly Pick<Operation, 'responses'>[]): string {
  const codes = new Set(operations.flatMap(refusalsOf));
  const lines = [...codes].sort().map((known) => {
    const { status, suggestion } = PROBLEMS[known as keyof typeof PROBLEMS];
    return `- \`${known}\` (${status}): ${suggestion}`;
  });
  return lines.join('\n');
}

/** The object that a member is, is a list of, or may be. */
function objectOf(schema: Schema | undefined): Schema | undefined {
  if (!schema || schema.properties) return schema;
  return objectOf(schema.items ?? schema.anyOf?.find(({ properties }) => properties));
}

function line(depth: number, name: string, need: readonly string[], schema: Schema): string {
  const words = schema.description ? `: ${schema.description}` : '';
  const [kind = '', ...bounds] = shapeOf(schema);
  // A bound in characters says that it is a string.
  const shape = kind === 'string' && bounds.length > 0 ? bounds : [kind, ...bounds];
  return `${'  '.repeat(depth)}- \`${name}\` (${[...need, ...shape].join(', ')})${words}`;
}

const BOUNDS: readonly (readonly [name: keyof Schema, phrase: string, unit: string])[] = [
  ['minimum', 'min', ''],
  ['exclusiveMinimum', 'over', ''],
  ['maximum', 'max', ''],
  ['maxLength', 'max', ' chars'],
  ['maxItems', 'max', ' items'],
];

/** Larger bounds are technical (what can be sent or stored) and are not shown. */
const MEANT = { length: 8 * 1024, value: 2 ** 31 - 1 };

function shapeOf(schema: Schema): string[] {
  const { enum: words, type, format, anyOf, items } = schema;
  const kind = words ? `\`${words.join('|')}\`` : (type === 'string' && format) || [type ?? []].flat().join(' or ');
  const bound = BOUNDS.filter(([name]) => {
    const meant = name === 'maxLength' ? MEANT.length : MEANT.value;
    return schema[name] !== undefined && Math.abs(Number(schema[name])) < meant;
  });
  const bounds = bound.map(([name, phrase, unit]) => `${phrase} ${schema[name]}${unit}`);
  const inner = items ? ` of ${shapeOf(items).join(', ')}` : '';
  const either = anyOf?.map((one) => shapeOf(one).join(', ')).join(' or ') ?? '';
  return [`${kind}${inner}${either}`, ...bounds].filter((part) => part !== '');
}
