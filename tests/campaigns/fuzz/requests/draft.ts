import type { Operation } from '../document.ts';
import type { Sent } from '../send.ts';
import type { Caller } from '../stage/callers.ts';
import { MCP_HEADERS, messageBytes } from '../tools.ts';

/** A request before it is encoded. */
export interface Draft {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  /** In order; a name may occur twice. */
  readonly query: readonly (readonly [name: string, text: string])[];
  readonly headers: Readonly<Record<string, string>>;
  /** The content of the body. A `Token` is JSON that no value produces. Not sent when there are `bytes`. */
  readonly content: unknown;
  readonly bytes: Buffer | null;
  /** The twist that was applied; empty when none was. */
  readonly how: string;
}

/** Literal JSON in place of a value. */
export class Token {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

const MARK = '\u{f8ff}token:';

/** The JSON of a value, with its tokens as they are. */
export function jsonOf(value: unknown): string {
  const tokens: string[] = [];
  const text = JSON.stringify(value, (_name, part) => {
    if (!(part instanceof Token)) return part;
    tokens.push(part.json);
    return `${MARK}${tokens.length - 1}`;
  });
  return text.replaceAll(new RegExp(`"${MARK}(\\d+)"`, 'gu'), (_match, n) => tokens[Number(n)] ?? '');
}

export function bytesOf({ operation, content, bytes }: Draft): Buffer | null {
  if (bytes !== null) return bytes;
  if (operation.body === null || content === undefined) return null;
  if (operation.tool) return messageBytes(operation, jsonOf(content));
  if (operation.body.contentType === 'application/x-www-form-urlencoded' && isRecord(content))
    return Buffer.from(new URLSearchParams(content).toString());
  return Buffer.from(typeof content === 'string' && !isJson(operation) ? content : jsonOf(content));
}

/** A list has no names, and null no members: they are sent as JSON. */
function isRecord(content: unknown): content is Record<string, string> {
  return typeof content === 'object' && content !== null && !Array.isArray(content);
}

export function isJson({ body }: Operation): boolean {
  return body?.contentType === 'application/json';
}

/** The request as it is sent, with credentials. */
export function sentOf(draft: Draft): Sent {
  const { operation, caller, params, query, headers } = draft;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_match, name) => encoded(params[name] ?? ''));
  const search = query.map(([name, text]) => `${encoded(name)}=${encoded(text)}`).join('&');
  const body = bytesOf(draft);
  const typed = body !== null && operation.body ? { 'content-type': operation.body.contentType } : {};
  return {
    method: operation.method,
    path: search === '' ? path : `${path}?${search}`,
    headers: { ...(operation.tool && MCP_HEADERS), ...typed, ...caller.headers(), ...headers },
    body,
  };
}

/** Percent-encodes the text. A lone surrogate becomes the bytes of a wrong encoder; a text after `raw:` stays as it is. */
function encoded(text: string): string {
  if (text.startsWith(RAW)) return text.slice(RAW.length);
  return [...text]
    .map((letter) => (letter.isWellFormed() ? encodeURIComponent(letter) : '%ED%A0%80'))
    .join('')
    .replace(/^\.{1,2}$/, (dots) => dots.replaceAll('.', '%2E'));
}

/** The prefix of a text that is sent without encoding. */
export const RAW = 'raw:';
