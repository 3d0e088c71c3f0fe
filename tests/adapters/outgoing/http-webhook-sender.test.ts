import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { httpWebhookSender, type SenderSettings } from '../../../adapters/outgoing/http-webhook-sender.ts';
import { DAY } from '../../../domain/time.ts';
import type { WebhookResult } from '../../../domain/webhooks/delivery.ts';
import { type Certificate, certificateFor } from '../../harness/outgoing/certificate.ts';
import { connectProxy } from '../../harness/outgoing/connect-proxy.ts';
import { type DnsServer, dnsServer } from '../../harness/outgoing/dns-server.ts';
import { type Receiver, receiver } from '../../harness/outgoing/receiver.ts';

const HOST = 'hooks.example.com';
const certificate = certificateFor([HOST, '127.0.0.1']);
const closers: (() => unknown)[] = [];
let dns: DnsServer;

beforeAll(async () => {
  dns = await dnsServer({ [HOST]: [['127.0.0.1']], 'other.example.com': [['127.0.0.1']] });
  closers.push(dns.close);
});
afterAll(async () => {
  for (const close of closers) await close();
});

async function served(answer: RequestListener, shown: Certificate | null = certificate): Promise<Receiver> {
  const server = await receiver(answer, shown ?? undefined);
  closers.push(server.close);
  return server;
}

interface Sent {
  readonly host?: string;
  readonly scheme?: string;
  readonly path?: string;
  readonly body?: string;
  readonly deadline?: number;
  readonly settings?: Partial<SenderSettings>;
  readonly ca?: string;
}

function send(port: number, sent: Sent = {}): Promise<WebhookResult> {
  const { host = HOST, scheme = 'https', path = '/hooks', body = '{"a":"ü"}', deadline = 30_000, ca } = sent;
  const settings = { allowPrivate: true, proxy: null, ...sent.settings };
  const sender = httpWebhookSender(settings, { dnsServers: [dns.address], ca: ca ?? certificate.cert, deadline });
  return sender.send({ url: `${scheme}://${host}:${port}${path}`, headers: { 'webhook-id': 'one' }, body });
}

async function answered(answer: (response: ServerResponse) => unknown, sent?: Sent): Promise<WebhookResult> {
  const server = await served((_, response) => answer(response));
  const result = await send(server.port, sent);
  await server.idle();
  return result;
}

const failed = (reason: string) => ({ outcome: 'failed', reason });
const OK = { outcome: 'answered', status: 200, retryAfter: null };

test('a webhook is one POST over TLS, with the headers of the sender, on a connection of its own', async () => {
  const server = await served((_, response) => response.setHeader('set-cookie', 'a=b').end('thanks'));
  expect(await send(server.port, { path: '/hooks?of=x' })).toEqual(OK);
  expect(await send(server.port, { path: '/hooks?of=x' })).toEqual(OK);
  await server.idle();
  const one = {
    method: 'POST',
    url: '/hooks?of=x',
    headers: {
      host: `${HOST}:${server.port}`,
      'webhook-id': 'one',
      'content-type': 'application/json',
      'content-length': '10',
      'user-agent': 'stancebook',
      connection: 'close',
    },
    body: '{"a":"ü"}',
  };
  expect(server.received).toEqual([one, one]);
  expect(server.connections()).toBe(2);
});

test('http is sent plainly where private addresses are allowed, and refused where they are not', async () => {
  const server = await served((_, response) => response.end(), null);
  expect(await send(server.port, { scheme: 'http' })).toEqual(OK);
  const settings = { allowPrivate: false };
  expect(await send(server.port, { scheme: 'http', settings })).toEqual(failed('ADDRESS_REFUSED'));
  expect(server.received).toHaveLength(1);
});

describe('the status and its Retry-After are returned', () => {
  test.each([
    [200, {}, null],
    [204, {}, null],
    [400, {}, null],
    [410, {}, null],
    [429, { 'retry-after': '120' }, 120],
    [503, { 'retry-after': new Date(0).toUTCString() }, 0],
    [500, { 'retry-after': 'later' }, null],
  ])('%d %j', async (status, headers, retryAfter) => {
    const result = await answered((response) => response.writeHead(status, headers).end());
    expect(result).toEqual({ outcome: 'answered', status, retryAfter });
  });

  test('after a status that only informs', async () => {
    const result = await answered((response) => {
      response.writeProcessing();
      response.writeHead(201).end();
    });
    expect(result).toMatchObject({ status: 201 });
  });
});

test.each([300, 301, 302, 303, 304, 307, 308])('a redirect by %d is not followed', async (status) => {
  const target = await served((_, response) => response.end());
  const location = `https://${HOST}:${target.port}/`;
  expect(await answered((response) => response.writeHead(status, { location }).end())).toEqual(failed('REDIRECTED'));
  expect(target.connections()).toBe(0);
});

describe('a status counts whatever becomes of the body, and the connection is closed', () => {
  test('a body of 64 MiB is cut', async () => {
    let left = 64 * 1_024;
    const large = (response: ServerResponse) => {
      const write = () => {
        while (!response.destroyed && left > 0 && response.write('a'.repeat(1_024))) left -= 1;
        if (left === 0) response.end();
      };
      response.on('drain', write);
      write();
    };
    expect(await answered(large)).toEqual(OK);
    expect(left).toBeGreaterThan(0);
  });

  test('a body that stops', async () => {
    expect(await answered((response) => response.write('a'), { deadline: 500 })).toEqual(OK);
  });

  test('a body that breaks off', async () => {
    const broken = (response: ServerResponse) =>
      response.writeHead(200, { 'content-length': 100 }).write('a', () => response.socket?.destroy());
    expect(await answered(broken)).toEqual(OK);
  });
});

describe('no status', () => {
  test('within the deadline', async () => {
    expect(await answered(() => undefined, { deadline: 300 })).toEqual(failed('TIMED_OUT'));
  });

  test('but parts of one, without an end', async () => {
    const port = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x-more: 1\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await send(port, { scheme: 'http', deadline: 300 })).toEqual(failed('TIMED_OUT'));
  });

  test.each([
    ['headers without an end', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}`],
    ['another protocol', '220 mail.example.com ESMTP\r\n'],
    ['nothing at all', ''],
    ['another protocol to which it switches', 'HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
  ])('but %s', async (_, text) => {
    const port = await rawServer((socket) => socket.end(text));
    expect(await send(port, { scheme: 'http' })).toEqual(failed('CONNECTION_FAILED'));
  });

  test('from a port that nothing listens on', async () => {
    const server = await served((_, response) => response.end());
    server.close();
    expect(await send(server.port)).toEqual(failed('CONNECTION_FAILED'));
  });
});

describe('TLS fails', () => {
  test('for a certificate of another name, and is not asked to trust it', async () => {
    const server = await served((_, response) => response.end());
    expect(await send(server.port, { host: 'other.example.com' })).toEqual(failed('TLS_FAILED'));
    expect(await send(server.port, { host: '127.0.0.1' })).toEqual(OK);
    expect(server.received).toHaveLength(1);
  });

  test('for a certificate that no authority signed, also with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    const server = await served((_, response) => response.end(), certificateFor([HOST]));
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const result = await send(server.port);
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    expect(result).toEqual(failed('TLS_FAILED'));
    expect(server.received).toEqual([]);
  });

  test('for a certificate that has expired', async () => {
    const expired = certificateFor([HOST], new Date(Date.now() - 3 * DAY));
    const server = await served((_, response) => response.end(), expired);
    expect(await send(server.port, { ca: expired.cert })).toEqual(failed('TLS_FAILED'));
  });

  test('for a server without TLS, and for one that hangs up', async () => {
    const plain = await served((_, response) => response.end(), null);
    expect(await send(plain.port)).toEqual(failed('TLS_FAILED'));
    expect(await send(await rawServer((socket) => socket.destroy()))).toEqual(failed('TLS_FAILED'));
  });

  test('not, but the time ends, for a server that is silent', async () => {
    expect(await send(await rawServer(() => undefined), { deadline: 300 })).toEqual(failed('TIMED_OUT'));
  });
});

describe('through a proxy', () => {
  test('names go to the proxy unresolved, and TLS through it to the receiver', async () => {
    const server = await served((_, response) => response.end());
    const proxy = await connectProxy(server.port);
    closers.push(proxy.close);
    const before = dns.questions.length;
    const settings = { allowPrivate: false, proxy: proxy.url };
    expect(await send(8443, { settings })).toEqual(OK);
    expect(proxy.authorities).toEqual([`${HOST}:8443`]);
    expect(server.received[0]?.headers.host).toBe(`${HOST}:8443`);
    expect(dns.questions).toHaveLength(before);
    expect(await send(8443, { settings, host: 'other.example.com' })).toEqual(failed('TLS_FAILED'));
  });

  test('addresses in digits and names of private networks are refused before it', async () => {
    const proxy = await connectProxy(1);
    closers.push(proxy.close);
    const settings = { allowPrivate: false, proxy: proxy.url };
    for (const host of ['169.254.169.254', '[::1]', 'localhost', 'metadata.google.internal'])
      expect(await send(8443, { settings, host })).toEqual(failed('ADDRESS_REFUSED'));
    expect(proxy.authorities).toEqual([]);
  });

  test.each([
    [403, 'ADDRESS_REFUSED'],
    [407, 'ADDRESS_REFUSED'],
    [502, 'CONNECTION_FAILED'],
  ])('that answers %d: %s', async (status, reason) => {
    const proxy = await connectProxy(1, status);
    closers.push(proxy.close);
    expect(await send(8443, { settings: { proxy: proxy.url } })).toEqual(failed(reason));
  });

  test('that is not there, or silent', async () => {
    const gone = await connectProxy(1);
    gone.close();
    expect(await send(8443, { settings: { proxy: gone.url } })).toEqual(failed('CONNECTION_FAILED'));
    const silent = `http://127.0.0.1:${await rawServer(() => undefined)}`;
    expect(await send(8443, { settings: { proxy: silent }, deadline: 300 })).toEqual(failed('TIMED_OUT'));
  });
});

/** The port of a server that speaks bare TCP. */
async function rawServer(accept: (socket: Socket) => unknown): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    closers.push(() => socket.destroy());
    accept(socket);
  }).listen(0, '127.0.0.1');
  closers.push(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}
