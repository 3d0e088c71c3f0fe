import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** A server on loopback that speaks enough of PostgreSQL's protocol to answer one query with its settings. */
export interface OldPostgres {
  readonly url: string;
  /** The statements that it received. */
  readonly queries: readonly string[];
  close(): void;
}

/** @param settings the columns of its one reply, by name */
export async function openOldPostgres(settings: Readonly<Record<string, string>>): Promise<OldPostgres> {
  const queries: string[] = [];
  const server = createServer((socket) => {
    let started = false;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (!started) socket.write(Buffer.concat([message('R', int32(0)), READY]));
      else if (bytes[0] === QUERY) {
        queries.push(bytes.subarray(5, -1).toString());
        socket.write(replyOf(settings));
      }
      started = true;
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `postgresql://stancebook@127.0.0.1:${port}/stancebook`, queries, close: () => void server.close() };
}

const QUERY = 'Q'.charCodeAt(0);

function replyOf(settings: Readonly<Record<string, string>>): Buffer {
  const names = Object.keys(settings);
  const values = Object.values(settings);
  const columns = names.map((name) => Buffer.concat([text(name), int32(0), int16(0), int32(TEXT), TEXT_FORM]));
  const cells = values.map((value) => Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]));
  return Buffer.concat([
    message('T', Buffer.concat([int16(names.length), ...columns])),
    message('D', Buffer.concat([int16(names.length), ...cells])),
    message('C', text('SELECT 1')),
    READY,
  ]);
}

/** The type `text`, then its size (any), its modifier (none) and the text format. */
const TEXT = 25;
const TEXT_FORM = Buffer.concat([int16(-1), int32(-1), int16(0)]);
const READY = message('Z', Buffer.from('I'));

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
