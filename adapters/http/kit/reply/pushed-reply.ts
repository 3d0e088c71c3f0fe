import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { SECOND } from '../../../../domain/time.ts';

/** After the end, how long a client may leave what was sent in the buffers before its connection is closed. */
const LAST_PATIENCE = 5 * SECOND;

/** A reply that goes on: what is written is sent at once, until the service or the client ends it. */
export class PushedReply {
  readonly contentType: string;
  /** Called once the head is sent; returns what is called when the reply is over, whether we or the client ended it. */
  readonly open: (pipe: PushedPipe) => () => void;
  /** Called instead of `open` where there is no body. */
  readonly discard: () => void;

  constructor(contentType: string, open: (pipe: PushedPipe) => () => void, discard: () => void) {
    this.contentType = contentType;
    this.open = open;
    this.discard = discard;
  }
}

/** The body of a pushed reply. Nothing that is called after its end has an effect. */
export class PushedPipe {
  private readonly response: ServerResponse;

  constructor(response: ServerResponse) {
    this.response = response;
  }

  write(text: string): void {
    if (this.isWritable) this.response.write(text);
  }

  end(last: string): void {
    if (!this.isWritable) return;
    this.response.end(last);
    this.response.setTimeout(LAST_PATIENCE, () => this.response.destroy());
  }

  cut(): void {
    this.response.destroy();
  }

  /** Whether more waits for the client than a buffer of the connection should contain (`highWaterMark`). */
  get isFull(): boolean {
    return this.response.writableNeedDrain;
  }

  /** Resolves when it is not full, or the connection is closed. */
  async taken(): Promise<void> {
    const { response } = this;
    if (!this.isFull || response.destroyed) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        response.off('drain', done).off('close', done);
        resolve();
      };
      response.on('drain', done).on('close', done);
    });
  }

  private get isWritable(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }
}

/** Sends the body of a reply whose head is sent. */
export function push(response: ServerResponse, reply: PushedReply): void {
  response.flushHeaders();
  const closed = reply.open(new PushedPipe(response));
  if (response.destroyed) closed();
  else response.once('close', closed);
}

/**
 * The value of a reply in the form in which it is sent. Its schema is a whitelist: an undeclared member is a fault of the
 * service, and is never sent. The schema is compiled at the first call.
 * @param name of the reply, for the error
 */
export function checkedBy(schema: z.ZodType, name: string): (value: unknown) => unknown {
  let compiled: z.ZodType | undefined;
  return (value) => {
    compiled ??= z.compile(schema);
    const result = compiled.safeParse(value);
    if (result.success) return result.data;
    throw new Error(`${name} is against its schema: ${placesOf(result.error)}`);
  };
}

/** Place and kind of each fault without the values, which may be another owner's. */
function placesOf({ issues }: z.ZodError): string {
  return issues.map(({ path, code }) => `${path.join('.') || 'the body'} ${code}`).join(', ');
}
