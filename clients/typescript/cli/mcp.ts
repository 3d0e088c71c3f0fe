import { settingsOf } from '../client/settings.ts';
import { refusalOf } from '../client/waits.ts';
import { type Connection, keyedConnectionOf } from './credentials.ts';
import { complain, type Options } from './usage.ts';

/** A message of JSON-RPC, as far as it is read here. */
interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: { readonly protocolVersion?: unknown };
}

/** Seconds for one message. */
const TIMEOUT = 300;

/** What the server agreed on with the client, in the older eras of the protocol. */
interface Agreed {
  version: string | null;
  session: string | null;
}

/**
 * The Model Context Protocol of the service on standard input and output: each line is one message, and is sent to /mcp
 * with the key. It ends when the input does and all replies are written.
 */
export async function serveMcp(options: Options): Promise<void> {
  const connection = keyedConnectionOf(options);
  const { url } = settingsOf(connection);
  const agreed: Agreed = { version: null, session: null };
  const open = new Set<Promise<void>>();
  for await (const line of messageLines(process.stdin)) {
    if (line.trim() === '') continue;
    const message = messageIn(line);
    const exchange = forward(line, message, `${url}/mcp`, connection, agreed).finally(() => open.delete(exchange));
    open.add(exchange);
    // The version of the agreement is a header of all that follows.
    if (message.method === 'initialize') await exchange;
  }
  await Promise.all(open);
}

/** Lines end at LF alone: readline of Node.js 24 also ends them at U+2028, which texts of JSON may hold. */
async function* messageLines(input: NodeJS.ReadableStream): AsyncGenerator<string> {
  let rest = '';
  for await (const text of input.setEncoding('utf8')) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.map((line) => line.replace(/\r$/, ''));
  }
  if (rest !== '') yield rest;
}

function messageIn(line: string): Message {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}

async function forward(
  line: string,
  message: Message,
  url: string,
  { apiKey }: Connection,
  agreed: Agreed,
): Promise<void> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headersOf(message, agreed), 'x-api-key': apiKey ?? '' },
      body: line,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT * 1_000),
    });
    for await (const text of repliesIn(response, message)) {
      if (message.method === 'initialize') agree(agreed, text, response.headers);
      // A line end is white space between tokens: none is within a text of JSON.
      process.stdout.write(`${text.replaceAll(/[\r\n]+/g, ' ')}\n`);
    }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    complain(`${message.method ?? 'a message'} was not answered: ${cause}`);
    if (isRequest(message)) answerWithError(message, `The service cannot be reached: ${cause}`);
  }
}

async function* repliesIn(response: Response, message: Message): AsyncGenerator<string> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream') && response.body) {
    yield* eventData(response.body);
    return;
  }
  const text = await response.text();
  if (isReply(text)) yield text;
  else if (isRequest(message)) {
    const { status, headers } = response;
    const { code, message: words, suggestion } = refusalOf({ status, headers, text }, Date.now());
    answerWithError(message, `${code}: ${words} ${suggestion}`.trim(), { status, code });
  } else if (response.status >= 400) complain(`a message got the status ${response.status}`);
}

function isReply(text: string): boolean {
  return 'jsonrpc' in messageIn(text);
}

/** A notification has no id, and gets no reply. */
function isRequest({ id, method }: Message): boolean {
  return method !== undefined && id !== undefined && id !== null;
}

/** An error that JSON-RPC leaves to the implementation. */
const SERVER_ERROR = -32_000;

function answerWithError({ id }: Message, message: string, data?: object): void {
  const error = { code: SERVER_ERROR, message, ...(data && { data }) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
}

function agree(agreed: Agreed, text: string, headers: Headers): void {
  const { result } = messageIn(text);
  if (typeof result?.protocolVersion === 'string') agreed.version = result.protocolVersion;
  agreed.session = headers.get('mcp-session-id');
}

/** In which member of `params` a method names its subject (specification 2026-07-28, standard request headers). */
const NAMES: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** The headers of streamable HTTP. A message that states a version in itself gets those of that version. */
function headersOf({ method = '', params }: Message, { version, session }: Agreed): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const meta = params?._meta;
  const stated = Object(meta)['io.modelcontextprotocol/protocolVersion'];
  if (typeof stated === 'string') {
    headers['mcp-protocol-version'] = stated;
    headers['mcp-method'] = method;
    const name = Object.hasOwn(NAMES, method) ? params?.[NAMES[method] ?? ''] : undefined;
    if (typeof name === 'string') headers['mcp-name'] = headerText(name);
    return headers;
  }
  if (version !== null && method !== 'initialize') headers['mcp-protocol-version'] = version;
  if (session !== null) headers['mcp-session-id'] = session;
  return headers;
}

/** Text that a header cannot have is written as Base64. */
function headerText(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** The data of each event of a stream of server-sent events; an event without data is left out. */
async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of linesOf(body)) {
    if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    else if (line === '' && data.length > 0) {
      yield data.join('\n');
      data = [];
    }
  }
}

/** The lines that have ended, by LF, CR or both. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of body) {
    const lines = `${rest}${decoder.decode(part, { stream: true })}`.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield* `${rest}${decoder.decode()}`.split(/\r\n|\n|\r/).slice(0, -1);
}
