import { expect, test } from '@jest/globals';
import { actionSource, clientKind } from '../../../../../adapters/http/kit/caller/client-network.ts';

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', 'browser'],
  ['curl/8.5.0', 'curl'],
  ['python-requests/2.32.3', 'python'],
  ['Python/3.12 aiohttp/3.10.5', 'python'],
  ['mcp-client/1.2 (python-httpx/0.27)', 'mcp'],
  ['node', 'other'],
  ['not Mozilla/5.0', 'other'],
  ['', 'other'],
])('%j is a client of the kind %s', (userAgent, kind) => {
  expect(clientKind(userAgent)).toBe(kind);
});

test.each([
  ['198.51.100.7', '198.51.100.0/24'],
  ['::ffff:198.51.100.7', '198.51.100.0/24'],
  ['198.51.100.7:4711', '198.51.100.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['something else', 'something else'],
])('of a request from %s only %s is hashed', (address, network) => {
  const request = { headers: { 'user-agent': 'curl/8.5.0' } } as Parameters<typeof actionSource>[0];
  const source = actionSource(request, 'r1', address, (text) => `hash of ${text}`);
  expect(source).toEqual({ request_id: 'r1', network: `hash of ${network}`, client: 'curl' });
});
