import type { IncomingMessage } from 'node:http';
import type { ActionSource, ClientKind } from '../../../../domain/accounts/security-event.ts';
import { coarseNetwork } from './client-network.ts';

/** Where a request comes from, for the security events that it causes. */
export function actionSource(
  { headers }: IncomingMessage,
  request_id: string,
  address: string,
  networkHash: (network: string) => string,
): ActionSource {
  return { request_id, network: networkHash(coarseNetwork(address)), client: clientKind(headers['user-agent'] ?? '') };
}

/** The kind of client by its User-Agent, which a caller may choose: never stored as it was sent. */
export function clientKind(userAgent: string): ClientKind {
  return KINDS.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'other';
}

/** The first that matches: an MCP client also names what it is written in. */
const KINDS: readonly (readonly [kind: ClientKind, pattern: RegExp])[] = [
  ['mcp', /\bmcp\b|modelcontextprotocol/i],
  ['curl', /^curl\//i],
  ['python', /python|aiohttp|httpx/i],
  ['browser', /^Mozilla\//],
];
