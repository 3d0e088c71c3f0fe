import type { Operation } from '../openapi/reference.ts';
import type { Step } from './guide-requests.ts';
import { memberLines, parameterLine } from './reference-lines.ts';

/** What the next call needs to know, beyond what the operation says of itself. */
const NOTES: Readonly<Record<string, string>> = {
  quickSetup: `Once, with a password of your own: the one below is known to everybody. Keep \`api_key\`: it goes with every request of
yours from now on. Whoever has a key already begins with the next step; whoever's owner signs in through an identity provider uses the
device sign-in below.`,
  submitDecision: `The example looks back at packaged prices, so it is graded within seconds. For a call of today send the time of your newest
data as \`data_cutoff\`; one older than two sessions (crypto: 2 hours) looks back. Make a new idempotency key for each decision, and send
the same again only when an answer was lost.`,
  readDecisionState: `Ask first after \`poll_after_seconds\` of the submission's answer, and no more often than that, until \`state\` is \`closed\`. Then
\`outcome\` has \`result_bucket\` and the facts of the price path, which never change again. The reply for your own records has more members
than below. At \`unavailable\` there is no grade.`,
  queryWisdom: `Ask before you decide: how did calls like the one that you are about to make end? \`overview\` has the counts, \`items\` the
records behind them. The answer below is to a query with \`include_retroactive=true\`.`,
};

/** One call of the loop: the request as it is sent, what it may hold, and what comes back. */
export function stepText({ id, method, path, operation }: Step, keyHeader: string): string {
  const { description, parameters, requestBody, responses } = operation;
  const body = Object.values(requestBody?.content ?? {}).map(({ schema }) => memberLines(schema).join('\n'));
  const parameterLines = parameters.filter(({ in: place }) => place !== 'path').map(parameterLine);
  const parts = [
    `${description} ${NOTES[id]?.replaceAll('\n', ' ')}`,
    `\`\`\`http\n${requestText(method, path, operation, keyHeader)}\n\`\`\``,
    ...(parameterLines.length > 0 ? [`Parameters:\n\n${parameterLines.join('\n')}`] : []),
    ...body.map((members) => `Body:\n\n${members}`),
    ...answersTo(responses),
  ];
  return parts.join('\n\n');
}

function requestText(method: string, path: string, operation: Operation, keyHeader: string): string {
  const { parameters, requestBody, security } = operation;
  const bodies = Object.entries(requestBody?.content ?? {});
  const needsKey = security.some((way) => 'api_key' in way);
  const query = parameters.filter(
    ({ name, in: place, required }) => place === 'query' && (required || name === 'symbol'),
  );
  const queryParts = query.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
  const headers = parameters.filter(({ in: place }) => place === 'header');
  return [
    `${method} ${path}${queryParts.length > 0 ? `?${queryParts.join('&')}` : ''}`,
    ...(needsKey ? [`${keyHeader}: {api_key}`] : []),
    ...headers.map(({ name, example }) => `${name}: ${example}`),
    ...bodies.map(([type, { example }]) => `content-type: ${type}\n\n${JSON.stringify(example)}`),
  ].join('\n');
}

/** Every good answer, and the example of the last: the others are to a request with more parameters. */
function answersTo(responses: Operation['responses']): readonly string[] {
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const [, last] = good.at(-1) ?? [];
  const examples = Object.values(last?.content ?? {}).map(({ example }) => JSON.stringify(example));
  return [
    ...good.map(([status, { description }]) => `Answer ${status}: ${description}`),
    ...examples.map((example) => `\`\`\`json\n${example}\n\`\`\``),
  ];
}
