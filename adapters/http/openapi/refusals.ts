import { PROBLEMS, Problem, type ProblemCode } from '../../../domain/problem.ts';
import type { Endpoint } from '../kit/endpoint.ts';
import { envelope } from '../kit/reply/headers.ts';
import { commonHeaders, type ResponseObject } from './components.ts';

/** The description under each heading of the reference. */
export const TAGS: Readonly<Record<string, string>> = {
  Accounts: 'Accounts, logins, the identity provider, and what a credential allows.',
  Admin: 'For operators: the state of the service, accounts, quarantine, verification, circuits, the audit log.',
  'Agent decisions': 'Submitting decisions, following their state, and reading public records.',
  'API keys': 'The keys of an owner: each is bound to an agent and has a permission.',
  Atlas: 'Which instruments, perspectives and workflows are used together, without names of owners.',
  'Back-tests': 'Calls about the past, apart from all records.',
  Cohorts: 'Counts of the outcomes of many records.',
  Events: 'What happened to records, quotas and circuits, in order.',
  'Evidence log': 'Proofs that records were logged before their outcome, and not changed since.',
  Nodes: 'The kinds of workflow steps.',
  'Owner records': 'Records, agents, track records and the dashboard of an owner.',
  'Public decisions': 'Evaluated records, readable without a credential and without names of owners.',
  Securities: 'What names of securities mean, by public statements.',
  Webhooks: 'Events that are sent to a URL of their owner.',
  Workflows: 'Writing down how decisions are made, and publishing it.',
};

/** The order for readers: what an agent does first, then its owner, then operators. The document has its own, by letters. */
export const READING_ORDER: readonly string[] = [
  ...[
    'Agent decisions',
    'Evidence log',
    'Events',
    'Back-tests',
    'Cohorts',
    'Public decisions',
    'Securities',
    'Atlas',
    'Workflows',
    'Nodes',
  ],
  ...['Owner records', 'API keys', 'Webhooks', 'Accounts', 'Admin'],
];

const EXAMPLE_ID = '0198c0de-0000-7000-8000-000000000000';

type RefusedWith = Pick<Problem, 'code' | 'status'>;

/** The refusals of all operations: equal refusals are one component, and each code has one example. */
export class RefusalComponents {
  private readonly refusals = new Map<string, ResponseObject>();
  private readonly codes = new Set<ProblemCode>();

  /** The refusals of an endpoint, by status. */
  of(endpoint: Endpoint): Record<string, { readonly $ref: string }> {
    const byStatus = Map.groupBy(problemsOf(endpoint), ({ status }) => status);
    const answers = [...byStatus].sort(([a], [b]) => a - b);
    return Object.fromEntries(answers.map(([status, problems]) => [status, this.referenceTo(status, problems)]));
  }

  all(): Readonly<Record<string, ResponseObject>> {
    return Object.fromEntries([...this.refusals].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** One example of a refusal for each code. */
  examples(): Readonly<Record<string, { readonly value: unknown }>> {
    const shown = [...this.codes].sort().map((code) => [code, { value: envelope(exampleOf(code), EXAMPLE_ID) }]);
    return Object.fromEntries(shown);
  }

  private referenceTo(status: number, problems: readonly RefusedWith[]): { readonly $ref: string } {
    const codes = [...new Set(problems.map(({ code }) => code))];
    const name = nameOf(status, codes);
    for (const code of codes) this.codes.add(code);
    this.refusals.set(name, refusalOf(codes));
    return { $ref: `#/components/responses/${name}` };
  }
}

/** The codes in one name; it contains the status where the first code has another status of its own. */
function nameOf(status: number, codes: readonly ProblemCode[]): string {
  const [first] = codes;
  const words = codes.map((code) => code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase()));
  return words.join('Or') + (first !== undefined && PROBLEMS[first].status !== status ? status : '');
}

function refusalOf(codes: readonly ProblemCode[]): ResponseObject {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  const isUnproven = codes.some((code) => PROBLEMS[code].status === 401 || code === 'FACTOR_REQUIRED');
  const waits = codes.some((code) => PROBLEMS[code].wait !== null);
  return {
    description: codes.join(', '),
    headers: {
      ...commonHeaders(),
      ...(waits ? { 'retry-after': { $ref: '#/components/headers/retry-after' } } : {}),
      ...(isUnproven ? { 'www-authenticate': { $ref: '#/components/headers/www-authenticate' } } : {}),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function problemsOf(endpoint: Endpoint): RefusedWith[] {
  const { problems, valueStatus, shapeStatus } = endpoint;
  const codes = new Set<ProblemCode>([...byCredential(endpoint), ...byBody(endpoint), ...problems]);
  // An endpoint without parameters also refuses an unknown query parameter.
  codes.add('VALIDATION_ERROR');
  if (endpoint.spends) codes.add('DAILY_QUOTA_EXCEEDED');
  for (const code of ['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const) codes.add(code);
  return [...codes].flatMap((code) => {
    const statuses = code === 'VALIDATION_ERROR' ? [shapeStatus ?? 400, valueStatus] : [PROBLEMS[code].status];
    return [...new Set(statuses)].filter((status) => status !== undefined).map((status) => ({ code, status }));
  });
}

/** What the bounds of a key refuse. */
const OF_KEYS = ['KEY_EXPIRED', 'KEY_NETWORK_REFUSED'] as const;

function byCredential({ auth, permission, beginsLogin, withoutFactor }: Endpoint): ProblemCode[] {
  if (auth === 'none') return beginsLogin ? ['CROSS_ORIGIN_SESSION'] : [];
  if (auth === 'admin') return ['ADMIN_REQUIRED', 'FACTOR_REQUIRED', 'FORBIDDEN', 'CROSS_ORIGIN_SESSION'];
  // Where OWNER_FACTOR requires a second factor.
  const byFactor: ProblemCode[] = withoutFactor ? [] : ['FACTOR_REQUIRED'];
  if (auth === 'optional') return ['UNAUTHORIZED', ...OF_KEYS, ...byFactor, 'ACCOUNT_SUSPENDED'];
  const bySession: ProblemCode[] = auth.includes('legacy_session') ? ['CROSS_ORIGIN_SESSION'] : [];
  const byBearer: ProblemCode[] = auth.includes('owner_bearer') ? ['ACCOUNT_SUSPENDED'] : [];
  const byOwner = auth.some((kind) => kind !== 'api_key') ? byFactor : [];
  const byKey: ProblemCode[] = auth.includes('api_key') ? [...OF_KEYS] : [];
  const bySubmit: ProblemCode[] = permission === 'submit' ? ['KEY_UNBOUND'] : [];
  return ['UNAUTHORIZED', ...byKey, 'FORBIDDEN', ...bySubmit, ...byOwner, ...bySession, ...byBearer];
}

function byBody({ body }: Endpoint): ProblemCode[] {
  return body ? ['MALFORMED_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] : [];
}

function exampleOf(code: ProblemCode): Problem {
  const details = [{ path: 'limit', message: 'must be at most 100', received: '500' }];
  const words = code.toLowerCase().replaceAll('_', ' ');
  return code === 'VALIDATION_ERROR'
    ? new Problem(code, 'limit must be at most 100.', { details })
    : new Problem(code, `${words.charAt(0).toUpperCase()}${words.slice(1)}.`);
}

/** A tag of the document. */
export function describedTag(name: string): { readonly name: string; readonly description?: string } {
  const description = TAGS[name];
  return { name, ...(description && { description }) };
}
