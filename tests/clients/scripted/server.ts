import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from './cases.ts';

export interface ScriptedServer {
  readonly url: string;
  /** How the requests differ from those of the exchanges. */
  faults(): readonly string[];
  close(): Promise<void>;
}

/** A server that expects the requests of the exchanges and sends their replies, faults included. */
export async function openScriptedServer(exchanges: readonly Exchange[]): Promise<ScriptedServer> {
  const faults: string[] = [];
  let [count, before]: [number, IncomingMessage['headers']] = [0, {}];
  const server = createServer((request, response) => {
    response.sendDate = false;
    const exchange = exchanges[count];
    count += 1;
    if (!exchange) {
      faults.push(`one request too many: ${request.method} ${request.url}`);
      return void request.socket.destroy();
    }
    const previous = before;
    before = request.headers;
    if (exchange.reply.fault === 'reset') return void request.socket.resetAndDestroy();
    bodyOf(request).then((body) => {
      faults.push(...differences(exchange.request, request, previous, body));
      answer(exchange.reply, request.socket, response);
    }, String);
  });
  server.on('connection', (socket) => socket.unref());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: () =>
      count < exchanges.length ? [...faults, `${exchanges.length - count} requests did not come`] : faults,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

function* differences(
  expected: Exchange['request'],
  { method, url, headers }: IncomingMessage,
  before: IncomingMessage['headers'],
  body: string,
): Generator<string> {
  if (method !== expected.method || url !== expected.path) {
    yield `${method} ${url} instead of ${expected.method} ${expected.path}`;
  }
  for (const [name, text] of Object.entries(expected.headers ?? {})) {
    const sent = headers[name];
    const isRight = text === '*' ? Boolean(sent) : sent === (text === '=' ? before[name] : text);
    if (!isRight) yield `the header ${name} is ${sent}`;
  }
  for (const name of expected.absent ?? []) {
    if (headers[name] !== undefined) yield `the header ${name} is there`;
  }
  if (expected.body !== undefined && !isDeepStrictEqual(JSON.parse(body || 'null'), expected.body)) {
    yield `the body is ${body}`;
  }
}

function answer(
  { status = 200, headers, body, text, fault }: Exchange['reply'],
  socket: Socket,
  to: ServerResponse,
): void {
  if (fault === 'hang') return;
  if (fault === 'drop') return void socket.destroy();
  const content = Buffer.from(text ?? JSON.stringify(body));
  const type = text === undefined ? { 'content-type': 'application/json' } : {};
  to.writeHead(status, { 'content-length': content.length, ...type, ...headers });
  if (fault !== 'truncate') return void to.end(content);
  to.write(content.subarray(0, content.length / 2), () => socket.destroy());
}
