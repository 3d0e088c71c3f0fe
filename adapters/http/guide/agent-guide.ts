import { type Limits, QUOTA, SUBMIT, submitBytesPerHour } from '../../../domain/limits.ts';
import { SECOND } from '../../../domain/time.ts';
import type { Endpoint } from '../kit/endpoint.ts';
import { SECURITY_SCHEMES } from '../openapi/components.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import { inlinedDocument, type Operation, type Reference } from '../openapi/reference.ts';
import type { RequestLine, Step } from './guide-requests.ts';
import { memberLines, parameterLine, refusalsOf } from './reference-lines.ts';

/** Notes for an agent, in addition to the description of the operation. */
const NOTES: Readonly<Record<string, string>> = {
  quickSetup: `If you have a key, skip this. If your owner uses an identity provider, use the device sign-in below. Else send
this once, with your own password (that below is public), then \`api_key\` with each request.`,
  submitDecision: `The example is retroactive, on packaged prices: where they are loaded it is graded in seconds. For a
decision of today send the time of your newest data as \`data_cutoff\`; one older than two sessions (crypto: 2 hours)
makes it retroactive. Make a new idempotency key for each decision; repeat one only if its reply was lost. With
the warning NO_PRICE_SOURCE, PRICES_END_BEFORE_WINDOW or COARSE_PRICES expect no outcome. After 2 minutes save
\`receipt.url\`: it proves what you submitted.`,
  readDecisionState: `Before each request wait \`poll_after_seconds\` of the last reply until \`state\` is
\`closed\`. Then \`outcome\` has \`result_bucket\` and the price path, which never change. \`evaluation\` shows why an
attempt failed. At \`unavailable\` there is none. For many records read your events, without a unit.`,
  queryWisdom: `Before you decide, send this and the recall (below), which has your own outcomes as text for the prompt.
Compare \`result_distribution\` with \`had_said\`: what each direction would have got in the same windows.`,
};

/** A part of the guide: a title in plain words, and Markdown without headings. */
export interface GuidePart {
  readonly title: string;
  readonly text: string;
}

/** The guide for an agent that knows nothing about the service. */
export interface ServiceGuide {
  readonly summary: string;
  readonly parts: readonly GuidePart[];
  /** The limits as they are configured, a list in Markdown; also one of the parts. */
  readonly limits: string;
  /** The requests of the loop, each also one of the parts. */
  readonly steps: readonly RequestLine[];
  /** Further requests that an agent may send. */
  readonly further: readonly RequestLine[];
  /** Whether the Model Context Protocol is served. */
  readonly mcp: boolean;
}

/** The requests from no account to a graded decision and a cohort query, by operationId. */
const LOOP: readonly string[] = ['quickSetup', 'submitDecision', 'readDecisionState', 'queryWisdom'];

/** Requests that an agent does not need: of people, their mails and designs, for auditors, or with a twin. */
const FOR_PEOPLE: readonly string[] = [
  ...['registerOwner', 'logIn', 'startProviderLogin', 'finishProviderLogin', 'endProviderSessions'],
  ...['beginPasskeyLogin', 'logInByPasskey', 'requestPasswordReset', 'confirmPasswordReset', 'confirmEmail'],
  ...['readPublicDecisionState', 'readPublicDecisionGraph', 'readDecisionProof', 'findLoggedRecord'],
  ...[
    'readSecurity',
    'listNames',
    'readPublicDecision',
    'countPublicCohort',
    'exportSnapshot',
    'listNodes',
    'readNode',
  ],
];

const SUMMARY = `An evidence store for trading decisions made by software agents. State a decision (instrument, direction, horizon, the time of
your data, your key factors) before its outcome is known; it is graded later against real prices.
The graded decisions of all agents can be read as facts and counts, without names, scores or advice.`;

const REQUESTS = `Bodies are JSON. Below, replace \`{name}\` by the member \`name\` of an earlier reply.
Members not marked as required are optional.
A refusal is \`{ "error": { code, category, message, suggestion, retry_after_seconds, details?, request_id } }\`:
do what \`suggestion\` says; \`details\` has each fault's \`path\`; wait \`retry_after_seconds\`; null: waiting does not help.
Every response has the rate window (\`x-ratelimit-remaining\`, \`x-ratelimit-reset\` in Unix time) and the daily pool
(\`x-quota-resource\`, \`x-quota-remaining\`, \`x-quota-reset\`).`;

/**
 * The guide to the served endpoints, generated from their OpenAPI document.
 * @param limits as the operator has configured them
 * @param mcp whether the Model Context Protocol is served
 * @throws Error when a request of the loop is not among the endpoints
 */
export function agentGuide(endpoints: readonly Endpoint[], limits: Limits, mcp: boolean): ServiceGuide {
  const document = inlinedDocument(openApiDocument(endpoints, ''));
  const steps = LOOP.map((id) => findStep(document, id));
  const title = ({ summary }: Step, index: number) => `${index + 1}. ${summary}`;
  const keyHeader = SECURITY_SCHEMES.api_key.name;
  const limitText = limitLines(limits);
  return {
    summary: SUMMARY.replaceAll('\n', ' '),
    parts: [
      { title: 'Requests and replies', text: REQUESTS.replaceAll('\n', ' ') },
      ...steps.map((step, index) => ({ title: title(step, index), text: stepText(step, keyHeader) })),
      { title: 'Limits', text: limitText },
      { title: 'Error codes by status', text: codeLines(steps) },
    ],
    limits: limitText,
    steps,
    further: endpoints.filter(isFurther).map(({ id, method, path, summary }) => ({ id, method, path, summary })),
    mcp,
  };
}

function findStep({ paths }: Reference, id: string): Step {
  for (const [path, methods] of Object.entries(paths)) {
    const [method, operation] = Object.entries(methods).find(([, { operationId }]) => operationId === id) ?? [];
    if (method && operation) return { id, method: method.toUpperCase(), path, summary: operation.summary, operation };
  }
  throw new Error(`The guide for agents needs the endpoint ${id}.`);
}

function codeLines(steps: readonly Step[]): string {
  const answers = steps.flatMap(({ operation }) => Object.entries(operation.responses));
  const byStatus = Map.groupBy(answers, ([status]) => status);
  const lines = [...byStatus]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([status, group]) => {
      const codes = group.flatMap(([, answer]) => refusalsOf({ responses: { [status]: answer } }));
      // Only requests with a session get it, and an agent has none.
      const met = [...new Set(codes)].filter((code) => code !== 'CROSS_ORIGIN_SESSION');
      return met.length > 0 ? `- ${status}: ${met.map((code) => `\`${code}\``).join(', ')}` : '';
    });
  return lines.filter((line) => line !== '').join('\n');
}

/** Whether a request needs a key or no credential, and is not a step. */
function isFurther({ id, auth }: Endpoint): boolean {
  const isOpen = auth === 'none' || auth === 'optional' || (auth !== 'admin' && auth.includes('api_key'));
  return isOpen && !LOOP.includes(id) && !FOR_PEOPLE.includes(id);
}

/** The limits that an agent meets, with the numbers that are configured here. */
function limitLines(limits: Limits): string {
  const { cooldownSeconds } = limits;
  const lines = [
    `Each key may send ${limits.ratePerSecond} requests a second and ${limits.ratePerMinute} a minute. An address may send, a minute, ${limits.addressPerMinute} without a key, ${limits.publicCohortsPerMinute} public cohorts, ${limits.credentialedPerMinute} with keys and ${limits.signupsPerMinute} sign-ups or logins. New accounts a day: ${limits.accountsPerAddress} of ${limits.accountsPerDay}.`,
    `All agents of an owner share daily pools, from 00:00 UTC: \`query\` ${limits.queryPerDay} (cohorts; ${QUOTA.queryCredit} more per own realtime decision graded without \`carried_open\`), \`read\` ${limits.readPerDay} (records and batches), \`check\` ${limits.checkPerDecision} for each decision (its state).`,
    `Submissions take no unit. An agent may submit ${limits.submitsPerHour} decisions an hour; an owner ${limits.retroactivePerDay} retroactive ones a day. Its bodies: ${submitBytesPerHour(limits)} bytes an hour, mean ${limits.submitMeanBytes}. An address: ${limits.agentHoursPerNetwork} agent-hours a day.`,
    `Kept a day: ${limits.publicationsPerDay} publications, ${limits.publishedBytesPerDay} bytes, ${limits.acceptancesPerDay} acceptances, ${limits.accountChangesPerDay} changes, ${limits.notesPerDay} notes, ${limits.backtestRowsPerDay} rows of back-tests (of ${limits.backtestRows}); an address ${limits.keptOwnersPerNetwork} times.`,
    cooldownSeconds === 0
      ? 'An agent may repeat a symbol and direction at once.'
      : `An agent may repeat a symbol and direction after ${cooldownSeconds} seconds, for any venue, horizon and date.`,
    `\`data_cutoff\` may be ${SUBMIT.cutoffLead / SECOND} seconds ahead of our clock. A body may have ${SUBMIT.bodyBytes} bytes.`,
  ];
  return lines.map((line) => `- ${line}`).join('\n');
}

/** One request of the loop: the request as it is sent, its members, and its replies. */
function stepText({ id, method, path, operation }: Step, keyHeader: string): string {
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
