import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ConnectProxy {
  readonly url: string;
  /** The authorities that tunnels were asked for. */
  readonly authorities: string[];
  close(): void;
}

/** An HTTP proxy that opens tunnels, all to one port of this machine; another status than 200 refuses. */
export async function connectProxy(port: number, status = 200): Promise<ConnectProxy> {
  const authorities: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on('connect', ({ url = '' }, near: Socket) => {
    authorities.push(url);
    near.on('error', () => undefined);
    sockets.add(near);
    if (status !== 200) return void near.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const far = connect(port, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 OK\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    far.on('error', () => near.destroy());
    far.on('close', () => near.destroy());
    near.on('close', () => far.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authorities,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
