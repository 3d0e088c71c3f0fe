import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { CredentialRules } from './credentials.ts';

/**
 * Where this service is reached: PUBLIC_URL, or http at the address that the connection came in on. The Host header has
 * no say: what we are called there is the caller's to choose.
 */
export function ownOrigin({ socket }: IncomingMessage, { publicOrigin }: CredentialRules): string {
  if (publicOrigin !== undefined) return publicOrigin;
  const address = (socket.localAddress ?? '127.0.0.1').replace(/^::ffff:(?=\d+\.)/, '');
  return new URL(`http://${isIPv6(address) ? `[${address}]` : address}:${socket.localPort}`).origin;
}
