import { gzipSync } from 'node:zlib';
import { bytesOf, type Draft, isJson, jsonOf, RAW, Token } from './draft.ts';
import { HOSTILE_NAMES, HOSTILE_TEXTS, HOSTILE_TOKENS } from './hostile.ts';

/** Changes a valid request; `n` and `m` choose how. Returns null when it does not apply. */
export type Twist = (draft: Draft, n: number, m: number) => Draft | null;

/** The twists by the words for a report. */
export const TWISTS: Readonly<Record<string, Twist>> = {
  'a hostile value': (draft, n, m) => inBody(draft, n, () => new Token(JSON.stringify(at(HOSTILE_TEXTS, m)))),
  'a hostile token': (draft, n, m) => inBody(draft, n, () => new Token(at(HOSTILE_TOKENS, m))),
  'a value in a list': (draft, n) => inBody(draft, n, (value) => [value]),
  'a value as text': (draft, n) => inBody(draft, n, (value) => (typeof value === 'string' ? null : String(value))),
  'a word in place of a number': (draft, n) => inBody(draft, n, (value) => (typeof value === 'number' ? 'many' : null)),
  'a value as the text of its JSON': (draft, n) => inBody(draft, n, (value) => JSON.stringify(value)),
  'an unknown member': (draft, n, m) => inObject(draft, n, [[at(HOSTILE_NAMES, m), 1]]),
  'a missing member': (draft, n, m) => withoutMember(draft, n, m),
  'a member twice': (draft, n, m) => twice(draft, n, m),
  'another type of body': (draft, n) =>
    draft.operation.body ? { ...draft, content: at([[], null, 'text', 1, {}, [{}]], n) } : null,
  'a body that is cut': (draft, n) => changedBytes(draft, (bytes) => bytes.subarray(0, n % Math.max(1, bytes.length))),
  'a byte order mark': (draft) => changedBytes(draft, (bytes) => Buffer.concat([Buffer.from('\ufeff'), bytes])),
  'text after the body': (draft) => changedBytes(draft, (bytes) => Buffer.concat([bytes, Buffer.from(' {}')])),
  'another encoding of text': (draft) => changedBytes(draft, (bytes) => Buffer.from(bytes.toString(), 'utf16le')),
  'bytes that are not UTF-8': (draft, n) =>
    changedBytes(draft, (bytes) =>
      Buffer.concat([bytes.subarray(0, n % (bytes.length + 1)), Buffer.from([0xff, 0xc0])]),
    ),
  'a compressed body': (draft) =>
    withHeaders(
      changedBytes(draft, (bytes) => gzipSync(bytes)),
      { 'content-encoding': 'gzip' },
    ),
  'a body of 70 KB': (draft) => (draft.operation.body ? { ...draft, bytes: Buffer.alloc(70_000, 0x20) } : null),
  'no body': (draft) => (draft.operation.body ? { ...draft, content: undefined, bytes: null } : null),
  'an unexpected body': (draft) => (draft.operation.body ? null : { ...draft, bytes: Buffer.from('{"a":1}') }),
  'a chunked body': (draft) => withHeaders(draft.operation.body && draft, { 'transfer-encoding': 'chunked' }),
  'another content type': (draft, n) => withHeaders(draft.operation.body && draft, { 'content-type': at(TYPES, n) }),
  'a hostile parameter of the path': (draft, n, m) => inPath(draft, n, at(HOSTILE_TEXTS, m)),
  'raw bytes in the path': (draft, n, m) => inPath(draft, n, RAW + at(RAW_PIECES, m)),
  'a hostile parameter': (draft, n, m) => inQuery(draft, n, at(HOSTILE_TEXTS, m)),
  'raw bytes in the query': (draft, n, m) => inQuery(draft, n, RAW + at(RAW_PIECES, m)),
  'an unknown parameter': (draft, n) => ({ ...draft, query: [...draft.query, [at(HOSTILE_NAMES, n) || 'x', '1']] }),
  'a parameter twice': (draft, n) => {
    const chosen = draft.query[n % Math.max(1, draft.query.length)];
    return chosen ? { ...draft, query: [...draft.query, chosen] } : null;
  },
  'a missing parameter': (draft, n) =>
    draft.query.length === 0
      ? null
      : { ...draft, query: draft.query.filter((_, index) => index !== n % draft.query.length) },
  'an odd header': (draft, n) => withHeaders(draft, at(HEADERS, n)),
};

const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/json; charset=iso-8859-1',
  'application/json;',
  'application/jsonx',
  'application/json, text/plain',
  'APPLICATION/JSON',
  'application/json; charset=UTF-8',
  'application/json; charset=utf8; v=1',
  'application/yaml',
  '',
  ';',
];

const RAW_PIECES = ['%', '%zz', '%c0%af', '%ff', '%00', '%ED%A0%80', 'a;b', '%2f', 'a+b', "'", '"', '[]', '{}', '|'];

const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'x-request-id': 'x'.repeat(200) },
  { 'x-request-id': 'a b' },
  { 'x-request-id': 'fuzz.Request-1_2' },
  { 'idempotency-key': 'x'.repeat(300) },
  { 'idempotency-key': '""' },
  { 'idempotency-key': 'caf\u00e9' },
  { 'if-none-match': '*' },
  { 'if-none-match': '"x", W/"y"' },
  { accept: 'text/html' },
  { accept: 'application/xml;q=0' },
  { accept: 'text/event-stream' },
  { accept: 'text/event-stream', 'last-event-id': 'x'.repeat(60) },
  { 'accept-encoding': 'gzip, br' },
  { 'content-encoding': 'identity' },
  { 'x-forwarded-for': '203.0.113.9, ::1' },
  { 'x-http-method-override': 'DELETE' },
  { origin: 'https://e.vil' },
  { range: 'bytes=0-1' },
  { expect: '200-ok' },
  { cookie: 'sid=; sid="; a=b; =; ;' },
  { host: 'e.vil' },
  { 'x-original-url': '/api/v1/admin/stablecoin' },
];

function at<T>(list: readonly T[], n: number): T {
  return list[n % list.length] as T;
}

function withHeaders(draft: Draft | null, headers: Readonly<Record<string, string>>): Draft | null {
  return draft && { ...draft, headers: { ...draft.headers, ...headers } };
}

function changedBytes(draft: Draft, change: (bytes: Buffer) => Buffer): Draft | null {
  const bytes = bytesOf(draft);
  return bytes && { ...draft, bytes: change(bytes) };
}

/** Changes one value of the body, at any depth. */
function inBody(draft: Draft, n: number, change: (value: unknown) => unknown): Draft | null {
  if (!isJson(draft.operation) || draft.content === undefined) return null;
  const places = placesOf(draft.content);
  return { ...draft, content: changed(draft.content, places[n % places.length] ?? [], change) };
}

function inObject(draft: Draft, n: number, members: readonly (readonly [string, unknown])[]): Draft | null {
  if (!isJson(draft.operation) || draft.content === undefined) return null;
  const objects = placesOf(draft.content).filter((place) => isObject(valueAt(draft.content, place)));
  const place = objects[n % Math.max(1, objects.length)];
  if (!place) return null;
  return { ...draft, content: changed(draft.content, place, (value) => tokenOf(value as object, members)) };
}

/** Literal JSON, since an object cannot have `__proto__` or a member twice. */
function tokenOf(value: object, more: readonly (readonly [string, unknown])[]): Token {
  const members = [...Object.entries(value), ...more];
  return new Token(`{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonOf(member)}`).join()}}`);
}

function withoutMember(draft: Draft, n: number, m: number): Draft | null {
  if (!isJson(draft.operation) || draft.content === undefined) return null;
  const objects = placesOf(draft.content).filter((place) => isObject(valueAt(draft.content, place)));
  const place = objects[n % Math.max(1, objects.length)];
  if (!place) return null;
  const less = (value: unknown) => {
    const members = Object.entries(value as object);
    return Object.fromEntries(members.filter((_, index) => index !== m % Math.max(1, members.length)));
  };
  return { ...draft, content: changed(draft.content, place, less) };
}

function twice(draft: Draft, n: number, m: number): Draft | null {
  if (!isObject(draft.content)) return null;
  const members = Object.entries(draft.content);
  const chosen = members[m % Math.max(1, members.length)];
  return chosen ? { ...draft, content: tokenOf(draft.content, [[chosen[0], n % 2 ? chosen[1] : null]]) } : null;
}

function inPath(draft: Draft, n: number, text: string): Draft | null {
  const names = Object.keys(draft.params);
  const name = names[n % Math.max(1, names.length)];
  return name === undefined || text.length > 4_000 ? null : { ...draft, params: { ...draft.params, [name]: text } };
}

function inQuery(draft: Draft, n: number, text: string): Draft | null {
  const names = draft.operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const name = names[n % Math.max(1, names.length)];
  if (name === undefined || text.length > 4_000) return null;
  return { ...draft, query: [...draft.query.filter(([other]) => other !== name), [name, text]] };
}

type Place = readonly (string | number)[];

function placesOf(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null || value instanceof Token) return [place];
  const inner = Array.isArray(value) ? value.map((part, index) => [index, part] as const) : Object.entries(value);
  return [place, ...inner.flatMap(([key, part]) => placesOf(part, [...place, key]))];
}

function valueAt(value: unknown, place: Place): unknown {
  return place.reduce((part, key) => (part as Readonly<Record<string | number, unknown>>)[key], value);
}

function changed(value: unknown, [key, ...rest]: Place, change: (value: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  const inner = (part: unknown) => changed(part, rest, change);
  if (Array.isArray(value)) return value.map((part, index) => (index === key ? inner(part) : part));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, part]) => [name, name === key ? inner(part) : part]),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Token);
}
