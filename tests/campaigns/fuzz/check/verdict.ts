import { MCP } from '../../../../domain/limits.ts';
import type { Operation, Parameter, ToolForm } from '../document.ts';
import { bytesOf, type Draft, isJson, RAW, sentOf } from '../requests/draft.ts';
import { MEMBER_TWICE } from '../requests/hostile.ts';
import { argumentsIn, MCP_HEADERS } from '../tools.ts';

/** Whether the document allows a request; `unsure` when it does not define that. */
export type Verdict = 'valid' | 'invalid' | 'unsure';

/** Compares all parts of a request with the document. */
export function verdictOf(draft: Draft): Verdict {
  const { tool } = draft.operation;
  if (tool) return messageVerdict(draft, tool);
  const verdicts = [pathVerdict(draft), queryVerdict(draft), headerVerdict(draft), bodyVerdict(draft)];
  if (verdicts.includes('invalid')) return 'invalid';
  return verdicts.includes('unsure') ? 'unsure' : 'valid';
}

/** Whether the path is routed to the operation: one with empty or undecodable segments is not. */
export function isRouted({ params }: Draft): boolean {
  return Object.values(params).every((text) => text !== '' && !text.startsWith(RAW) && text.isWellFormed());
}

function pathVerdict(draft: Draft): Verdict {
  if (!isRouted(draft)) return 'unsure';
  return parametersVerdict(draft.operation, 'path', Object.entries(draft.params));
}

/** Repeated and unknown parameters are invalid. */
function queryVerdict({ operation, query }: Draft): Verdict {
  if (query.some(([, text]) => text.startsWith(RAW))) return 'unsure';
  const names = query.map(([name]) => name);
  const isTwice = new Set(names).size < names.length;
  const known = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const isUnknown = names.some((name) => !known.includes(name));
  // The identity provider may send more parameters there.
  if (isUnknown && operation.id === 'finishProviderLogin') return 'unsure';
  return isTwice || isUnknown ? 'invalid' : parametersVerdict(operation, 'query', query);
}

function headerVerdict(draft: Draft): Verdict {
  const { headers } = sentOf(draft);
  if (headers['content-encoding'] !== undefined || headers.host !== undefined) return 'unsure';
  return parametersVerdict(draft.operation, 'header', Object.entries(headers));
}

function parametersVerdict(operation: Operation, place: string, sent: readonly (readonly [string, string])[]): Verdict {
  const known = operation.parameters.filter((parameter) => parameter.in === place);
  const fits = known.every((parameter) => {
    const text = sent.find(([name]) => name === parameter.name)?.[1];
    return text === undefined ? !parameter.required : parameter.fits(typed(text, parameter));
  });
  return fits ? 'valid' : 'invalid';
}

/** The value of a parameter's text. */
function typed(text: string, { schema }: Parameter): unknown {
  if (schema.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (schema.type === 'integer' && /^-?\d+$/.test(text) && isOf64Bits(text)) return Number(text);
  return text;
}

/** The bounds of 64 bits, which the document contains, are no exact doubles. */
function isOf64Bits(digits: string): boolean {
  return BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
}

function bodyVerdict(
  draft: Draft,
  fits: ((value: unknown) => unknown) | undefined = draft.operation.body?.fits,
): Verdict {
  const { operation, bytes } = draft;
  const sent = bytesOf(draft);
  if (operation.body === null) return sent === null ? 'valid' : 'unsure';
  if (sent === null || sent.length === 0) return 'invalid';
  const type = sentOf(draft).headers['content-type'] ?? '';
  if (type !== operation.body.contentType) return 'unsure';
  if (!isJson(operation)) return 'unsure';
  // A parser may ignore a byte order mark (RFC 8259, 8.1).
  if (bytes?.subarray(0, 3).equals(BYTE_ORDER_MARK)) return 'unsure';
  if (draft.how === 'a member twice' || sent.includes(MEMBER_TWICE)) return 'invalid';
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(sent));
    if (fits?.(value)) return 'valid';
    return isOfSingleRows(operation) ? 'unsure' : 'invalid';
  } catch {
    return 'invalid';
  }
}

/** What is no message of the protocol is invalid; what else is in the request, such as a query, is not the tool's. */
function messageVerdict(draft: Draft, tool: ToolForm): Verdict {
  const { headers } = sentOf(draft);
  const isOfAClient = headers.accept === MCP_HEADERS.accept && headers.host === undefined;
  const isLong = (bytesOf(draft)?.length ?? 0) > MCP.messageBytes;
  if (!isOfAClient || isLong || headers['content-encoding'] !== undefined) return 'unsure';
  const verdict = bodyVerdict(draft, (message) => draft.operation.body?.fits(argumentsIn(tool, message)) === true);
  return verdict === 'invalid' && mayBeReadForgivingly(draft) ? 'unsure' : verdict;
}

/** Whether a message has what /mcp reads as something else, or accepts without listing it: docs/mcp.md. */
function mayBeReadForgivingly(draft: Draft): boolean {
  // The version of the protocol is itself a text of digits.
  const [, text = ''] = /"arguments":(.*)$/s.exec(bytesOf(draft)?.toString() ?? '') ?? [];
  const isFlat = draft.operation.id.startsWith('submit_decision') && !/"(decision|group)":/.test(text);
  return isFlat || /null|""|"key_factors":\["|"\s*[[{]|"-?\d[\d.eE+-]*"|"([tT]rue|[fF]alse)"/.test(text);
}

/** Whether all that a body has wrong is in its rows, of which each is refused for itself. */
function isOfSingleRows({ body, words }: Operation): boolean {
  const places = body?.fits.errors ?? [];
  const isOfRow = ({ instancePath }: { readonly instancePath: string }) => /^\/rows\/\d+/.test(instancePath);
  return words.includes('Each row is accepted, repeated or refused for itself') && places.every(isOfRow);
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
