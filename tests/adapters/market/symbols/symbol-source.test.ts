import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { symbolSource } from '../../../../adapters/market/symbols/current-symbols.ts';
import { SourceUnavailable } from '../../../../domain/market/market-data.ts';
import { SECOND } from '../../../../domain/time.ts';
import { freePort } from '../../../../infrastructure/embedded-postgres/supervisor.ts';
import { NASDAQ, OTHER } from '../symbol-files.ts';

type Behaviour = (response: ServerResponse, socket: Socket) => void;

const good =
  (text: string): Behaviour =>
  (response) =>
    void response.end(text);

let url: string;
let answers: Record<string, Behaviour>;
const server = createServer((request, response) => {
  const answer = answers[request.url ?? ''] ?? ((own) => void own.writeHead(404).end());
  answer(response, request.socket);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dir`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  answers = { '/dir/nasdaqlisted.txt': good(NASDAQ), '/dir/otherlisted.txt': good(OTHER) };
});

test('both files are fetched from below the address', async () => {
  const files = await symbolSource(url, 10 * SECOND).fetch();
  expect(files.map(({ name, symbols }) => [name, symbols.length])).toEqual([
    ['nasdaqlisted', 4],
    ['otherlisted', 8],
  ]);
});

const half = NASDAQ.slice(0, 200);

describe('no symbols at all when one of the files', () => {
  const cases: [string, Behaviour, string][] = [
    ['is missing', (response) => void response.writeHead(404).end('gone'), 'was answered with 404'],
    [
      'has moved',
      (response) => void response.writeHead(302, { location: '/dir/otherlisted.txt' }).end(),
      'did not come',
    ],
    ['is out of service', (response) => void response.writeHead(503).end(), 'was answered with 503'],
    ['is a page', good('<html></html>'), 'line 1: the header'],
    ['ends early without a word', good(half), 'the last line is no creation time'],
    ['is shorter than its head said', (response, socket) => cut(response, () => void socket.destroy()), 'did not come'],
    [
      'stops halfway on a connection that is half closed',
      (response, socket) => cut(response, () => void socket.end()),
      'did not come',
    ],
    ['never comes', () => undefined, 'did not come: timeout'],
    ['stops halfway and keeps the connection', (response) => cut(response, () => undefined), 'did not come: timeout'],
    ['is refused by a reset', (_, socket) => void socket.destroy(), 'did not come'],
  ];
  test.each(cases)('%s', async (_, behaviour, reason) => {
    answers['/dir/nasdaqlisted.txt'] = behaviour;
    const fault = await symbolSource(url, 300)
      .fetch()
      .then(
        () => null,
        (error: unknown) => error,
      );
    expect(fault).toBeInstanceOf(SourceUnavailable);
    expect(String(fault)).toContain(reason);
    expect(String(fault)).not.toContain('127.0.0.1');
  });
});

test('nobody listens', async () => {
  await expect(symbolSource(`http://127.0.0.1:${await freePort()}`, SECOND).fetch()).rejects.toThrow(
    'did not come: ECONNREFUSED',
  );
});

function cut(response: ServerResponse, then: () => void): void {
  response.writeHead(200, { 'content-length': String(NASDAQ.length) });
  response.write(half, then);
}
