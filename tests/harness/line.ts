import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A line to a server that can be cut. */
export interface Line {
  /** The url of the server, through the line. */
  readonly url: string;
  /** Resets every connection that goes through it. */
  cut(): void;
  close(): void;
}

export async function lineTo(url: string): Promise<Line> {
  const through = new URL(url);
  const { hostname, port } = through;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far).pipe(near);
    sockets.add(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  through.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
    sockets.clear();
  };
  return { url: through.href, cut, close: () => void server.close() };
}
