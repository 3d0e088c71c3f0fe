import type { Received } from '../../stage/receive.ts';
import type { Document, Reply, Validator } from '../document.ts';
import { type Draft, sentOf } from '../requests/draft.ts';
import { unexplained } from './rules.ts';
import { isRouted, type Verdict, verdictOf } from './verdict.ts';

/** A fault of a reply. `kind` contains no values, so that equal faults are one finding. */
export interface Fault {
  readonly kind: string;
  readonly detail: string;
}

const LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
const QUOTA_HEADERS = ['x-quota-resource', 'x-quota-remaining', 'x-quota-limit', 'x-quota-reset'];
export const COMMON_HEADERS = ['x-request-id', ...LIMIT_HEADERS, ...QUOTA_HEADERS];

/** All faults of this reply to this request, according to the document. */
export function faultsOf(document: Document, draft: Draft, received: Received): readonly Fault[] {
  const routed = isRouted(draft);
  const reply = routed ? draft.operation.replies.get(received.status) : undefined;
  const verdict = verdictOf(draft);
  return [
    ...headerFaults(draft, received),
    ...(reply ? replyFaults(reply, received) : unlistedFaults(document, routed, received)),
    ...(received.status >= 500 ? [fault('a failure', `${received.status} ${excerpt(received)}`)] : []),
    ...(routed ? acceptanceFaults(draft, verdict, received) : []),
    ...(routed ? credentialFaults(draft, received) : []),
  ];
}

export function headerFaults({ operation }: Draft, { status, headers, body }: Received): Fault[] {
  const any = [...operation.replies.values()][0]?.headers;
  const own = operation.replies.get(status)?.headers;
  const missing = COMMON_HEADERS.filter((name) => headers[name] === undefined);
  const wrong = Object.entries(headers).filter(([name, text]) => {
    const fits = own?.get(name) ?? any?.get(name);
    return fits !== undefined && !fits(/^\d+$/.test(text) && !fits(text) ? Number(text) : text);
  });
  const isBeyondLimit = Number(headers['x-ratelimit-remaining']) > Number(headers['x-ratelimit-limit']);
  return [
    ...missing.map((name) => fault(`no header ${name}`, `${status}`)),
    ...(status >= 400 && body.length > 0 ? retryFaults(headers['retry-after'], body) : []),
    ...wrong.map(([name, text]) => fault(`the header ${name} is not as documented`, text)),
    ...(isBeyondLimit ? [fault('more remaining than the limit', String(headers['x-ratelimit-remaining']))] : []),
  ];
}

/** Retry-After is sent exactly when the envelope contains the same time. */
function retryFaults(header: string | undefined, body: Buffer): Fault[] {
  const { retry_after_seconds } = (parsed(body) as { error?: { retry_after_seconds?: unknown } } | null)?.error ?? {};
  const expected = typeof retry_after_seconds === 'number' ? String(retry_after_seconds) : undefined;
  return header === expected ? [] : [fault('retry-after differs from the body', `${header}, not ${expected}`)];
}

function replyFaults({ content, codes }: Reply, received: Received): Fault[] {
  const { status, headers, body } = received;
  if (content.size === 0) return body.length === 0 ? [] : [fault(`a body with ${status}`, excerpt(received))];
  const type = (headers['content-type'] ?? '').replace(/;.*/, '');
  const fits = content.get(type);
  if (!fits) return [fault(`${status} of another content type`, type)];
  if (type !== 'application/json') return body.length > 0 ? [] : [fault(`${status} without a body`, type)];
  return [...bodyFaults(status, fits, received), ...codeFaults(codes, received)];
}

function bodyFaults(status: number, fits: Validator, { body }: Received): Fault[] {
  const value = parsed(body);
  if (value === undefined) return [fault(`${status} with a body that is not JSON`, body.toString().slice(0, 200))];
  if (fits(value)) return [];
  const { instancePath = '', message = '', keyword = '', params } = fits.errors?.at(-1) ?? {};
  const place = instancePath.replaceAll(/\/\d+/g, '/n');
  return [
    fault(
      `${status} with a body that does not fit: ${place} ${keyword}`,
      `${instancePath} ${message} ${JSON.stringify(params)}`,
    ),
  ];
}

function codeFaults(codes: ReadonlySet<string>, { status, body }: Received): Fault[] {
  const code = codeOf(body);
  if (status < 400 || codes.has(code)) return [];
  return [fault(`${status} ${code} is not documented`, body.toString().slice(0, 300))];
}

/** A path without an operation is answered by a documented error, too. */
function unlistedFaults({ isError }: Document, routed: boolean, received: Received): Fault[] {
  const { status } = received;
  if (routed && ![408, 421, 431].includes(status))
    return [fault(`the status ${status} is not documented`, excerpt(received))];
  if (status < 400) return [];
  return isError(parsed(received.body)) ? [] : [fault(`${status} without the envelope of errors`, excerpt(received))];
}

export function acceptanceFaults(draft: Draft, verdict: Verdict, received: Received): Fault[] {
  const { status, body } = received;
  if (verdict === 'invalid' && status < 400)
    return [fault('what the document forbids is accepted', `${status}, ${draft.how}`)];
  const isRefused = [400, 413, 415, 422].includes(status) && REFUSALS.has(codeOf(body));
  if (verdict !== 'valid' || !isRefused) return [];
  const details = unexplained(draft.operation, parsed(body));
  return details.map(({ path, message }) => {
    const place = path.replaceAll(/\.\d+/g, '.n');
    const words = message.replace(/:.*/, '').replaceAll(/["'`].*["'`]|\d+/g, '...');
    return fault(`what the document allows is refused: ${place} ${words}`.slice(0, 160), `${path} ${message}`);
  });
}

const REFUSALS = new Set(['VALIDATION_ERROR', 'MALFORMED_BODY', 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE']);

/** No caller is admitted whom the document does not name. */
export function credentialFaults(draft: Draft, { status }: Received): Fault[] {
  const { operation, caller } = draft;
  const { security, path, method } = operation;
  if (status >= 400 || security === null) return [];
  const isOptional = caller.credential === null && security.length === 3 && path.includes('/snapshots/{hash}');
  const named = caller.credential !== null && security.includes(caller.credential);
  const isAdminArea = path.startsWith('/api/v1/admin/');
  const mayChange = method === 'GET' || !(caller.isForeign && sentOf(draft).headers['sec-fetch-site'] === undefined);
  const maySubmit = !/^submit_?decision$/i.test(operation.id) || caller.submits;
  const isAllowed = (named || isOptional) && (!isAdminArea || caller.isAdmin) && mayChange && maySubmit;
  return isAllowed ? [] : [fault(`${caller.name} is admitted`, String(status))];
}

function codeOf(body: Buffer): string {
  const value = parsed(body) as { error?: { code?: unknown } } | null | undefined;
  return String(value?.error?.code ?? 'no code');
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function excerpt({ body }: Received): string {
  return body.toString().slice(0, 400);
}

export function fault(kind: string, detail: string): Fault {
  return { kind, detail };
}
