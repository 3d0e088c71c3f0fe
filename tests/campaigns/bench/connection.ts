import { createConnection } from 'node:net';

export interface Reply {
  readonly status: number;
  /** Empty for 2xx, which is not decoded. */
  readonly body: string;
}

/** A keep-alive connection that carries at most one request at a time. */
export interface Connection {
  exchange(request: string): Promise<Reply>;
  close(): void;
}

/** Parses only the status and the length of a reply: the load shares the machine with the server that it measures. */
export function connect(port: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port, noDelay: true });
    let pending: PromiseWithResolvers<Reply> | null = null;
    let received: Buffer | null = null;
    const broken = (error: Error) => (pending ?? { reject }).reject(error);
    socket.on('error', broken);
    socket.on('close', () => broken(new Error('The server closed a connection.')));
    socket.on('data', (chunk) => {
      received = received === null ? chunk : Buffer.concat([received, chunk]);
      const reply = completeReply(received);
      if (reply === null) return;
      received = null;
      const answered = pending;
      pending = null;
      answered?.resolve(reply);
    });
    socket.once('connect', () =>
      resolve({
        exchange(request) {
          pending = Promise.withResolvers();
          socket.write(request, 'latin1');
          return pending.promise;
        },
        close: () => socket.destroy(),
      }),
    );
  });
}

/** null while bytes are missing. */
function completeReply(bytes: Buffer): Reply | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const head = bytes.toString('latin1', 0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`A reply has no Content-Length: ${head}`);
  const total = end + 4 + Number(length);
  if (bytes.length < total) return null;
  const status = Number(head.slice(9, 12));
  return { status, body: status < 300 ? '' : bytes.toString('utf8', end + 4, total) };
}
