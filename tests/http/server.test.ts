import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createHttpServer, type HttpServer, type RequestListener } from '../../adapters/http/kit/server.ts';
import { testApp } from './app.ts';
import { failing, writeNote } from './example.ts';

const running: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close(0)));
});

async function serve(listener: RequestListener, timeouts?: { headers: number; request: number }): Promise<number> {
  const server = createHttpServer(listener, timeouts);
  running.push(server);
  return (await server.listen(0, '127.0.0.1')).port;
}

/** Everything that a server sends back to these bytes until it closes. */
function talk(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(heard));
    socket.on('error', reject);
  });
}

function parse(response: string) {
  const [head = '', body = ''] = response.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = Object.fromEntries(fields.map((field) => field.toLowerCase().split(': ', 2) as [string, string]));
  return { status: Number(line.split(' ')[1]), headers, body };
}

const { app } = testApp([writeNote, failing(() => undefined)]);

describe('a malformed request is answered with the envelope and all common headers', () => {
  const cases: [string, string, number, string][] = [
    ['a broken request line', 'NONSENSE\r\n\r\n', 400, 'VALIDATION_ERROR'],
    ['headers too large', `GET / HTTP/1.1\r\nhost: h\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400, 'VALIDATION_ERROR'],
    ['two Hosts', 'GET /healthz HTTP/1.1\r\nhost: h\r\nHost: h\r\n\r\n', 400, 'VALIDATION_ERROR'],
    ['two Hosts of HTTP/1.0', 'GET /healthz HTTP/1.0\r\nhost: h\r\nhost: i\r\n\r\n', 400, 'VALIDATION_ERROR'],
    ...['a b', 'a/b', 'user@a', 'a:b', '[::1', 'a,b:80:80'].map((host): [string, string, number, string] => [
      `the Host ${host}`,
      `GET /healthz HTTP/1.1\r\nhost: ${host}\r\n\r\n`,
      400,
      'VALIDATION_ERROR',
    ]),
    [
      'both Content-Length and Transfer-Encoding',
      'POST /healthz HTTP/1.1\r\nhost: h\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'VALIDATION_ERROR',
    ],
    [
      'two Content-Lengths',
      'POST /healthz HTTP/1.1\r\nhost: h\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}',
      400,
      'VALIDATION_ERROR',
    ],
    ...['Authorization', 'X-API-Key', 'Idempotency-Key', 'Content-Type'].map(
      (name): [string, string, number, string] => [
        `two of ${name}`,
        `GET /healthz HTTP/1.1\r\nhost: h\r\n${name}: a\r\n${name.toLowerCase()}: a\r\n\r\n`,
        400,
        'VALIDATION_ERROR',
      ],
    ),
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    [
      'a broken chunk of a body',
      'POST /api/v1/agent/notes/n1 HTTP/1.1\r\nhost: h\r\nx-api-key: agent-key\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n',
      400,
      'VALIDATION_ERROR',
    ],
  ];
  test.each(cases)('%s', async (_, bytes, status, code) => {
    const answer = parse(await talk(await serve(app), bytes));
    expect(answer.status).toBe(status);
    const { error } = JSON.parse(answer.body);
    expect(error).toMatchObject({ code, request_id: answer.headers['x-request-id'] });
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '0',
      'x-quota-resource': 'none',
      'x-quota-remaining': 'unlimited',
      connection: 'close',
    });
  });

  test('the refusal of a repeated header names it, and an unlisted header may be repeated', async () => {
    const port = await serve(app);
    const twice = (name: string) =>
      talk(port, `GET /healthz HTTP/1.1\r\nhost: h\r\nconnection: close\r\n${name}: a\r\n${name}: b\r\n\r\n`);
    expect(JSON.parse(parse(await twice('x-api-key')).body).error).toMatchObject({
      message: 'The header X-API-Key was sent more than once.',
      suggestion: 'Send the header X-API-Key once.',
    });
    expect(parse(await twice('accept')).status).toBe(200);
  });

  test.each(['h', '127.0.0.1:3000', '[::1]:3000', 'a_b.example:80', 'xn--p1ai.example', ''])(
    'the Host %s is valid',
    async (host) => {
      const answer = await talk(
        await serve(app),
        `GET /healthz HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
      );
      expect(parse(answer).status).toBe(200);
    },
  );

  test.each([
    ['nothing', ''],
    ['half a head', 'GET /healthz HTTP/1.1\r\nhost: h\r\n'],
  ])('%s within the time for a head: 408', async (_name, bytes) => {
    const answer = parse(await talk(await serve(app, { headers: 100, request: 150 }), bytes));
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([408, 'REQUEST_TIMEOUT']);
  });

  test('a slow body: 408', async () => {
    const port = await serve(app, { headers: 100, request: 150 });
    const head =
      'POST /api/v1/agent/notes/n1 HTTP/1.1\r\nhost: h\r\nx-api-key: agent-key\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{';
    const answer = parse(await talk(port, head));
    expect(answer.status).toBe(408);
    expect(JSON.parse(answer.body).error.code).toBe('REQUEST_TIMEOUT');
  });

  test.each([
    ['without a body', 'GET /healthz HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n', ''],
    ['with one', 'POST /healthz HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-length: 1\r\n\r\n', 'x'],
  ])('a request %s that arrived in time at a process that was busy meanwhile: no 408', async (_name, head, body) => {
    const port = await serve((request, response) => request.resume().once('end', () => response.end('read')), {
      headers: 1_000,
      request: 1_000,
    });
    const heard: string[] = [];
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (chunk) => heard.push(String(chunk)));
    const closed = once(socket, 'close');
    await once(socket, 'connect');
    if (body) socket.write(head);
    await sleep(300);
    // Timers are next then, and reading after them.
    await new Promise((resolve) => setImmediate(resolve));
    socket.write(body || head);
    for (const until = Date.now() + 1_500; Date.now() < until; );
    await closed;
    expect(parse(heard.join('')).status).toBe(200);
  });

  test('a head whose end a busy process reads late, without its body: 408', async () => {
    const port = await serve(() => undefined, { headers: 1_000, request: 1_000 });
    const heard: string[] = [];
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (chunk) => heard.push(String(chunk)));
    const closed = once(socket, 'close');
    await once(socket, 'connect');
    socket.write('POST / HTTP/1.1\r\nhost: h\r\n');
    await sleep(300);
    await new Promise((resolve) => setImmediate(resolve));
    socket.write('content-length: 1\r\n\r\n');
    for (const until = Date.now() + 1_500; Date.now() < until; );
    const patience = setTimeout(() => socket.destroy(), 10_000);
    await closed;
    clearTimeout(patience);
    expect(parse(heard.join('')).status).toBe(408);
  });

  test('a pending reply is sent before the reply to the malformed request that follows', async () => {
    const port = await serve((_request, response) => {
      setTimeout(() => response.end('first'), 50);
    });
    const heard = await talk(port, 'GET / HTTP/1.1\r\nhost: h\r\n\r\nNONSENSE\r\n\r\n');
    expect(heard.indexOf('first')).toBeGreaterThan(0);
    expect(heard.indexOf('400 Bad Request')).toBeGreaterThan(heard.indexOf('first'));
  });
});

describe('closing', () => {
  test('finishes the request in flight, and closes idle connections', async () => {
    let release = () => {};
    const arrived = Promise.withResolvers<void>();
    const server = createHttpServer((_request, response) => {
      release = () => response.end('done');
      arrived.resolve();
    });
    const { port } = await server.listen(0, '127.0.0.1');
    const idle = talk(port, '');
    const busy = talk(port, 'GET / HTTP/1.1\r\nhost: h\r\n\r\n');
    await arrived.promise;
    const closed = server.close(20_000);
    release();
    expect(await busy).toContain('done');
    await Promise.all([closed, idle]);
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });

  test('cuts off requests that last longer than its time limit', async () => {
    const arrived = Promise.withResolvers<void>();
    const server = createHttpServer(() => arrived.resolve());
    const { port } = await server.listen(0, '127.0.0.1');
    const busy = talk(port, 'GET / HTTP/1.1\r\nhost: h\r\n\r\n');
    await arrived.promise;
    await server.close(10);
    expect(await busy).toBe('');
  });
});

test('the server keeps serving after a client breaks off its body', async () => {
  const port = await serve(app);
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        'POST /api/v1/agent/notes/n1 HTTP/1.1\r\nhost: h\r\nx-api-key: agent-key\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{',
      );
      setTimeout(() => socket.destroy(), 20);
    });
    socket.on('close', () => resolve());
  });
  expect((await fetch(`http://127.0.0.1:${port}/api/v1/public/failure`)).status).toBe(200);
});

test('the server keeps serving after a connection is reset right after CONNECT', async () => {
  const port = await serve(app);
  for (let each = 0; each < 50; each += 1) {
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write('CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n', () => setImmediate(() => socket.resetAndDestroy()));
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
    });
  }
  expect(parse(await talk(port, 'GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')).status).toBe(200);
});
