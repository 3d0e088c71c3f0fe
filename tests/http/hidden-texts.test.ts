import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inlinedDocument } from '../../adapters/http/openapi/reference.ts';
import { type Cast, openCast } from './authorisation/cast.ts';
import { byBearer, byKey, bySession } from './authorisation/credentials.ts';
import type { Asked, Headers, Reply } from './authorisation/wire.ts';

/** One of each kind; the places of the document take turns. */
const HIDDEN = [
  '\u200b',
  '\u{e0041}',
  '\u00ad',
  '\u202e',
  '\ufff9',
  '\u0085',
  '\u{e0100}',
  '\u2028',
  '\u200d',
  '\u2800',
  '\u{1d159}',
];

/** Where such characters are accepted, and why no other owner reads them. */
const AS_SENT: readonly (readonly [place: RegExp, reason: string])[] = [
  [
    /^(submitDecision(Group)?|submit_decision(_group)?) ((decision|group)\.)?meta\b/,
    'free JSON, returned to its owner alone, in escapes',
  ],
  [
    /^(submitDecision(Group)?|submit_decision(_group)?) ((decision|group)\.)?workflow_ref$/,
    'an unusable one is a warning; only hashes are shown',
  ],
  [/^setPreferences notify\b/, 'free JSON, returned to its owner alone, in escapes'],
  [/^(readDecisionBatch|get_decisions) record_ids\./, 'an unusable one is `malformed`, returned to the caller alone'],
  [
    /^(sendBacktestRows|backtest) (batch\.)?rows\.0\b/,
    'each row is refused for itself; its characters are tested there',
  ],
  [/ (current_|new_)?password$/, 'secret: nobody reads it'],
  [/^importWorkflow body$/, 'a whole document, whose texts are tested below'],
];

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** A value with one text in it, and the path of that text. */
interface Placed {
  readonly path: string;
  with(text: string): unknown;
}

/** Every text that a schema allows, and the name of a member of each object. */
function textsOf(schema: Schema, path: string, put: (leaf: unknown) => unknown): Placed[] {
  const { type, properties = {}, items, anyOf = [], oneOf = [], additionalProperties, enum: list, const: one } = schema;
  const types = [type ?? []].flat();
  const isOpen = types.length === 0 && anyOf.length === 0 && oneOf.length === 0;
  const isText = types.includes('string') || [...(list ?? []), one].some((value) => typeof value === 'string');
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  const inside = (name: string, inner: Schema) => textsOf(inner, below(name), (leaf) => put({ [name]: leaf }));
  const isObject = types.includes('object') || isOpen;
  return [
    ...(isText || isOpen ? [{ path, with: put }] : []),
    ...[...anyOf, ...oneOf].flatMap((each) => textsOf(each, path, put)),
    ...Object.entries(properties).flatMap(([name, member]) => inside(name, member)),
    ...(items ? textsOf(items, below('0'), (leaf) => put([leaf])) : []),
    ...(isObject ? [{ path: below('<name>'), with: (text: string) => put({ [text]: 1 }) }] : []),
    ...(isObject && additionalProperties !== false && !isOpen
      ? [{ path: below('any'), with: (text: string) => put({ any: text }) }]
      : []),
  ];
}

/** How a path of `textsOf` reads in a refusal. */
const shownPath = (path: string, text: string) =>
  path.replace('<name>', text.replace(/[^ -~]/u, `\\u{${codeOf(text)}}`));
const codeOf = (text: string) =>
  (/[^ -~]/u.exec(text)?.[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');

const textAt = (index: number) => `a${HIDDEN[index % HIDDEN.length]}b`;

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Operation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Sweep {
  /** Operation and path. */
  readonly place: string;
  readonly path: string;
  readonly text: string;
  readonly request: Asked;
  readonly security: readonly string[];
}

function sweepOf(method: string, path: string, operation: Operation, start: number): Sweep[] {
  const { operationId: id, parameters = [], requestBody, security = [] } = operation;
  const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
  const schemes = security.flatMap((each) => Object.keys(each));
  const address = path.replaceAll(/\{\w+\}/g, 'x');
  const sweeps: Sweep[] = [];
  const empty = media ? { headers: { 'content-type': `${type}` }, body: written(`${type}`, { x: 1 }) } : {};
  const add = (at: string, text: string, request: Partial<Asked>) =>
    sweeps.push({
      place: `${id} ${at}`,
      path: shownPath(at, text),
      text,
      security: schemes,
      request: { method, path: address, ...empty, ...request },
    });
  const next = () => textAt(start + sweeps.length);
  for (const { name, in: part } of parameters) {
    const text = part === 'header' ? 'a\u00adb' : next();
    const sent = encodeURIComponent(text);
    if (part === 'path') add(name, text, { path: path.replace(`{${name}}`, sent).replaceAll(/\{\w+\}/g, 'x') });
    if (part === 'query') add(name, text, { path: `${address}?${name}=${sent}` });
    if (part === 'header') add(name, text, { headers: { ...empty.headers, [name]: text } });
  }
  const unknown = next();
  add('<name>', unknown, { path: `${address}?${encodeURIComponent(unknown)}=1` });
  for (const { path: at, with: put } of media ? textsOf(media.schema, '', (leaf) => leaf) : []) {
    const text = next();
    const body = put(text);
    add(at === '' ? 'body' : at, text, { headers: { 'content-type': `${type}` }, body: written(`${type}`, body) });
  }
  return sweeps;
}

function written(type: string, body: unknown): string {
  if (type === 'application/yaml') return String(body);
  if (type !== 'application/x-www-form-urlencoded') return JSON.stringify(body);
  return new URLSearchParams(body as Record<string, string>).toString();
}

/** Whether a refusal names the character at the place. */
function names(details: unknown, { path, text }: Pick<Sweep, 'path' | 'text'>): boolean {
  const faults = (details ?? []) as readonly { readonly path: string; readonly message: string }[];
  // A horizon of a decision group is named by its place in brackets.
  const isThere = (found: string) => found.replace(/^horizons\[(\d+)\]/, 'horizons.$1') === path;
  return faults.some((fault) => isThere(fault.path) && fault.message.includes(`U+${codeOf(text)}`));
}

describe('a character that no reader sees', () => {
  let cast: Cast;
  let document: ReturnType<typeof inlinedDocument>;
  beforeAll(async () => {
    cast = await openCast('memory');
    document = inlinedDocument((await cast.wire.send({ method: 'GET', path: '/openapi.json' })).body);
  });
  afterAll(() => cast.close());

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [method.toUpperCase(), path, operation as Operation] as const,
      ),
    );

  async function callerOf({ request, security }: Sweep): Promise<Headers> {
    if (security.includes('api_key')) return byKey(cast.owner.keys.read_write.api_key);
    if (security.length === 0) return {};
    const party = request.path.startsWith('/api/v1/admin/') ? cast.admin : cast.owner;
    return security.includes('owner_bearer') ? byBearer(party.bearer) : bySession(await party.session('password'));
  }

  test('is refused by its code in every text and name of every operation, or the place is listed with its reason', async () => {
    const open: string[] = [];
    let count = 0;
    for (const [method, path, operation] of operations()) {
      for (const sweep of sweepOf(method, path, operation, count)) {
        const reply = await cast.wire.send(sweep.request, await callerOf(sweep));
        count += 1;
        expect([sweep.place, reply.status < 500]).toEqual([sweep.place, true]);
        if (!names(reply.body?.error?.details, sweep)) open.push(sweep.place);
      }
    }
    expect(count).toBeGreaterThan(400);
    const isListed = (place: string) => AS_SENT.some(([known]) => known.test(place));
    expect(open.filter((place) => !isListed(place))).toEqual([]);
    expect(open.filter(isListed).length).toBeGreaterThan(10);
  });

  test('is refused in every text of an imported workflow, with its line', async () => {
    const body = operations().find(([, , { operationId }]) => operationId === 'createWorkflow')?.[2].requestBody;
    const schema = body?.content['application/json']?.schema ?? {};
    const head = { schema_version: 'v1', kind: 'stancebook.workflow' };
    const caller = byBearer(cast.owner.bearer);
    let count = 0;
    for (const { path, with: put } of textsOf(schema, '', (leaf) => leaf)) {
      const text = textAt(count);
      count += 1;
      const reply = await cast.wire.send(
        {
          method: 'POST',
          path: '/api/v1/owner/workflows/import',
          headers: { 'content-type': 'application/yaml' },
          body: JSON.stringify({ ...head, ...(put(text) as object) }),
        },
        caller,
      );
      const place = { path: shownPath(path, text), text };
      expect([path, names(reply.body.error.details, place), reply.body.error.details[0].line]).toEqual([path, true, 1]);
    }
    expect(count).toBeGreaterThan(12);
  });

  const rpc = (method: string, params: unknown) =>
    cast.wire.send(
      {
        method: 'POST',
        path: '/mcp',
        headers: { accept: 'application/json, text/event-stream' },
        body: { jsonrpc: '2.0', id: 1, method, params },
      },
      byKey(cast.owner.keys.read_write.api_key),
    );
  const resultIn = ({ text }: Reply) => JSON.parse(text.replace(/^(event:.*\n)?data: /, ''));

  test('is refused in every argument of every tool and prompt', async () => {
    const { tools } = resultIn(await rpc('tools/list', {})).result;
    const open: string[] = [];
    let count = 0;
    for (const { name, inputSchema } of tools) {
      for (const { path, with: put } of textsOf(inputSchema, '', (leaf) => leaf)) {
        const text = textAt(count);
        count += 1;
        const { result } = resultIn(await rpc('tools/call', { name, arguments: put(text) }));
        const { error } = JSON.parse(result.content[0].text);
        // The body of a tool may be one of its arguments.
        const place = shownPath(path, text);
        const paths = [
          place,
          place.replace(/^(decision|group)\.?/, ''),
          place.replaceAll('idempotency_key', 'idempotency-key'),
        ];
        if (!paths.some((each) => names(error?.details, { path: each, text }))) open.push(`${name} ${path}`);
      }
    }
    expect(count).toBeGreaterThan(100);
    expect(open.filter((place) => !AS_SENT.some(([known]) => known.test(place)))).toEqual([]);
    const { prompts } = resultIn(await rpc('prompts/list', {})).result;
    for (const { name, arguments: named } of prompts) {
      for (const { name: argument } of named) {
        const sent = { instrument: 'MSFT', [argument]: 'a\u200bb' };
        const { error } = resultIn(await rpc('prompts/get', { name, arguments: sent }));
        expect(error.message).toBe(
          `The argument ${argument} must not contain U+200B ZERO WIDTH SPACE at position 2: remove it.`,
        );
      }
    }
  });
});
