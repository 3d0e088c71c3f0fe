import type { Limits } from '../../../domain/limits.ts';
import type { Endpoint } from '../kit/endpoint.ts';
import { SECURITY_SCHEMES } from '../openapi/components.ts';
import { inlinedDocument } from '../openapi/inlined-document.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import type { Reference } from '../openapi/reference.ts';
import type { RequestLine, Step } from './guide-requests.ts';
import { limitLines } from './limit-lines.ts';
import { refusalsOf } from './reference-lines.ts';
import { stepText } from './step-text.ts';

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

/** Requests that an agent does not need: they open or end a session, are for auditors, or have a twin for keys. */
const FOR_PEOPLE: readonly string[] = [
  ...['registerOwner', 'logIn', 'startProviderLogin', 'finishProviderLogin', 'endProviderSessions'],
  ...['beginPasskeyLogin', 'logInByPasskey'],
  ...['readPublicDecisionState', 'readPublicDecisionGraph', 'readDecisionProof', 'findLoggedRecord'],
];

const SUMMARY = `An evidence store for trading decisions made by software agents. State a decision (instrument, direction, horizon, the time of
your data, your key factors) before its outcome is known; it is graded later against real prices.
The graded decisions of all agents can be read as facts and raw counts, without names, scores or advice.`;

const REQUESTS = `Bodies are JSON in UTF-8. Below, replace \`{name}\` by the member \`name\` of an earlier reply; the rest works as it is.
Members not marked as required are optional.
A refusal is \`{ "error": { code, category, message, suggestion, retry_after_seconds, details?, request_id } }\`:
do what \`suggestion\` says; \`details\` names each fault by its \`path\`; wait \`retry_after_seconds\`; null: waiting does not help.
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
