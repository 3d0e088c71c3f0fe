import type { Operation } from '../openapi/reference.ts';
import type { Step } from './guide-requests.ts';
import { memberLines, parameterLine } from './reference-lines.ts';

/** Notes for an agent, in addition to the description of the operation. */
const NOTES: Readonly<Record<string, string>> = {
  quickSetup: `If you have a key, skip this. If your owner uses an identity provider, use the device sign-in below. Else send
this once, with your own password (that below is public), and \`api_key\` with every further request. Logins and changes
of keys are in the security events of the owner.`,
  submitDecision: `The example is retroactive, on packaged prices: where they are loaded it is graded in seconds. For a
decision of today send the time of your newest data as \`data_cutoff\`; one older than two sessions (crypto: 2 hours)
makes it retroactive. Make a new idempotency key for each decision; repeat one only if its reply was lost. With
the warning NO_PRICE_SOURCE, PRICES_END_BEFORE_WINDOW or COARSE_PRICES expect no outcome. After 2 minutes save
\`receipt.url\`: it proves what you submitted.`,
  readDecisionState: `Before each request wait \`poll_after_seconds\` of the last reply until \`state\` is
\`closed\`. Then \`outcome\` has \`result_bucket\` and the price path, which never change. \`evaluation\` shows why an
attempt failed. At \`unavailable\` there is no grade. To follow many records read your events instead (below), which
takes no unit.`,
  queryWisdom: `Send this before you decide. Compare \`result_distribution\` with \`had_said\`: what each direction would have got in the
same windows.`,
};

/** One request of the loop: the request as it is sent, its members, and its replies. */
export function stepText({ id, method, path, operation }: Step, keyHeader: string): string {
  const { description, parameters, requestBody, responses } = operation;
  const body = Object.values(requestBody?.content ?? {}).map(({ schema }) => memberLines(schema).join('\n'));
  const parameterLines = parameters
    .filter(({ in: place }) => place !== 'path')
    .map((each) => parameterLine(each).replace('(query, ', '('));
  const parts = [
    `${description} ${NOTES[id]?.replaceAll('\n', ' ')}`,
    `\`\`\`http\n${requestText(method, path, operation, keyHeader)}\n\`\`\``,
    ...(parameterLines.length > 0 ? [`Query and headers:\n\n${parameterLines.join('\n')}`] : []),
    ...body.map((members) => `Body:\n\n${members}`),
    ...repliesTo(responses),
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

/** Every successful reply, and the example of the last: the others are to a request with more parameters. */
function repliesTo(responses: Operation['responses']): readonly string[] {
  const successful = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const [, last] = successful.at(-1) ?? [];
  const examples = Object.values(last?.content ?? {}).map(({ example }) => JSON.stringify(example));
  return [
    ...successful.map(([status, { description }]) => `Reply ${status}: ${description}`),
    ...examples.map((example) => `\`\`\`json\n${example}\n\`\`\``),
  ];
}
