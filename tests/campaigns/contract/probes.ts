import type { Call } from './send.ts';

/** The parts of an operation of the document that the probes read. */
export interface DocumentedOperation {
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}

export interface Probe {
  readonly name: string;
  readonly call: Call;
}

const LONG = 'x'.repeat(20_000);
const CREDENTIALS = ['cookie', 'x-api-key', 'sec-fetch-site'];
const ODD_PARAMETERS = ['x', '-1', '9'.repeat(30), 'y'.repeat(300)];
const ODD_MEMBERS = [null, [], {}, ' ', LONG, -1, 2 ** 53];

/** Requests at and beyond the bounds of an operation, each with one change of a valid call. */
export function probesOf(operation: DocumentedOperation, call: Call): Probe[] {
  return [...credentialProbes(operation, call), ...parameterProbes(operation, call), ...bodyProbes(operation, call)];
}

function credentialProbes({ security = [] }: DocumentedOperation, call: Call): Probe[] {
  if (security.length === 0) return [];
  const rest = Object.entries(call.headers ?? {}).filter(([name]) => !CREDENTIALS.includes(name));
  const headers = Object.fromEntries(rest);
  return [
    { name: 'no credential', call: { ...call, headers } },
    { name: 'an invalid key', call: { ...call, headers: { ...headers, 'x-api-key': 'guess' } } },
  ];
}

function parameterProbes({ parameters = [] }: DocumentedOperation, call: Call): Probe[] {
  const unknown = { name: 'an unknown parameter', call: { ...call, query: { ...call.query, never: '1' } } };
  const odd = parameters.flatMap(({ in: place, name }) =>
    ODD_PARAMETERS.map((value) => ({
      name: `${name}=${shown(value)}`,
      call: withParameter(call, place, name, value),
    })),
  );
  return [unknown, ...odd];
}

function withParameter(call: Call, place: string, name: string, value: string): Call {
  if (place === 'path') return { ...call, params: { ...call.params, [name]: value } };
  if (place === 'query') return { ...call, query: { ...call.query, [name]: value } };
  return { ...call, headers: { ...call.headers, [name]: value } };
}

function bodyProbes({ requestBody }: DocumentedOperation, call: Call): Probe[] {
  if (!requestBody?.content['application/json']) return [];
  const body = (call.body ?? {}) as Readonly<Record<string, unknown>>;
  const whole = [[], {}, 'x', { ...body, never: 1 }].map((value) => ({
    name: `the body ${shown(value)}`,
    call: { ...call, body: JSON.stringify(value) },
  }));
  const members = Object.keys(body).flatMap((member) =>
    ODD_MEMBERS.map((value) => ({
      name: `${member}: ${shown(value)}`,
      call: { ...call, body: { ...body, [member]: value } },
    })),
  );
  return [...whole, ...members];
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 40);
}
