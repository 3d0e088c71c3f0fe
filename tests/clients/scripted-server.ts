import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that must come, and its reply; docs/clients.md explains the members. */
export interface Exchange {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly absent?: readonly string[];
    readonly body?: unknown;
  };
  readonly reply: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly text?: string;
    readonly fault?: 'drop' | 'reset' | 'truncate' | 'hang';
  };
}

export interface ScriptedServer {
  readonly url: string;
  /** What came and was not in the script, and what did not come; empty when all was as it must be. */
  faults(): readonly string[];
  close(): Promise<void>;
}

/** A server on loopback that expects the requests of the script, in this order, and gives their replies. */
export async function startScriptedServer(exchanges: readonly Exchange[]): Promise<ScriptedServer> {
  const faults: string[] = [];
  let next = 0;
  let before: IncomingMessage | undefined;
  const server = createServer(async (request, response) => {
    const exchange = exchanges[next++];
    const body = await textOf(request);
    if (!exchange) {
      faults.push(`${request.method} ${request.url} is not in the script`);
      request.socket.destroy();
      return;
    }
    faults.push(...faultsOf(exchange.request, request, body, before));
    before = request;
    answer(exchange.reply, response);
  });
  server.on('connection', (socket) => {
    if (exchanges[next]?.reply.fault !== 'reset') return;
    next += 1;
    socket.resetAndDestroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: () => [...faults, ...exchanges.slice(next).map(({ request }) => `${request.path} did not come`)],
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** `*` is any text, `=` the text of the request before; any text where that was not read. */
function faultsOf(
  expected: Exchange['request'],
  { method, url, headers }: IncomingMessage,
  body: string,
  before: IncomingMessage | undefined,
): readonly string[] {
  const faults: string[] = [];
  if (method !== expected.method || url !== expected.path)
    faults.push(`${method} ${url} came instead of ${expected.method} ${expected.path}`);
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    const wanted = value === '=' ? (before?.headers[name] ?? '*') : value;
    const right = wanted === '*' ? Boolean(headers[name]) : headers[name] === wanted;
    if (!right) faults.push(`the header ${name} is ${headers[name]} and not ${value}`);
  }
  for (const name of expected.absent ?? []) if (name in headers) faults.push(`the header ${name} is there`);
  if ('body' in expected && !isEqual(body, expected.body)) faults.push(`the body is ${body}`);
  return faults;
}

function isEqual(text: string, value: unknown): boolean {
  return text !== '' && JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
}

/** Every connection ends with its reply, so that each request has one of its own. */
function answer({ status = 200, headers = {}, body, text, fault }: Exchange['reply'], response: ServerResponse): void {
  if (fault === 'hang') return;
  if (fault === 'drop') {
    response.socket?.destroy();
    return;
  }
  const content = Buffer.from(text ?? JSON.stringify(body));
  response.sendDate = false;
  response.writeHead(status, {
    ...(text === undefined ? { 'content-type': 'application/json' } : {}),
    ...headers,
    connection: 'close',
    'content-length': content.length,
  });
  if (fault !== 'truncate') {
    response.end(content);
    return;
  }
  response.write(content.subarray(0, content.length / 2), () => response.socket?.destroy());
}
