import { PROBLEMS } from '../../domain/problem.ts';
import type { Answer, Operation, Parameter, Reference, Schema } from './docs/document.ts';
import type { Endpoint } from './endpoint.ts';
import { openApiDocument } from './openapi.ts';

/** The endpoints in Markdown, for whoever has nothing else at hand: made of the document that the service publishes. */
export function agentReference(endpoints: readonly Endpoint[]): string {
  const { paths } = openApiDocument(endpoints, '') as unknown as Reference;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationText(method.toUpperCase(), path, operation)),
  );
  return `${[INTRODUCTION, ...operations, '## Refusals', refusals(paths)].join('\n\n')}\n`;
}

const INTRODUCTION = `# Requests of an agent

All paths stand behind \`$BASE_URL\`; send the header \`X-API-Key: $API_KEY\`, and JSON in UTF-8 as \`application/json\`. Every
refusal is \`{ error: { code, category, message, suggestion, retry_after_seconds, details?, request_id } }\`: do what
\`suggestion\` says, and after a 429 or 503 wait for \`retry_after_seconds\`. \`x-ratelimit-remaining\` and \`x-quota-remaining\` of
every response tell what is left.`;

function operationText(method: string, path: string, operation: Operation): string {
  const { summary, description, parameters, requestBody, responses } = operation;
  const bodies = Object.values(requestBody?.content ?? {});
  const parts = [
    `## ${method} ${path}`,
    `${summary}. ${description}`,
    parameters.map(parameterLine).join('\n'),
    ...bodies.map(({ schema, example }) => `Body:\n\n${members(schema).join('\n')}\n\n${code(example)}`),
    ...Object.entries(responses).flatMap(([status, answer]) => answerText(status, answer)),
    `Refused with: ${refusalsOf(responses).join(', ')}.`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function parameterLine({ name, in: place, required, description, schema }: Parameter): string {
  return line(0, name, `${place}${required ? ', required' : ''}`, { ...schema, ...(description && { description }) });
}

/** The members of an object, those of theirs below them. */
function members(schema: Schema, depth = 0): string[] {
  const { properties = {}, required = [] } = objectOf(schema) ?? {};
  return Object.entries(properties).flatMap(([name, member]) => [
    line(depth, name, required.includes(name) ? 'required' : 'optional', member),
    ...members(member, depth + 1),
  ]);
}

/** The object that a member is, is a list of, or may be. */
function objectOf(schema: Schema | undefined): Schema | undefined {
  if (!schema || schema.properties) return schema;
  return objectOf(schema.items ?? schema.anyOf?.find(({ properties }) => properties));
}

function line(depth: number, name: string, need: string, schema: Schema): string {
  const words = schema.description ? `: ${schema.description}` : '';
  return `${'  '.repeat(depth)}- \`${name}\` (${[need, ...shapeOf(schema)].join(', ')})${words}`;
}

const BOUNDS: readonly (readonly [name: keyof Schema, told: string, unit: string])[] = [
  ['minimum', 'at least', ''],
  ['exclusiveMinimum', 'more than', ''],
  ['maximum', 'at most', ''],
  ['maxLength', 'at most', ' characters'],
  ['maxItems', 'at most', ' items'],
];

function shapeOf(schema: Schema): string[] {
  const { enum: words, type, format, anyOf, items } = schema;
  const kind = words ? words.map((word) => `\`${word}\``).join(' or ') : [type ?? []].flat().join(' or ');
  const bound = BOUNDS.filter(([name]) => schema[name] !== undefined);
  const bounds = bound.map(([name, told, unit]) => `${told} ${schema[name]}${unit}`);
  const inner = items ? ` of ${shapeOf(items).join(', ')}` : '';
  const either = anyOf?.map((one) => shapeOf(one).join(', ')).join(' or ') ?? '';
  return [`${kind}${inner}${either}${format ? ` ${format}` : ''}`, ...bounds].filter((part) => part !== '');
}

function answerText(status: string, { description, content }: Answer): string[] {
  if (!status.startsWith('2')) return [];
  const examples = Object.values(content ?? {}).flatMap(({ example }) =>
    example === undefined ? [] : [code(example)],
  );
  return [`Answers ${status}: ${description}`, ...examples];
}

function code(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function refusalsOf(responses: Operation['responses']): readonly string[] {
  const media = Object.values(responses).flatMap(({ content }) => Object.values(content ?? {}));
  return [...new Set(media.flatMap(({ examples }) => Object.keys(examples ?? {})))];
}

function refusals(paths: Reference['paths']): string {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const codes = new Set(operations.flatMap(({ responses }) => refusalsOf(responses)));
  const lines = [...codes].sort().map((known) => {
    const { status, suggestion } = PROBLEMS[known as keyof typeof PROBLEMS];
    return `- \`${known}\` (${status}): ${suggestion}`;
  });
  return lines.join('\n');
}
