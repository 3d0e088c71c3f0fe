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
const PATIENT = { leastRate: 1, window: 600_000, longest: 600_000 };
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
    ['takes nothing', { ...PATIENT, window: 100 }, /^read 0 bytes a second over \d+ s; at least 1 are needed$/],
    ['is not done in time', { ...PATIENT, longest: 100 }, /^not done after 0.1 s$/],
  ])('is cut off where the client %s, and the log has the reason', async (_, limits, reason) => {
    const { state, pieces } = endless();
    const { response, logged } = await serve(pieces, limits);
    await until(() => state.ended);
    expect(logged).toMatchObject([
      {
        message: 'A reader of a streamed reply was cut off',
        fields: { endpoint: 'readPieces', reason: expect.stringMatching(reason) },
      },
    ]);
    await expect(textOf(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('is cut off where the client reads too slowly, though it reads', async () => {
    const { state, pieces } = endless();
    const { response, logged } = await serve(pieces, { ...PATIENT, leastRate: 2 ** 40, window: 50 });
    response.on('error', () => undefined).on('data', () => undefined);
    await until(() => state.ended);
    expect(logged).toMatchObject([{ fields: { reason: expect.stringMatching(/^read [1-9]\d+ bytes a second/) } }]);
  });

  test('is whole for a client that reads as fast as it must, however many windows that takes', async () => {
    const { response, logged } = await serve(
      async function* () {
        for (let each = 0; each < 200; each += 1) yield PIECE;
      },
      { ...PATIENT, leastRate: 0, window: 10 },
    );
    let read = 0;
    for await (const part of response) {
      read += part.length;
      await new Promise((done) => setTimeout(done, 2));
    }
    expect([read, logged]).toEqual([200 * PIECE.length, []]);
  });

  test('is whole where the service takes its time: that is not the fault of the client', async () => {
    const { response, logged } = await serve(
      async function* () {
        for (let each = 0; each < 4; each += 1) {
          yield 'a\n';
          await new Promise((done) => setTimeout(done, 100));
        }
      },
      { ...PATIENT, leastRate: 2 ** 40, window: 20 },
    );
    expect(await textOf(response)).toBe('a\n'.repeat(4));
    expect(logged).toEqual([]);
  });

  test('of large pieces is written in parts, so that the pace of their reader shows', async () => {
    const { response } = await serve(async function* () {
      yield 'x'.repeat(4 * 2 ** 20);
    });
    const parts: number[] = [];
    for await (const part of response) parts.push(part.length);
    expect(parts.reduce((sum, size) => sum + size, 0)).toBe(4 * 2 ** 20);
    expect(Math.max(...parts)).toBeLessThanOrEqual(64 * 1024);
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
