import { once } from 'node:events';
import { type IncomingHttpHeaders, createServer as plainServer, type RequestListener } from 'node:http';
import { createServer as secureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate.ts';

export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly port: number;
  readonly received: Received[];
  /** How many connections arrived, also those without a request. */
  connections(): number;
  /** Settles when no connection is open. */
  idle(): Promise<void>;
  close(): void;
}

/** A server on every address of the machine, with TLS if it has a certificate. */
export async function receiver(answer: RequestListener, certificate?: Certificate): Promise<Receiver> {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      answer(request, response);
    });
  };
  const server = certificate ? secureServer(certificate, listener) : plainServer(listener);
  let arrived = 0;
  let open = 0;
  server.on('connection', (socket) => {
    arrived += 1;
    open += 1;
    socket.once('close', () => {
      open -= 1;
      server.emit('left');
    });
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received,
    connections: () => arrived,
    async idle() {
      while (open > 0) await once(server, 'left');
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
