import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { endpoint } from '../../adapters/http/kit/endpoint.ts';
import { type PushedPipe, PushedReply } from '../../adapters/http/kit/reply/pushed-reply.ts';
import { until } from '../harness/event-source.ts';
import { testApp } from './app.ts';

const PATH = '/api/v1/public/pushed';
const PIECE = 'x'.repeat(64 * 1024);

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(method = 'GET') {
  const state = { pipe: null as PushedPipe | null, closed: 0, discarded: 0, observed: [] as number[] };
  const open = (pipe: PushedPipe) => {
    state.pipe = pipe;
    return () => {
      state.closed += 1;
    };
  };
  const discard = () => {
    state.discarded += 1;
  };
  const definition = endpoint({
    id: 'readPushed',
    method: 'GET',
    path: PATH,
    summary: 'Read',
    description: 'Reads.',
    tag: 'Notes',
    auth: 'none',
    replies: { 200: { description: 'Pushed', schema: z.string(), example: 'a', contentType: 'text/plain' } },
    problems: [],
    handle: () => ({ status: 200, body: new PushedReply('text/plain', open, discard) }),
  });
  const { app } = testApp([definition], { observe: ({ status }) => void state.observed.push(status) });
  server = createServer(app);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest({ port, path: PATH, method }, resolve).on('error', reject).end();
  });
  return { response, state };
}

describe('a pushed reply', () => {
  test('has its head at once, then what is written, until it is ended; it is observed at its head', async () => {
    const { response, state } = await serve();
    expect([response.statusCode, response.headers['content-length'], state.observed]).toEqual([200, undefined, [200]]);
    state.pipe?.write('a\n');
    const [first] = (await response.iterator({ destroyOnReturn: false }).next()).value.toString();
    expect(first).toBe('a');
    state.pipe?.end('b\n');
    expect(await textOf(response)).toBe('b\n');
    state.pipe?.write('c\n');
    await until(() => state.closed === 1);
  });

  test('reports the end of a client that goes away, once, and ignores what is written then', async () => {
    const { response, state } = await serve();
    response.destroy();
    await until(() => state.closed === 1);
    state.pipe?.write('a\n');
    state.pipe?.end('b\n');
    await state.pipe?.taken();
    expect(state.closed).toBe(1);
  });

  test('is full while its client takes nothing, and not once it has', async () => {
    const { response, state } = await serve();
    const { pipe } = state;
    for (let n = 0; n < 1_000 && !pipe?.isFull; n += 1) {
      pipe?.write(PIECE);
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(pipe?.isFull).toBe(true);
    let isTaken = false;
    const taken = pipe?.taken().then(() => {
      isTaken = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isTaken).toBe(false);
    response.resume();
    await taken;
    expect(pipe?.isFull).toBe(false);
  });

  test('that is full when its client goes away waits no more', async () => {
    const { response, state } = await serve();
    for (let n = 0; n < 200; n += 1) state.pipe?.write(PIECE);
    expect(state.pipe?.isFull).toBe(true);
    response.destroy();
    await state.pipe?.taken();
    await until(() => state.closed === 1);
  });

  test('is cut at once', async () => {
    const { response, state } = await serve();
    state.pipe?.cut();
    await expect(textOf(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await until(() => state.closed === 1);
  });

  test('is discarded for HEAD', async () => {
    const { response, state } = await serve('HEAD');
    expect([response.statusCode, await textOf(response), state.pipe, state.discarded]).toEqual([200, '', null, 1]);
  });
});
