import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeyedProxy {
  /** The address of /mcp. */
  readonly url: string;
  close(): Promise<void>;
}

/** Passes every request on as it came, with an API key: the suite knows no header of its own for one. */
export async function openKeyedProxy(port: number, apiKey: string): Promise<KeyedProxy> {
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const target = { host: '127.0.0.1', port, method, path, headers: { ...headers, 'x-api-key': apiKey } };
    const passed = request(target, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.rawHeaders);
      reply.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
