import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { SendFailure } from './send-failure.ts';

/**
 * A connection to the first of the addresses that accepts one. Each but the last has an equal share of the time.
 * @param addresses in digits, at least one: no name is resolved here
 * @throws SendFailure when none accepts
 */
export async function connectTo(
  addresses: readonly string[],
  port: number,
  { signal, deadline }: { readonly signal: AbortSignal; readonly deadline: number },
): Promise<Socket> {
  const share = deadline / addresses.length;
  for (const [index, host] of addresses.entries()) {
    const isLast = index === addresses.length - 1;
    const patience = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(share)]);
    const socket = await opened(connect({ host, port }), 'connect', patience).catch(() => null);
    if (socket) return socket;
    signal.throwIfAborted();
  }
  throw new SendFailure('CONNECTION_FAILED');
}

/**
 * TLS over a connection. The certificate must be valid for the host, whatever NODE_TLS_REJECT_UNAUTHORIZED says.
 * @param host a name, which is sent as SNI, or an address without brackets
 * @param ca certificates of authorities in PEM, in place of those of Node.js
 * @throws SendFailure
 */
export async function secured(socket: Duplex, host: string, signal: AbortSignal, ca?: string): Promise<Duplex> {
  const name = host.replace(/\.$/, '');
  const secure = connectTls({
    socket,
    host: name,
    ...(isIP(name) === 0 && { servername: name }),
    ...(ca !== undefined && { ca }),
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  try {
    return await opened(secure, 'secureConnect', signal);
  } catch (error) {
    socket.destroy();
    throw new SendFailure('TLS_FAILED', { cause: error });
  }
}

/** The stream once it has emitted the event; destroyed if it does not. */
async function opened<T extends Duplex>(stream: T, event: string, signal: AbortSignal): Promise<T> {
  // An error that nothing listens to would end the process, also one between two steps.
  stream.on('error', () => undefined);
  try {
    await once(stream, event, { signal });
    return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  }
}
