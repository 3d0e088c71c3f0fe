import type { Endpoint } from '../kit/endpoint.ts';
import { inlinedDocument } from '../openapi/inlined-document.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import type { Answer, Operation, Reference } from '../openapi/reference.ts';
import { memberLines, parameterLine, refusalLines, refusalsOf } from './reference-lines.ts';

/** The endpoints in Markdown, complete without other documents; generated from the published OpenAPI document. */
export function agentReference(endpoints: readonly Endpoint[]): string {
  const { paths } = inlinedDocument(openApiDocument(endpoints, ''));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationText(method.toUpperCase(), path, operation)),
  );
  return `${[INTRODUCTION, ...operations, '## Refusals', refusalLines(operationsOf(paths))].join('\n\n')}\n`;
}

const INTRODUCTION = `# Requests of an agent

Prefix every path with \`$BASE_URL\`. Send the header \`X-API-Key: $API_KEY\`, and JSON in UTF-8 as \`application/json\`. Every
refusal is \`{ error: { code, category, message, suggestion, retry_after_seconds, details?, request_id } }\`: do what
\`suggestion\` says. If \`retry_after_seconds\` is not null, wait that long; if it is null, waiting does not help. In every
response \`x-ratelimit-remaining\` and \`x-quota-remaining\` show the remaining requests and units.`;

function operationText(method: string, path: string, operation: Operation): string {
  const { summary, description, parameters, requestBody, responses } = operation;
  const bodies = Object.values(requestBody?.content ?? {});
  const parts = [
    `## ${method} ${path}`,
    `${summary}. ${description}`,
    parameters.map(parameterLine).join('\n'),
    ...bodies.map(({ schema, example }) => `Body:\n\n${memberLines(schema).join('\n')}\n\n${code(example)}`),
    ...Object.entries(responses).flatMap(([status, answer]) => answerText(status, answer)),
    `Error codes: ${refusalsOf(operation).join(', ')}.`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function answerText(status: string, { description, content }: Answer): string[] {
  if (!status.startsWith('2')) return [];
  const examples = Object.values(content ?? {}).flatMap(({ example }) =>
    example === undefined ? [] : [code(example)],
  );
  return [`Reply ${status}: ${description}`, ...examples];
}

function code(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function operationsOf(paths: Reference['paths']): readonly Operation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}
