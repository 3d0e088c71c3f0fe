import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { SendFailure } from './send-failure.ts';

/**
 * A connection to `host:port` through an HTTP proxy (CONNECT, RFC 9110 section 9.3.6), which resolves the name and
 * decides which addresses it admits.
 * @throws SendFailure ADDRESS_REFUSED for 403 and 407, by which proxies refuse a host
 */
export function tunnelTo(authority: string, proxy: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const connecting = request(proxy, {
      ...{ method: 'CONNECT', path: authority, headers: { host: authority, 'user-agent': 'stancebook' } },
      ...{ agent: false, signal },
    });
    connecting.on('error', (cause) => reject(new SendFailure('CONNECTION_FAILED', { cause })));
    connecting.once('close', () => reject(new SendFailure('CONNECTION_FAILED')));
    connecting.once('connect', ({ statusCode = 0 }: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on('error', () => undefined);
      if (statusCode >= 200 && statusCode <= 299 && head.length === 0) return resolve(socket);
      socket.destroy();
      const isRefused = statusCode === 403 || statusCode === 407;
      return reject(new SendFailure(isRefused ? 'ADDRESS_REFUSED' : 'CONNECTION_FAILED'));
    });
    connecting.end();
  });
}
