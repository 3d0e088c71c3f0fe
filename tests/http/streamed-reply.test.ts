import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { endpoint } from '../../adapters/http/kit/endpoint.ts';
import { StreamedReply } from '../../application/json-text.ts';
import { Problem } from '../../domain/problem.ts';
import { testApp } from './app.ts';

const PATH = '/api/v1/public/pieces';
const PATIENT = { patience: 60_000, longest: 60_000 };
const PIECE = 'x'.repeat(64 * 1024);

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A reply of these pieces, and what the service has logged. */
async function serve(pieces: () => AsyncGenerator<string>, limits = PATIENT, method = 'GET') {
  const definition = endpoint({
    id: 'readPieces',
    method: 'GET',
    path: PATH,
    summary: 'Read',
    description: 'Reads.',
    tag: 'Notes',
    auth: 'none',
    replies: { 200: { description: 'Pieces', schema: z.string(), example: 'a', contentType: 'text/plain' } },
    problems: ['NOT_FOUND'],
    handle: () => ({ status: 200, body: new StreamedReply(pieces(), limits) }),
  });
  const observed: number[] = [];
  const { app, logged } = testApp([definition], { observe: ({ status }) => void observed.push(status) });
  server = createServer(app);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest({ port, path: PATH, method }, resolve).on('error', reject).end();
  });
  return { response, logged, observed };
}

/** Waits for a fact that needs no more than the work of this process. */
async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !isSo() && Date.now() < end; ) await new Promise((done) => setTimeout(done, 5));
  expect(isSo()).toBe(true);
}

/** Pieces without end, with what became of them. */
function endless() {
  const state = { made: 0, ended: false };
  const pieces = async function* () {
    try {
      for (;;) {
        state.made += 1;
        yield PIECE;
      }
    } finally {
      state.ended = true;
    }
  };
  return { state, pieces };
}

describe('a streamed reply', () => {
  test('is sent whole, in order, without a length, and is observed once', async () => {
    const { response, observed } = await serve(async function* () {
      yield 'a\n';
      yield 'b\n';
    });
    expect([response.statusCode, response.headers['content-length'], await textOf(response)]).toEqual([
      200,
      undefined,
      'a\nb\n',
    ]);
    await until(() => observed.length > 0);
    expect(observed).toEqual([200]);
  });

  test('is a refusal where the first piece throws', async () => {
    // biome-ignore lint/correctness/useYield: it throws before any piece.
    const { response } = await serve(async function* () {
      throw new Problem('NOT_FOUND', 'There is nothing.');
    });
    expect([response.statusCode, JSON.parse(await textOf(response)).error.code]).toEqual([404, 'NOT_FOUND']);
  });

  test('breaks off where a later piece throws, and the fault is logged', async () => {
    const { response, logged } = await serve(async function* () {
      yield 'a\n';
      throw new Error('the database is gone');
    });
    await expect(textOf(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await until(() => logged.length > 0);
    expect(logged).toMatchObject([{ message: 'A request failed', fields: { endpoint: 'readPieces' } }]);
  });

  test('makes no more pieces than fit buffers while the client reads nothing, and none once it is gone', async () => {
    const { state, pieces } = endless();
    const { response, logged } = await serve(pieces);
    let before = -1;
    for (let still = 0; still < 5; still = state.made === before ? still + 1 : 0) {
      before = state.made;
      await new Promise((done) => setTimeout(done, 20));
    }
    expect(state.made * PIECE.length).toBeLessThan(64 * 1024 * 1024);
    response.destroy();
    await until(() => state.ended);
    expect(logged).toEqual([]);
  });

  test.each([
    ['takes nothing for too long', { patience: 100, longest: 60_000 }],
    ['is not done in time', { patience: 60_000, longest: 100 }],
  ])('is cut off where the client %s', async (_, limits) => {
    const { state, pieces } = endless();
    const { response } = await serve(pieces, limits);
    await until(() => state.ended);
    await expect(textOf(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('lets other work run while a client reads pieces that wait for nothing', async () => {
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 0);
    const { response } = await serve(async function* () {
      for (let each = 0; each < 20_000; each += 1) yield 'a\n';
    });
    expect((await textOf(response)).length).toBe(40_000);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(10);
  });

  test('has no body for HEAD, and makes one piece', async () => {
    const { state, pieces } = endless();
    const { response } = await serve(pieces, PATIENT, 'HEAD');
    expect([response.statusCode, await textOf(response), state]).toEqual([200, '', { made: 1, ended: true }]);
  });
});
