import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { type IncomingMessage, request as plainRequest, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { WEBHOOK_REQUEST } from '../../domain/limits.ts';
import { addressText, type IpAddress, parseAddress } from '../../domain/networks.ts';
import { type Millis, SECOND } from '../../domain/time.ts';
import type { WebhookFailure, WebhookRequest, WebhookResult, WebhookSender } from '../../domain/webhooks/delivery.ts';
import { type AddressRule, isAdmittedAddress, webhookUrlProblem } from '../../domain/webhooks/webhook-url.ts';

/** Ends an attempt before a status has arrived. */
class SendFailure extends Error {
  override readonly name = 'SendFailure';
  readonly reason: WebhookFailure;

  constructor(reason: WebhookFailure, options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}

const IMF_FIXDATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/** DNS servers need not know it (RFC 6761). */
const LOOPBACK_NAME = /^(?:.*\.)?localhost\.?$/;

export interface SenderSettings extends AddressRule {
  /** Address of an HTTP proxy that every webhook is sent through; null: none. */
  readonly proxy: string | null;
}

/** What is outside of the process, for tests. */
export interface SenderSurroundings {
  /** Addresses of DNS servers with their ports. */
  readonly dnsServers?: readonly string[];
  /** Certificates of authorities in PEM, in place of those of Node.js. */
  readonly ca?: string;
  readonly deadline?: Millis;
}

/**
 * Sends webhooks over HTTP/1.1, each on a connection of its own. The addresses of a name are judged here, and the
 * connection is made to one of them in digits, so that no second answer of a DNS server can lead elsewhere. With a
 * proxy the name is resolved and judged there.
 */
export function httpWebhookSender(settings: SenderSettings, surroundings: SenderSurroundings = {}): WebhookSender {
  const { dnsServers, ca, deadline = WEBHOOK_REQUEST.deadline } = surroundings;

  async function connected(url: URL, signal: AbortSignal): Promise<Socket> {
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    if (settings.proxy !== null) return tunnelTo(`${url.hostname}:${port}`, settings.proxy, signal);
    const addresses = await judgedAddresses(hostOf(url), { rule: settings, dnsServers, signal });
    return connectTo(addresses, port, { signal, deadline });
  }

  async function posted(request: WebhookRequest, signal: AbortSignal): Promise<WebhookResult> {
    if (webhookUrlProblem(request.url, settings) !== null) throw new SendFailure('ADDRESS_REFUSED');
    const url = new URL(request.url);
    const socket = await connected(url, signal);
    const connection = url.protocol === 'https:' ? await secured(socket, hostOf(url), signal, ca) : socket;
    return exchange(request, connection, signal);
  }

  return {
    async send(request) {
      const signal = AbortSignal.timeout(deadline);
      try {
        return await posted(request, signal);
      } catch (error) {
        if (signal.aborted) return { outcome: 'failed', reason: 'TIMED_OUT' };
        return { outcome: 'failed', reason: error instanceof SendFailure ? error.reason : 'CONNECTION_FAILED' };
      }
    },
  };
}

/** An IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/**
 * A connection to `host:port` through an HTTP proxy (CONNECT, RFC 9110 section 9.3.6), which resolves the name and
 * decides which addresses it admits.
 * @throws SendFailure ADDRESS_REFUSED for 403 and 407, by which proxies refuse a host
 */
function tunnelTo(authority: string, proxy: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const connecting = request(proxy, {
      ...{ method: 'CONNECT', path: authority, headers: { host: authority, 'user-agent': 'stancebook' } },
      ...{ agent: false, signal },
    });
    connecting.on('error', (cause) => reject(new SendFailure('CONNECTION_FAILED', { cause })));
    connecting.once('close', () => reject(new SendFailure('CONNECTION_FAILED')));
    connecting.once('connect', ({ statusCode = 0 }: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on('error', () => undefined);
      if (statusCode >= 200 && statusCode <= 299 && head.length === 0) return resolve(socket);
      socket.destroy();
      const isRefused = statusCode === 403 || statusCode === 407;
      return reject(new SendFailure(isRefused ? 'ADDRESS_REFUSED' : 'CONNECTION_FAILED'));
    });
    connecting.end();
  });
}

interface HostQuestion {
  readonly rule: AddressRule;
  /** Addresses of DNS servers with their ports; undefined: those of the system. */
  readonly dnsServers: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/**
 * The addresses of a host that webhooks may be sent to, in the order in which they are tried. Only these texts may be
 * connected to: a name that is resolved again may lead elsewhere.
 * @param host a name, or an address without brackets
 * @throws SendFailure for a host without addresses, and for one of which no address is admitted
 */
export async function judgedAddresses(host: string, question: HostQuestion): Promise<readonly string[]> {
  const found = await addressesOf(host, question);
  const admitted = found.filter((address) => isAdmittedAddress(address, question.rule));
  if (admitted.length === 0) throw new SendFailure(found.length > 0 ? 'ADDRESS_REFUSED' : 'CONNECTION_FAILED');
  return admitted.slice(0, WEBHOOK_REQUEST.addresses).map(addressText);
}

/** Neither /etc/hosts nor search domains count: the DNS servers answer the same to every node. */
async function addressesOf(host: string, { dnsServers, signal }: HostQuestion): Promise<readonly IpAddress[]> {
  const literal = parseAddress(host);
  if (literal) return [literal];
  if (LOOPBACK_NAME.test(host)) return parsed(['127.0.0.1', '::1']);
  const resolver = new Resolver({ timeout: 2 * SECOND, tries: 2 });
  if (dnsServers) resolver.setServers(dnsServers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? parsed(answer.value) : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function parsed(texts: readonly string[]): readonly IpAddress[] {
  return texts.map(parseAddress).filter((address) => address !== null);
}

/**
 * A connection to the first of the addresses that accepts one. Each but the last has an equal share of the time.
 * @param addresses in digits, at least one: no name is resolved here
 * @throws SendFailure when none accepts
 */
async function connectTo(
  addresses: readonly string[],
  port: number,
  { signal, deadline }: { readonly signal: AbortSignal; readonly deadline: number },
): Promise<Socket> {
  const share = deadline / addresses.length;
  for (const [index, host] of addresses.entries()) {
    const isLast = index === addresses.length - 1;
    const patience = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(share)]);
    const socket = await opened(connect({ host, port }), 'connect', patience).catch(() => null);
    if (socket) return socket;
    signal.throwIfAborted();
  }
  throw new SendFailure('CONNECTION_FAILED');
}

/**
 * TLS over a connection. The certificate must be valid for the host, whatever NODE_TLS_REJECT_UNAUTHORIZED says.
 * @param host a name, which is sent as SNI, or an address without brackets
 * @param ca certificates of authorities in PEM, in place of those of Node.js
 * @throws SendFailure
 */
async function secured(socket: Duplex, host: string, signal: AbortSignal, ca?: string): Promise<Duplex> {
  const name = host.replace(/\.$/, '');
  const secure = connectTls({
    socket,
    host: name,
    ...(isIP(name) === 0 && { servername: name }),
    ...(ca !== undefined && { ca }),
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  try {
    return await opened(secure, 'secureConnect', signal);
  } catch (error) {
    socket.destroy();
    throw new SendFailure('TLS_FAILED', { cause: error });
  }
}

/** The stream once it has emitted the event; destroyed if it does not. */
async function opened<T extends Duplex>(stream: T, event: string, signal: AbortSignal): Promise<T> {
  // An error that nothing listens to would end the process, also one between two steps.
  stream.on('error', () => undefined);
  try {
    await once(stream, event, { signal });
    return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/**
 * Posts the webhook over a connection, which it closes. A status counts from its arrival: whatever happens to the body
 * after it, of which a part is read and thrown away, does not change the result.
 * @throws SendFailure when no status arrives
 */
function exchange(
  { url, headers, body }: WebhookRequest,
  connection: Duplex,
  signal: AbortSignal,
): Promise<WebhookResult> {
  const request = url.toLowerCase().startsWith('https:') ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const posting = request(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'stancebook',
        connection: 'close',
      },
      createConnection: () => connection,
      signal,
    });
    let result: WebhookResult | null = null;
    const end = (cause?: Error) => {
      posting.destroy();
      connection.destroy();
      return result ? resolve(result) : reject(new SendFailure('CONNECTION_FAILED', { cause }));
    };
    posting.on('error', end);
    posting.once('close', () => end());
    posting.once('response', (reply) => {
      result = resultOf(reply);
      reply.on('error', () => undefined);
      reply.once('close', () => end());
      let size = 0;
      reply.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size >= WEBHOOK_REQUEST.replyBytes) end();
      });
    });
    posting.end(body);
  });
}

function resultOf({ statusCode: status = 0, headers }: IncomingMessage): WebhookResult {
  if (status >= 300 && status <= 399) return { outcome: 'failed', reason: 'REDIRECTED' };
  return { outcome: 'answered', status, retryAfter: retryAfterSeconds(headers['retry-after'], Date.now()) };
}

/**
 * The seconds that a Retry-After header names, as a number or as a date of HTTP (RFC 9110 section 10.2.3), at least 0;
 * null for any other text.
 */
export function retryAfterSeconds(header: string | undefined, now: Millis): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text);
  const at = IMF_FIXDATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / SECOND));
}
