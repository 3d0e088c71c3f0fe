import { expect, test } from '@jest/globals';
import { networkHash } from '../../application/sealed-secret.ts';

test('equal networks have one hash under a secret, and another under another secret', () => {
  const hash = networkHash('a secret', '198.51.100.0/24');
  expect(hash).toMatch(/^[0-9a-f]{16}$/);
  expect(networkHash('a secret', '198.51.100.0/24')).toBe(hash);
  expect(networkHash('a secret', '198.51.101.0/24')).not.toBe(hash);
  expect(networkHash('another secret', '198.51.100.0/24')).not.toBe(hash);
});
