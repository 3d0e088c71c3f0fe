import { createConnection } from 'node:net';

export interface Reply {
  readonly status: number;
  /** Decoded for other statuses than 2xx only. */
  readonly body: string;
}

/** One keep-alive connection with at most one request on its way. */
export interface Connection {
  exchange(request: string): Promise<Reply>;
  close(): void;
}

/** Reads no more of a reply than its status and its length: the load shares the machine with what it measures. */
export function connect(port: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port, noDelay: true });
    let waiting: PromiseWithResolvers<Reply> | null = null;
    let held: Buffer | null = null;
    const broken = (error: Error) => (waiting ?? { reject }).reject(error);
    socket.on('error', broken);
    socket.on('close', () => broken(new Error('The server closed a connection')));
    socket.on('data', (chunk) => {
      held = held === null ? chunk : Buffer.concat([held, chunk]);
      const reply = wholeReply(held);
      if (reply === null) return;
      held = null;
      const asked = waiting;
      waiting = null;
      asked?.resolve(reply);
    });
    socket.once('connect', () =>
      resolve({
        exchange(request) {
          waiting = Promise.withResolvers();
          socket.write(request, 'latin1');
          return waiting.promise;
        },
        close: () => socket.destroy(),
      }),
    );
  });
}

/** null while bytes are missing. */
function wholeReply(bytes: Buffer): Reply | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const head = bytes.toString('latin1', 0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`A reply tells no length: ${head}`);
  const total = end + 4 + Number(length);
  if (bytes.length < total) return null;
  const status = Number(head.slice(9, 12));
  return { status, body: status < 300 ? '' : bytes.toString('utf8', end + 4, total) };
}
