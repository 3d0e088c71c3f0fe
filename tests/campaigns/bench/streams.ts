import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '../../../adapters/postgres/migrations/migrate.ts';
import { SERVICE_ROLE } from '../../../infrastructure/embedded-postgres/roles.ts';
import { addCallers } from '../stage/callers.ts';
import { onClient } from '../stage/client.ts';
import { onThrowawayDatabase, type ThrowawayDatabase } from '../stage/throwaway-database.ts';
import { cpuDuring } from './cpu.ts';
import { measuredService } from './stage.ts';

export interface StreamExtent {
  /** Open at once in one process; each of an agent and an owner of its own. */
  readonly streams: number;
  /** How long they are idle. */
  readonly seconds: number;
}

/** What streams of events cost while nothing happens, and how long an event for all of them takes; as lines. */
export function benchStreams({ streams, seconds }: StreamExtent): Promise<string> {
  return onThrowawayDatabase(async (throwaway) => {
    const { database } = throwaway;
    await migrate({ url: database.url, serviceRole: SERVICE_ROLE });
    const keys = await onClient(database.url, (client) => addCallers(client, streams, streams));
    const service = await measuredService(throwaway, { LOG_LEVEL: 'warn' });
    const idle = () => used(throwaway, service.pid, seconds);
    await openAll(service.port, keys.slice(0, 1));
    const before = await idle();
    const readers = await openAll(service.port, keys);
    const during = await idle();
    const first = performance.now();
    await onClient(database.url, (client) => client.query(CIRCUIT));
    await Promise.all(readers.map((reader) => reader.got('event: circuit.changed')));
    const toAll = performance.now() - first;
    for (const { socket } of readers) socket.destroy();
    return [
      HEAD,
      line('1', before),
      line(String(streams), during),
      `memory of a stream: ${(((during.memory - before.memory) * 1_024) / (streams - 1)).toFixed(1)} KiB`,
      `an event for all ${streams}: the last one has it ${toAll.toFixed(0)} ms after the commit, of which up to 1,000 ms are the wait`,
    ].join('\n');
  });
}

/** A change of a circuit concerns everybody. */
const CIRCUIT = `insert into app.events (position, type, data)
  values (app.event_position(), 'circuit.changed', '{"coin": "USDT", "from": "normal", "to": "tripped"}')`;

interface Use {
  /** Shares of one core. */
  readonly node: number;
  readonly postgres: number;
  /** Resident, in MiB. */
  readonly memory: number;
}

async function used({ database }: ThrowawayDatabase, pid: number, seconds: number): Promise<Use> {
  await sleep(SETTLING);
  const [[, postgres], node] = await cpuDuring([pid], () => cpuDuring([database.pid], () => sleep(seconds * 1_000)));
  const perCore = seconds * 1_000_000;
  return { node: node / perCore, postgres: postgres / perCore, memory: memoryOf(pid) };
}

/** Until the collector has run over what the opening left. */
const SETTLING = 20_000;

const HEAD = 'streams   Node CPU  PostgreSQL CPU   MiB';

function line(streams: string, { node, postgres, memory }: Use): string {
  const share = (part: number) => `${(part * 100).toFixed(1)} %`;
  return `${streams.padEnd(8)}${share(node).padStart(10)}${share(postgres).padStart(16)}${memory.toFixed(0).padStart(6)}`;
}

function memoryOf(pid: number): number {
  const [, kibibytes = 'NaN'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1_024;
}

interface Reader {
  readonly socket: Socket;
  /** Resolves when this text has come; rejects when the connection ends before. */
  got(text: string): Promise<void>;
}

const AT_ONCE = 50;

async function openAll(port: number, keys: readonly { readonly key: string }[]): Promise<readonly Reader[]> {
  const readers: Reader[] = [];
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const opened = keys.slice(from, from + AT_ONCE).map(({ key }) => open(port, key));
    await Promise.all(opened.map((reader) => reader.got('retry: ')));
    readers.push(...opened);
  }
  return readers;
}

function open(port: number, key: string): Reader {
  const socket = connect(port, '127.0.0.1');
  const head = [
    'GET /api/v1/agent/events HTTP/1.1',
    'Host: localhost',
    `X-API-Key: ${key}`,
    'Accept: text/event-stream',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.setEncoding('latin1');
  let [read, last] = ['', ''];
  let wanted: { readonly text: string; readonly resolve: () => void; readonly reject: (error: Error) => void } | null =
    null;
  const look = () => {
    if (wanted && read.includes(wanted.text)) {
      wanted.resolve();
      wanted = null;
      read = '';
    }
  };
  socket.on('data', (text: string) => {
    last = text.slice(0, 200);
    read = (read + text).slice(-4_000);
    look();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => wanted?.reject(new Error(`A stream ended; the last of it: ${last}`)));
  return {
    socket,
    got: (text) =>
      new Promise((resolve, reject) => {
        wanted = { text, resolve, reject };
        look();
      }),
  };
}
