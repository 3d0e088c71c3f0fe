import { createHmac } from 'node:crypto';
import { derivedKey, type SecretValues } from './derived-key.ts';

/**
 * A keyed hash of a network, as text: equal for equal networks, and of no use without SESSION_SECRET, from which its key
 * derives. With another secret all hashes differ from those that are stored.
 */
export function networkHash(secret: SecretValues, network: string): string {
  return createHmac('sha256', derivedKey(secret, 'network of an event')).update(network).digest('hex').slice(0, DIGITS);
}

/** 64 bits: enough to tell networks apart, and short enough to compare by eye. */
const DIGITS = 16;
