import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { CONTRACT_LIMITS } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import { bareReply, HEAD_BYTES, parserProblem, rawReply } from './reply/headers.ts';

/**
 * The headers that a request may have once only: of two, this service and a proxy in front of it could each use another
 * one. Node refuses two different Content-Lengths, and its parser two ways of framing a body.
 */
const SINGLE: ReadonlyMap<string, string> = new Map(
  ['Host', 'Authorization', 'X-API-Key', 'Idempotency-Key', 'Content-Type'].map((name) => [name.toLowerCase(), name]),
);

/** A name or address with an optional port, in the characters of RFC 3986, 3.2.2; it may be empty. */
const HOST = /^(\[[\da-f:.]+\]|[\w.~%!$&'()*+,;=-]*)(:\d*)?$/i;

export interface HttpServer {
  /** Resolves with the address once connections are accepted; rejects when the port is not available. */
  listen(port: number, host: string): Promise<AddressInfo>;
  /**
   * Accepts no more connections, waits for requests in flight and closes idle connections. After `patience`
   * milliseconds it closes the remaining connections.
   */
  close(patience: number): Promise<void>;
}

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

const HEADERS_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 30_000;
/** Longer than the 60 s for which load balancers keep idle connections open, so that they close first. */
const KEEP_ALIVE = 65_000;

/** A Node server over an application, with deadlines, and an error envelope for input that is not a valid request. */
export function createHttpServer(
  app: RequestListener,
  timeouts: { readonly headers: number; readonly request: number } = {
    headers: HEADERS_TIMEOUT,
    request: REQUEST_TIMEOUT,
  },
  addressPerMinute: number = CONTRACT_LIMITS.addressPerMinute,
): HttpServer {
  const latest = new WeakMap<Duplex, ServerResponse>();
  const silent = new Set<Duplex>();
  let closing = false;
  const server = createServer({
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: Math.min(1_000, timeouts.headers),
    keepAliveTimeout: KEEP_ALIVE,
    maxHeaderSize: HEAD_BYTES,
    // Its own reply has no body: see header-refusal.ts.
    requireHostHeader: false,
  });
  const take: RequestListener = (request, response) => {
    latest.set(request.socket, response);
    silent.delete(request.socket);
    if (closing) response.shouldKeepAlive = false;
    const refusal = headerRefusal(request);
    if (refusal) refuseBare(response, refusal, addressPerMinute);
    else app(request, response);
  };
  server.on('request', take);
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  // An unknown expectation may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', take);
  server.on('connect', (_request, socket) => {
    // Node has removed its own listener: without this one a reset connection would end the process.
    socket.on('error', () => socket.destroy());
    const refusal = new Problem('METHOD_NOT_ALLOWED', 'CONNECT is not served here.');
    socket.end(rawReply(refusal, addressPerMinute, ['allow', 'GET, HEAD']));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const refuse = () => refuseUnparsed(error, socket, latest.get(socket), addressPerMinute);
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') unlessArrived(() => latest.get(socket), refuse);
    else refuse();
  });
  return {
    listen: (port, host) => listen(server, port, host),
    close: (patience) => {
      closing = true;
      return close(server, silent, patience);
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

async function close(server: Server, silent: ReadonlySet<Duplex>, patience: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // There is no event for a connection that becomes idle, and Node does not close connections without a request.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    for (const socket of silent) socket.destroy();
  }, 50);
  const cut = setTimeout(() => server.closeAllConnections(), patience);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

/** Replies outside of any exchange, and closes the connection. */
function refuseBare(response: ServerResponse, problem: Problem, addressPerMinute: number): void {
  const { headers, body } = bareReply(problem, addressPerMinute);
  response.writeHead(problem.status, headers);
  response.end(body);
}

/**
 * Refuses a request that is late, after what waits unread was read: it may be this process that was busy. Node.js does not look
 * at the request again, so one that is not whole by then is refused.
 */
function unlessArrived(latest: () => ServerResponse | undefined, refuse: () => void): void {
  const before = latest();
  const wasWhole = before?.req.complete;
  setImmediate(() => {
    const read = latest();
    const isNew = read !== before || !wasWhole;
    if (!(isNew && read?.req.complete)) refuse();
  });
}

/** Replies on the raw socket, but never during another reply or before one that is still due. */
function refuseUnparsed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  latest: ServerResponse | undefined,
  addressPerMinute: number,
): void {
  const problem = parserProblem(error.code);
  if (problem === null || !socket.writable) {
    socket.destroy();
    return;
  }
  if (latest === undefined || latest.writableFinished || (!latest.headersSent && !latest.req.complete)) {
    socket.end(rawReply(problem, addressPerMinute));
  } else if (latest.req.complete) {
    latest.once('finish', () => socket.end(rawReply(problem, addressPerMinute)));
  } else {
    socket.destroy();
  }
}

/** The refusal of a request without a valid Host (RFC 9112, 3.2), or with two of a header that it may have once only. */
function headerRefusal({ headers, rawHeaders, httpVersion }: IncomingMessage): Problem | undefined {
  if (headers.host === undefined && httpVersion === '1.1') {
    return new Problem('VALIDATION_ERROR', 'The header Host is missing.', { suggestion: 'Send the header Host.' });
  }
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = SINGLE.get(rawHeaders[index]?.toLowerCase() ?? '');
    if (name === undefined) continue;
    if (seen.has(name)) return repeated(name);
    seen.add(name);
  }
  if (headers.host === undefined || HOST.test(headers.host)) return undefined;
  return new Problem('VALIDATION_ERROR', 'The header Host is not a host with an optional port.', {
    suggestion: 'Send the host and port of the address as the header Host.',
  });
}

function repeated(name: string): Problem {
  return new Problem('VALIDATION_ERROR', `The header ${name} was sent more than once.`, {
    suggestion: `Send the header ${name} once.`,
  });
}
