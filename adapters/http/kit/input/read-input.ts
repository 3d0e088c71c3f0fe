import type { Request } from 'express';
import { z } from 'zod';
import { hiddenTexts } from '../../../../domain/hidden-texts.ts';
import { BODY_BYTES } from '../../../../domain/limits.ts';
import { Problem, type ProblemDetail } from '../../../../domain/problem.ts';
import type { BodyDefinition, Endpoint } from '../endpoint.ts';
import { type InputFault, inputFaults } from './input-faults.ts';
import { inputMessage } from './input-messages.ts';
import { parseJson, parseJsonInSlices } from './json-text.ts';
import { readBody, requireType } from './read-body.ts';

/** No parameters: one shared value, so that callers can compare by identity. */
const NOTHING: Readonly<Record<string, string>> = Object.freeze({});

export interface Parts {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
  readonly rawBody: string;
  readonly valueFaults: readonly ProblemDetail[];
}

/** The judged parts before the body; they are known before the request is admitted. */
export interface Head {
  /** No fault was found so far. */
  readonly sound: boolean;
  readonly params: unknown;
  /**
   * Reads and judges the rest; every fault of every part is reported at once.
   * @throws Problem MALFORMED_BODY, UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, VALIDATION_ERROR
   */
  readAll(): Promise<Parts>;
}

/** @returns also takes faults of the protocol that the request came by: with any, nothing else is judged */
export function inputReader(endpoint: Endpoint): (request: Request, foundBefore?: readonly InputFault[]) => Head {
  const judgeHead = headJudge(endpoint);
  const judgeRest = restJudge(endpoint);
  return (request, foundBefore = []) => {
    try {
      const pathOf = endpoint.body?.pathOf ?? ((path: string) => path);
      if (foundBefore.length > 0)
        throw refusal(
          foundBefore.map((fault) => renamed(fault, pathOf)),
          endpoint,
        );
      const head = judgeHead(request);
      const { parts, faults } = head;
      return { sound: faults.length === 0, params: parts.params, readAll: () => judgeRest(request, head) };
    } catch (error) {
      return { sound: false, params: undefined, readAll: () => Promise.reject(error) };
    }
  };
}

interface JudgedHead {
  readonly parts: Pick<Parts, 'params' | 'query' | 'headers'>;
  readonly faults: readonly InputFault[];
}

function headJudge(endpoint: Endpoint): (request: Request) => JudgedHead {
  const [judgeParams, judgeQuery, judgeHeaders] = [endpoint.params, endpoint.query, endpoint.headers].map(
    judgeUnlessEmpty,
  );
  const headerNames = Object.keys(endpoint.headers.shape);
  return (request) => {
    const faults: InputFault[] = [];
    const pathFaults: InputFault[] = [];
    const query = parseQuery(request.url, endpoint.shapeStatus ?? 400);
    const parts = {
      params: judgeParams?.(withoutNul(request.params), pathFaults),
      query: judgeQuery?.(query, faults),
      headers: judgeHeaders?.(headerNames.length === 0 ? NOTHING : named(headerNames, request), faults),
    };
    for (const { detail } of pathFaults) faults.unshift({ kind: 'shape', detail });
    return { parts, faults };
  };
}

function restJudge(endpoint: Endpoint): (request: Request, head: JudgedHead) => Promise<Parts> {
  const judgeBody = endpoint.body && judge(endpoint.body.schema);
  return async (request, { parts, faults }) => {
    const rawBody = endpoint.body ? await readBodyOf(request, endpoint.body) : '';
    const list = endpoint.body?.longList;
    const sentBody = list
      ? await parseJsonInSlices(rawBody, list.member)
      : parsedBody(rawBody, endpoint.body?.contentType);
    const bodyFaults: InputFault[] = [];
    const body = judgeBody?.(sentBody, bodyFaults);
    const pathOf = endpoint.body?.pathOf;
    if (pathOf) for (const [n, fault] of bodyFaults.entries()) bodyFaults[n] = renamed(fault, pathOf);
    const handlerJudges = endpoint.judgesValues === true && bodyFaults.every(({ kind }) => kind === 'value');
    const all = handlerJudges && faults.length === 0 ? [] : [...faults, ...bodyFaults];
    if (all.length > 0) throw refusal(all, endpoint);
    const valueFaults = bodyFaults.map(({ detail }) => detail);
    return { ...parts, body: handlerJudges ? sentBody : body, rawBody, valueFaults };
  };
}

function renamed({ kind, detail }: InputFault, pathOf: (path: string) => string): InputFault {
  return { kind, detail: { ...detail, path: pathOf(detail.path) } };
}

function parsedBody(text: string, contentType: BodyDefinition['contentType']): unknown {
  if (contentType === 'application/yaml') return text;
  if (contentType === 'application/x-www-form-urlencoded') return parseForm(text);
  return text && parseJson(text);
}

/**
 * Judges a document that was sent in another form than JSON, like a body; `mark` adds to each fault what only that form
 * knows.
 * @throws Problem VALIDATION_ERROR with every fault
 */
export function documentReader<S extends z.ZodType>(schema: S) {
  const judgeDocument = judge(schema);
  return (document: unknown, mark: (detail: ProblemDetail) => ProblemDetail): z.output<S> => {
    const faults: InputFault[] = [];
    const value = judgeDocument(document, faults);
    if (faults.length === 0) return value as z.output<S>;
    throw refusal(
      faults.map(({ kind, detail }) => ({ kind, detail: mark(detail) })),
      {},
    );
  };
}

/** Judges an item of a list that a body schema takes with any items: its value, or every fault of its shape. */
export function itemJudge<S extends z.ZodType>(schema: S) {
  let compiled: S | undefined;
  return (item: unknown): { readonly value: z.output<S> } | { readonly faults: readonly ProblemDetail[] } => {
    compiled ??= z.compile(schema);
    const { data, error } = compiled.safeParse(item, MESSAGES);
    return error
      ? { faults: inputFaults(error.issues, item).map(({ detail }) => detail) }
      : { value: data as z.output<S> };
  };
}

/**
 * The members of an input that may contain characters which no reader sees (docs/security.md): free JSON that only its
 * owner reads; secrets, which nobody reads; references of which an unusable one is no fault, so that nobody reads it; and
 * what is judged item by item.
 */
export const AS_SENT: ReadonlySet<string> = new Set([
  ...['meta', 'notify'],
  ...['password', 'current_password', 'new_password'],
  ...['workflow_ref', 'record_ids'],
  // Of back-tests: each row is judged for itself.
  'rows',
]);

type Judge = (input: unknown, faults: InputFault[]) => unknown;

const MESSAGES = { error: inputMessage };

/** Most endpoints read no query or headers, and most requests send none: then there is nothing to judge. */
function judgeUnlessEmpty(schema: z.ZodObject): Judge {
  const judgeFull = judge(schema);
  if (Object.keys(schema.shape).length > 0) return judgeFull;
  return (input, faults) => (input === NOTHING ? NOTHING : judgeFull(input, faults));
}

/** Compiled at the first use, so that a start does not compile schemas that are never used. */
function judge(schema: z.ZodType): Judge {
  let compiled: z.ZodType | undefined;
  return (input, faults) => {
    compiled ??= z.compile(schema);
    const result = compiled.safeParse(input, MESSAGES);
    // A text is a document of another form; its texts are judged when it is read.
    const hidden = typeof input === 'string' ? [] : hiddenTexts(input, AS_SENT);
    if (result.success && hidden.length === 0) return result.data;
    const places = new Set(hidden.map(({ path }) => path));
    const others = inputFaults(result.error?.issues ?? [], input);
    faults.push(...hidden.map((detail) => ({ kind: 'value', detail }) as const));
    faults.push(...others.filter(({ kind, detail }) => kind === 'shape' || !places.has(detail.path)));
    return undefined;
  };
}

function named(names: readonly string[], { headers }: Request): unknown {
  return Object.fromEntries(names.map((name) => [name, headers[name]]));
}

function withoutNul(params: Readonly<Record<string, unknown>>): unknown {
  for (const [name, value] of Object.entries(params)) {
    if (typeof value === 'string' && value.includes('\0')) {
      throw new Problem('VALIDATION_ERROR', 'The path contains the character U+0000.', {
        details: [{ path: name, message: 'must not contain the character U+0000' }],
      });
    }
  }
  return params;
}

async function readBodyOf(request: Request, { contentType = 'application/json', limit }: BodyDefinition) {
  const { headers } = request;
  const isAbsent = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  if (isAbsent) throw new Problem('MALFORMED_BODY', 'The body is empty.', { suggestion: `Send ${contentType}.` });
  requireType(headers['content-type'], contentType);
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent without a content encoding.', {
      suggestion: 'Send it uncompressed, without the header Content-Encoding.',
    });
  }
  const text = await readBody(request, limit ?? BODY_BYTES);
  if (text === '') throw new Problem('MALFORMED_BODY', 'The body is empty.', { suggestion: `Send ${contentType}.` });
  return text;
}

/** Shape faults take precedence over value faults: a caller first has to send the right form. */
function refusal(
  faults: readonly InputFault[],
  { shapeStatus, valueStatus }: Pick<Endpoint, 'shapeStatus' | 'valueStatus'>,
): Problem {
  const isShape = faults.some(({ kind }) => kind === 'shape');
  const details = faults.map(({ detail }) => detail);
  const first = details[0];
  const rest = details.length > 1 ? ` (and ${details.length - 1} more in error.details)` : '';
  const message = `${first?.path || 'The body'} ${first?.message}${rest}`;
  return new Problem('VALIDATION_ERROR', message.endsWith('?') ? message : `${message}.`, {
    status: (isShape ? shapeStatus : (valueStatus ?? shapeStatus)) ?? 400,
    details,
  });
}

/**
 * The query of a URL as name -> text. Names without `=` have the empty text.
 * @throws Problem VALIDATION_ERROR for invalid percent-encoding, U+0000 and repeated parameters
 */
function parseQuery(url: string, status: number): Readonly<Record<string, string>> {
  const start = url.indexOf('?');
  if (start < 0 || start === url.length - 1) return NOTHING;
  return parsePairs(url.slice(start + 1), 'The query cannot be read.', status);
}

/** The values of a form as name -> text. @throws Problem VALIDATION_ERROR as `parseQuery` */
function parseForm(text: string): Readonly<Record<string, string>> {
  return parsePairs(text, 'The form cannot be read.', 400);
}

function parsePairs(text: string, refusal: string, status: number): Readonly<Record<string, string>> {
  const values: Record<string, string> = Object.create(null);
  const details: ProblemDetail[] = [];
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    if (name === null) details.push({ path: pair.slice(0, 40), message: 'must be percent-encoded UTF-8' });
    else if (value === null) details.push({ path: name, message: 'must be percent-encoded UTF-8 without U+0000' });
    else if (name in values) details.push({ path: name, message: 'must be sent only once' });
    else values[name] = value;
  }
  if (details.length > 0) throw new Problem('VALIDATION_ERROR', refusal, { details, status });
  return values;
}

function decode(text: string): string | null {
  if (!/[%+]/.test(text)) return text;
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return decoded.includes('\0') ? null : decoded;
  } catch {
    return null;
  }
}
