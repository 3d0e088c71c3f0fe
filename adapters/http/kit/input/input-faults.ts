import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import type { z } from 'zod';
import { Problem, type ProblemDetail } from '../../../../domain/problem.ts';
import { BETWEEN_MEMBERS } from './input-messages.ts';

/** The client disconnected before its request was complete: there is no connection for a reply. */
export class ClientGone extends Error {}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** `shape`: not the form of the endpoint's input (400). `value`: the right form, outside its domain (400 or 422). */
export interface InputFault {
  readonly kind: 'shape' | 'value';
  readonly detail: ProblemDetail;
}

/** Every fault that a schema found in `input`, in the order of the schema. */
export function inputFaults(issues: readonly z.core.$ZodIssue[], input: unknown): InputFault[] {
  return issues.flatMap((issue) => faultsOf(issue, [], input));
}

function faultsOf(issue: z.core.$ZodIssue, base: readonly PropertyKey[], input: unknown): InputFault[] {
  const path = [...base, ...issue.path];
  if (issue.code === 'unrecognized_keys') return unknownMembers(issue, path, input);
  if (issue.code === 'invalid_union') {
    const branch = intendedBranch(issue.errors);
    if (branch) return branch.flatMap((inner) => faultsOf(inner, path, input));
  }
  const received = valueAt(input, path);
  return [{ kind: kindOf(issue, received), detail: detail(path, issue.message, received) }];
}

function unknownMembers(
  { keys, message }: z.core.$ZodIssueUnrecognizedKeys,
  path: readonly PropertyKey[],
  input: unknown,
): InputFault[] {
  const lines = message.split(BETWEEN_MEMBERS);
  const rest = lines.length === 1 ? message : 'is not known here';
  return keys.map((key, index) => {
    const place = [...path, key];
    return { kind: 'shape', detail: detail(place, lines[index] ?? rest, valueAt(input, place)) };
  });
}

/** The only alternative with the type of the input, if any: its faults are more exact than the union's. */
function intendedBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  const alike = branches.filter((issues) => !issues.some(({ code, path }) => code === 'invalid_type' && !path.length));
  return alike.length === 1 ? alike[0] : undefined;
}

function kindOf(issue: z.core.$ZodIssue, received: unknown): 'shape' | 'value' {
  if (received === undefined) return 'shape';
  switch (issue.code) {
    case 'invalid_type':
      return typeof received === 'number' && (issue.expected === 'int' || issue.expected === 'number')
        ? 'value'
        : 'shape';
    case 'invalid_value':
      return issue.values.some((value) => typeof value === typeof received) ? 'value' : 'shape';
    case 'invalid_union':
      return issue.errors.length > 0 && !issue.errors.some((branch) => isOfRightType(branch, received))
        ? 'shape'
        : 'value';
    case 'custom':
      return issue.params?.shape === true ? 'shape' : 'value';
    default:
      return 'value';
  }
}

/** Whether an alternative refuses only the value itself, and not its type or its members. */
function isOfRightType(branch: readonly z.core.$ZodIssue[], received: unknown): boolean {
  return branch.every((issue) => issue.path.length === 0 && kindOf(issue, received) === 'value');
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

const SECRET = /password|secret|token|code|api_?key|state/i;

/** Short plain values are shown to the caller; secrets, documents and long texts are not. */
function detail(path: readonly PropertyKey[], message: string, received: unknown): ProblemDetail {
  // An empty name is also a member's name, not the whole input.
  const place = path
    .map((key) => (key === '' ? '""' : String(key)))
    .join('.')
    .slice(0, 200);
  const plain = received === null || typeof received === 'number' || typeof received === 'boolean';
  const short = typeof received === 'string' && received.length <= 100;
  const isShown = (plain || short) && !path.some((key) => SECRET.test(String(key)));
  return isShown ? { path: place, message, received } : { path: place, message };
}

/**
 * The body as text without a byte order mark. Bytes beyond `limit` are never stored: the rest of an oversized body is
 * read and dropped, up to the server's request deadline, so that the client can read the refusal.
 * @throws Problem PAYLOAD_TOO_LARGE, MALFORMED_BODY when it is not UTF-8
 * @throws ClientGone
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<string> {
  if (Number(request.headers['content-length']) > limit) throw tooLarge(limit);
  const bytes = await collect(request, limit);
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new Problem('MALFORMED_BODY', 'The body is not valid UTF-8.', { suggestion: 'Send the body in UTF-8.' });
  }
}

function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge(limit));
      }
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', () => reject(new ClientGone()));
    request.on('close', () => {
      if (!request.readableEnded) reject(new ClientGone());
    });
  });
}

function tooLarge(limit: number): Problem {
  return new Problem('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`, {
    suggestion: `Send at most ${limit} bytes.`,
  });
}

/**
 * Refuses a body of another media type or in another encoding than UTF-8. The charset may have any label that the
 * Encoding Standard gives UTF-8 (`utf-8`, `utf8`, in any case, quoted or not); other parameters are ignored.
 * @param sent the header Content-Type @param wanted the media type, in lower case and without parameters
 * @throws Problem UNSUPPORTED_MEDIA_TYPE
 */
export function requireType(sent: string | undefined, wanted: string): void {
  if (sent === wanted) return;
  const type = parsed(sent);
  if (type?.essence !== wanted) {
    throw refusal(`The body must be ${wanted} in UTF-8.`, `Send the header Content-Type: ${wanted}.`);
  }
  const charset = type.params.get('charset');
  if (charset !== null && !namesUtf8(charset)) {
    const suggestion = `Send the body in UTF-8, with the header Content-Type: ${wanted}; charset=utf-8.`;
    throw refusal(`The body must be in UTF-8, not in the charset ${charset.slice(0, 40)}.`, suggestion);
  }
}

function parsed(sent: string | undefined): MIMEType | undefined {
  try {
    return sent === undefined ? undefined : new MIMEType(sent);
  } catch {
    return undefined;
  }
}

function namesUtf8(label: string): boolean {
  try {
    return new TextDecoder(label).encoding === 'utf-8';
  } catch {
    return false;
  }
}

function refusal(message: string, suggestion: string): Problem {
  return new Problem('UNSUPPORTED_MEDIA_TYPE', message, { suggestion });
}
