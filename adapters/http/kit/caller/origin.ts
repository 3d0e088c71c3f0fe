import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { CredentialRules } from './credentials.ts';

/**
 * The origin of this service: PUBLIC_URL, or http at the local address of the connection. The Host header is ignored,
 * because the caller chooses it.
 */
export function ownOrigin(
  { socket }: IncomingMessage,
  { publicOrigin }: Pick<CredentialRules, 'publicOrigin'>,
): string {
  if (publicOrigin !== undefined) return publicOrigin;
  const address = (socket.localAddress ?? '127.0.0.1').replace(/^::ffff:(?=\d+\.)/, '');
  return new URL(`http://${isIPv6(address) ? `[${address}]` : address}:${socket.localPort}`).origin;
}
