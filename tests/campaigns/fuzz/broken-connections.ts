import { createConnection, type Socket } from 'node:net';
import { COMMON_HEADERS } from './check/faults.ts';

/** Bytes to send on a bare connection, and the replies that they may have. */
export interface Broken {
  readonly name: string;
  /** Written in order, with a pause after each. */
  readonly parts: readonly (string | Buffer)[];
  /** Ends the sending side after the last part, and continues to read. */
  readonly halfClosed?: boolean;
  /** The statuses of the replies in order; null allows any, or none. */
  readonly answers: readonly number[] | null;
}

const HOST = 'host: fuzz.test\r\n';
const GET = `GET /api/v1/nodes HTTP/1.1\r\n${HOST}`;
const POST = `POST /api/v1/public/auth/login HTTP/1.1\r\n${HOST}content-type: application/json\r\n`;
const CLOSE = 'connection: close\r\n';

/** Requests that are incomplete, contradict themselves or contain another request. */
export const BROKEN: readonly Broken[] = [
  { name: 'an invalid request line', parts: ['hello\r\n\r\n'], answers: [400] },
  { name: 'a TLS handshake', parts: [Buffer.from('16030100a5010000a10303', 'hex')], answers: [400] },
  { name: 'HTTP/2 without an upgrade', parts: ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'], answers: [400] },
  { name: 'no Host', parts: ['GET / HTTP/1.1\r\nconnection: close\r\n\r\n'], answers: [400] },
  { name: 'an obsolete version', parts: ['GET /api/v1/nodes HTTP/0.9\r\n\r\n'], answers: null },
  { name: 'a space before the colon', parts: [`${GET}x-a : b\r\n${CLOSE}\r\n`], answers: [400] },
  { name: 'a folded header', parts: [`${GET}x-a: b\r\n c\r\n${CLOSE}\r\n`], answers: null },
  { name: 'a header with NUL', parts: [`${GET}x-a: \u0000\r\n${CLOSE}\r\n`], answers: [400] },
  { name: 'a header of 20 KB', parts: [`${GET}x-a: ${'a'.repeat(20_000)}\r\n${CLOSE}\r\n`], answers: [431] },
  { name: '3,000 headers', parts: [`${GET}${'a: b\r\n'.repeat(3_000)}${CLOSE}\r\n`], answers: [431] },
  {
    name: 'an absolute target',
    parts: [`GET http://e.vil/api/v1/nodes HTTP/1.1\r\n${HOST}${CLOSE}\r\n`],
    answers: null,
  },
  { name: 'two lengths', parts: [`${POST}content-length: 2\r\ncontent-length: 3\r\n\r\n{}x`], answers: [400] },
  {
    name: 'a length and chunks',
    parts: [`${POST}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    answers: [400],
  },
  {
    name: 'chunks with another coding',
    parts: [`${POST}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    answers: [400],
  },
  {
    name: 'chunks with a tab in the name',
    parts: [`${POST}transfer-encoding:\tchunked\r\n${CLOSE}\r\n0\r\n\r\n`],
    answers: [400],
  },
  { name: 'a length with a sign', parts: [`${POST}content-length: +2\r\n\r\n{}`], answers: [400] },
  { name: 'a length in hexadecimal', parts: [`${POST}content-length: 0x2\r\n\r\n{}`], answers: [400] },
  {
    name: 'a length with 40 digits',
    parts: [`${POST}content-length: ${'9'.repeat(40)}\r\n\r\n{}`],
    answers: [400],
  },
  {
    name: 'chunks without a size',
    parts: [`${POST}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    answers: null,
  },
  {
    name: 'a chunk longer than its size',
    parts: [`${POST}transfer-encoding: chunked\r\n\r\n1\r\n{}{}\r\n0\r\n\r\n`],
    answers: null,
  },
  {
    name: 'a body of one byte at a time',
    parts: [`${POST}content-length: 2\r\n${CLOSE}\r\n`, '{', '}'],
    answers: [400],
  },
  { name: 'two requests at once', parts: [`${GET}\r\n${GET}${CLOSE}\r\n`], answers: [200, 200] },
  {
    name: 'a request after a refused one',
    parts: [`${POST}content-length: 1\r\n\r\nx${GET}${CLOSE}\r\n`],
    answers: [400, 200],
  },
  { name: 'ten requests at once', parts: [`${GET}\r\n`.repeat(9), `${GET}${CLOSE}\r\n`], answers: Array(10).fill(200) },
  { name: 'a half-closed connection', parts: [`${GET}${CLOSE}\r\n`], halfClosed: true, answers: [200] },
  {
    name: 'a body shorter than its length',
    parts: [`${POST}content-length: 50\r\n\r\n{"a`],
    halfClosed: true,
    answers: null,
  },
  { name: 'headers that end early', parts: [`${GET}x-a: `], halfClosed: true, answers: null },
  { name: 'an expectation', parts: [`${GET}expect: 100-continue\r\n${CLOSE}\r\n`], answers: null },
  { name: 'an upgrade', parts: [`${GET}connection: upgrade, close\r\nupgrade: websocket\r\n\r\n`], answers: null },
  { name: 'CONNECT', parts: [`CONNECT e.vil:443 HTTP/1.1\r\n${HOST}\r\n`], answers: [405] },
  { name: 'TRACE', parts: [`TRACE /api/v1/nodes HTTP/1.1\r\n${HOST}${CLOSE}\r\n`], answers: [405] },
  { name: 'an unknown method', parts: [`BREW /api/v1/nodes HTTP/1.1\r\n${HOST}${CLOSE}\r\n`], answers: null },
];

const TIMEOUT = 15_000;
const PAUSE = 30;

/** Returns the faults of the replies. The caller checks that the service still answers. */
export async function breakConnection(port: number, broken: Broken): Promise<readonly string[]> {
  const text = await exchange(port, broken);
  const heads = [...text.matchAll(/HTTP\/1\.1 (\d{3}) [^\r]*\r\n([\s\S]*?)\r\n\r\n/g)];
  const final = heads.filter(([, status]) => status !== '100');
  const statuses = final.map(([, status]) => Number(status));
  const faults: string[] = [];
  if (broken.answers !== null && !areEqual(statuses, broken.answers)) {
    faults.push(`${broken.name}: answered ${statuses.join() || 'nothing'} instead of ${broken.answers.join()}`);
  }
  for (const [, status, headers = ''] of final) {
    const missing = COMMON_HEADERS.filter((name) => !new RegExp(`^${name}:`, 'im').test(headers));
    if (missing.length > 0) faults.push(`${broken.name}: ${status} without ${missing.join(', ')}`);
    if (Number(status) >= 500) faults.push(`${broken.name}: ${status}`);
  }
  return faults;
}

/** With the limits of the contract any reply may be a 429. */
function areEqual(statuses: readonly number[], expected: readonly number[]): boolean {
  return statuses.length === expected.length && statuses.every((status, n) => status === expected[n] || status === 429);
}

/** Returns everything that it receives until the connection ends or is idle. */
function exchange(port: number, { parts, answers, halfClosed = false }: Broken): Promise<string> {
  return new Promise((resolve) => {
    const socket: Socket = createConnection({ port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    const over = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(answers === null ? TIMEOUT / 5 : TIMEOUT, over);
    socket.on('data', (part) => {
      text += part;
    });
    socket.on('end', over).on('error', over).on('close', over);
    socket.on('connect', () => void write(socket, parts, halfClosed));
  });
}

async function write(socket: Socket, parts: Broken['parts'], halfClosed: boolean): Promise<void> {
  for (const part of parts) {
    if (socket.destroyed) return;
    socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  if (halfClosed && !socket.destroyed) socket.end();
}
