import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { expect } from '@jest/globals';

/** An event as a program gets it from its reader of streams (WHATWG HTML, 9.2.6). */
export interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/** Reads the bytes of a stream as the standard has it; an event without its empty line is none. */
class EventStreamReader {
  readonly events: SentEvent[] = [];
  readonly comments: string[] = [];
  lastEventId: string;
  retry: number | null = null;
  private readonly decoder = new StringDecoder('utf8');
  private text = '';
  private id: string;
  private type = '';
  private data: string[] = [];

  constructor(lastEventId = '') {
    this.lastEventId = lastEventId;
    this.id = lastEventId;
  }

  take(bytes: Buffer): void {
    const lines = (this.text + this.decoder.write(bytes)).split('\n');
    this.text = lines.pop() ?? '';
    for (const line of lines) this.line(line);
  }

  private line(line: string): void {
    if (line === '') this.dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) this.comments.push(line.slice(1));
    const [name, value] = colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    if (name === 'id') this.id = value;
    if (name === 'event') this.type = value;
    if (name === 'data') this.data.push(value);
    if (name === 'retry' && /^\d+$/.test(value)) this.retry = Number(value);
  }

  private dispatch(): void {
    this.lastEventId = this.id;
    if (this.data.length > 0)
      this.events.push({ id: this.id, type: this.type || 'message', data: this.data.join('\n') });
    this.type = '';
    this.data = [];
  }
}

export interface StreamWishes {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as Last-Event-ID, as a browser does. */
  readonly lastEventId?: string;
  /** The connection is cut once so many bytes of the body have come; what comes with them is lost. */
  readonly cutAfter?: number;
}

/** A stream that is read as it comes. */
export interface ReadStream extends Pick<EventStreamReader, 'events' | 'comments'> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly reader: EventStreamReader;
  /** The body of a refusal. */
  json(): Promise<{ readonly error: { readonly code: string; readonly details?: readonly { path: string }[] } }>;
  /** Why the service ended the stream; it is over then. */
  reason(): Promise<string>;
  /** Resolves when the connection or the reply has ended. */
  readonly over: Promise<void>;
  pause(): void;
  resume(): void;
  close(): void;
}

/** Opens a stream; resolves with the head of the reply. */
export function openEventStream(wishes: StreamWishes): Promise<ReadStream> {
  const { port, path, lastEventId = '', cutAfter = Number.POSITIVE_INFINITY } = wishes;
  const last = lastEventId === '' ? {} : { 'last-event-id': lastEventId };
  const headers = { accept: 'text/event-stream', ...wishes.headers, ...last };
  return new Promise((resolve, reject) => {
    const sent = get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) =>
      resolve(readStream(response, new EventStreamReader(lastEventId), cutAfter)),
    );
    sent.once('error', reject);
  });
}

function readStream(response: IncomingMessage, reader: EventStreamReader, cutAfter: number): ReadStream {
  const bytes: Buffer[] = [];
  let left = cutAfter;
  const over = new Promise<void>((resolve) => void response.once('close', resolve).on('error', () => undefined));
  response.on('data', (part: Buffer) => {
    const taken = part.subarray(0, Math.max(0, left));
    left -= part.length;
    bytes.push(taken);
    reader.take(taken);
    if (left <= 0) response.destroy();
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    reader,
    events: reader.events,
    comments: reader.comments,
    over,
    async json() {
      await over;
      return JSON.parse(Buffer.concat(bytes).toString());
    },
    async reason() {
      await over;
      const last = reader.events.at(-1);
      expect(last?.type).toBe('stream.ended');
      return JSON.parse(last?.data ?? '').reason;
    },
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    close: () => void response.destroy(),
  };
}

/** Waits for what must come. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 90_000; !(await isSo()) && Date.now() < end; ) {
    await new Promise((done) => setTimeout(done, 5));
  }
  expect(await isSo()).toBe(true);
}
