import { PROBLEMS } from '../../domain/problem.ts';
import type { Answer, Operation, Parameter, Reference } from './docs/document.ts';
import type { Endpoint } from './endpoint.ts';
import { openApiDocument } from './openapi.ts';

/** The endpoints in Markdown, for whoever has nothing else at hand: made of the document that the service publishes. */
export function agentReference(endpoints: readonly Endpoint[]): string {
  const { paths, components } = openApiDocument(endpoints, '') as unknown as Reference;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationText(method.toUpperCase(), path, operation)),
  );
  const parts = [INTRODUCTION, ...operations, '## Refusals', refusals(paths), '## Schemas', schemas(components)];
  return `${parts.join('\n\n')}\n`;
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
    ...bodies.map(({ schema, example }) => `Body: ${schemaText(schema)}\n\nFor example:\n\n${code(example)}`),
    ...Object.entries(responses).flatMap(([status, answer]) => answerText(status, answer)),
    `Refused with: ${refusalsOf(responses).join(', ')}.`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function parameterLine({ name, in: place, required, description, schema }: Parameter): string {
  const { description: _, ...rest } = schema;
  const words = [`${place}${required ? ', required' : ''}`, `\`${JSON.stringify(rest)}\``, description ?? ''];
  return `- \`${name}\` (${words.filter((word) => word !== '').join('; ')})`;
}

function answerText(status: string, { description, content }: Answer): string[] {
  if (!status.startsWith('2')) return [];
  const media = Object.values(content ?? {});
  if (media.length === 0) return [`Answers ${status}: ${description}`];
  return media.map(({ schema, example }) =>
    [`Answers ${status}: ${description} ${schemaText(schema)}`, ...(example === undefined ? [] : [code(example)])].join(
      '\n\n',
    ),
  );
}

/** A schema that has a name is told once, at the end. */
function schemaText(schema: object): string {
  const [only, ...others] = Object.entries(schema);
  if (only?.[0] === '$ref' && others.length === 0) return `\`${nameOf(String(only[1]))}\`, see Schemas.`;
  return `as JSON Schema \`${JSON.stringify(schema)}\``;
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function code(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function refusalsOf(responses: Operation['responses']): string[] {
  return Object.values(responses).flatMap(({ content }) =>
    Object.values(content ?? {}).flatMap(({ examples }) => Object.keys(examples ?? {})),
  );
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

function schemas({ schemas: named }: Reference['components']): string {
  return Object.entries(named)
    .map(([name, schema]) => `### ${name}\n\n${code(schema)}`)
    .join('\n\n');
}
