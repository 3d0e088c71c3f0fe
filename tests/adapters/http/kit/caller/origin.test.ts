import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { ownOrigin } from '../../../../../adapters/http/kit/caller/credentials.ts';

const cameIn = (localAddress: string | undefined, localPort: number | undefined) =>
  ({ socket: { localAddress, localPort }, headers: { host: 'evil.test' } }) as unknown as IncomingMessage;
const RULES = {};

test.each([
  ['127.0.0.1', 3_000, 'http://127.0.0.1:3000'],
  ['::ffff:10.0.0.7', 3_000, 'http://10.0.0.7:3000'],
  ['::1', 3_000, 'http://[::1]:3000'],
  ['2001:db8::7', 8_080, 'http://[2001:db8::7]:8080'],
  ['127.0.0.1', 80, 'http://127.0.0.1'],
])('without PUBLIC_URL it is where the request came in, whatever Host says: %s %d', (address, port, origin) => {
  expect(ownOrigin(cameIn(address, port), RULES)).toBe(origin);
});

test('with PUBLIC_URL it is that', () => {
  const rules = { ...RULES, publicOrigin: 'https://stancebook.test' };
  expect(ownOrigin(cameIn('127.0.0.1', 3_000), rules)).toBe('https://stancebook.test');
});
