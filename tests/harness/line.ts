import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to a server, whose connections can be cut. */
export interface Line {
  /** The url of the server through the proxy. */
  readonly url: string;
  /** Resets every connection of the proxy. */
  cut(): void;
  /** From now on no data passes and nothing is closed, as if the server's machine were gone. */
  swallow(): void;
  /** New connections pass again, as if another machine had the address. */
  takeOver(): void;
  close(): void;
}

export async function lineTo(url: string): Promise<Line> {
  const through = new URL(url);
  const { hostname, port } = through;
  const ends = new Map<Socket, Socket>();
  let isSwallowing = false;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    if (!isSwallowing) near.pipe(far).pipe(near);
    ends.set(near, far);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  through.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const [near, far] of ends) for (const socket of [near, far]) socket.resetAndDestroy();
    ends.clear();
  };
  const swallow = () => {
    isSwallowing = true;
    for (const [near, far] of ends) {
      near.unpipe(far);
      far.unpipe(near);
    }
  };
  const takeOver = () => {
    isSwallowing = false;
  };
  return { url: through.href, cut, swallow, takeOver, close: () => void server.close() };
}
