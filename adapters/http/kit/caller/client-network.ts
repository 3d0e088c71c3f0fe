import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { ActionSource, ClientKind } from '../../../../domain/accounts/security-event.ts';
import { plainAddress } from '../../../../domain/networks.ts';

/** The first that matches: an MCP client also names what it is written in. */
const KINDS: readonly (readonly [kind: ClientKind, pattern: RegExp])[] = [
  ['mcp', /\bmcp\b|modelcontextprotocol/i],
  ['curl', /^curl\//i],
  ['python', /python|aiohttp|httpx/i],
  ['browser', /^Mozilla\//],
];

/** Longer than any address: a proxy may send any text. */
const LONGEST = 64;

/**
 * The network that a client's requests are counted under: an IPv4 address, also when mapped into IPv6, or the /64
 * network of an IPv6 address, the smallest that a provider assigns (settled.md section 7). A port or zone in `sent` is
 * left out. A text that is not an address is counted as it is.
 */
export function clientNetwork(sent: string): string {
  const address = bareAddress(sent);
  switch (isIP(address)) {
    case 4:
      return address;
    case 6:
      return networkOf(groupsOf(address));
    default:
      return address.slice(0, LONGEST).toLowerCase();
  }
}

/** The client's IP address in the form that storages compare; null for a text that is none. */
export function clientAddress(sent: string): string | null {
  return plainAddress(bareAddress(sent));
}

/** The /24 of an IPv4 address, or the /64 of an IPv6 address: what is stored of a client, hashed. */
export function coarseNetwork(sent: string): string {
  return clientNetwork(sent).replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24');
}

/** Without brackets, port and zone. */
export function bareAddress(sent: string): string {
  const address = sent.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/%.*$/, '');
  const host = address.replace(/:\d+$/, '');
  return isIP(host) === 4 ? host : address;
}

/** The eight groups of 16 bits. The URL parser knows every spelling and writes the shortest one. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

function networkOf(groups: readonly number[]): string {
  const [a = 0, b = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [a >> 8, a & 255, b >> 8, b & 255].join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

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
