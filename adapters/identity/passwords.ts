import { createHmac } from 'node:crypto';
import { compare, genSaltSync, hash } from 'bcrypt';
import zxcvbn from 'zxcvbn';
import type { PasswordHasher } from '../../domain/accounts/password.ts';
import { ACCOUNT } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import { concurrencyLimit } from './concurrency-limit.ts';
import { withFewReadings } from './few-readings.ts';

export interface PasswordOptions {
  /** A secret that the database does not hold; another one makes every stored hash useless. */
  readonly pepper: string;
  /** bcrypt's cost: each step doubles the work. */
  readonly cost?: number;
}

/** More than this waiting for their turn is a flood, and waits of more than half a minute. */
const MOST_WAITING = 100;

/**
 * bcrypt over base64(HMAC-SHA-384(pepper, password)): 64 characters, so that neither bcrypt's limit of 72 bytes nor a
 * NUL cuts a password short. Two at a time, or hashing would starve the thread pool that files and names are read by.
 */
export function bcryptPasswords({ pepper, cost = ACCOUNT.bcryptCost }: PasswordOptions): PasswordHasher {
  const inTurn = concurrencyLimit(ACCOUNT.hashesAtOnce, MOST_WAITING, () => {
    throw new Problem('SERVICE_UNAVAILABLE', 'Too many passwords are being checked.', { retry_after_seconds: 30 });
  });
  // Nobody's: well-formed, of the same cost, and the hash of no password.
  const nobodys = `${genSaltSync(cost)}${'.'.repeat(31)}`;
  const seasoned = (password: string) =>
    createHmac('sha384', pepper).update(password.normalize('NFC'), 'utf8').digest('base64');
  return {
    hash: (password) => inTurn(() => hash(seasoned(password), cost)),
    verify: async (password, stored) =>
      (await inTurn(() => compare(seasoned(password), stored ?? nobodys))) && stored !== null,
    isGuessable: (password, about) =>
      zxcvbn(withFewReadings(password.slice(0, JUDGED)), [...about, 'stancebook']).score < EARLY_GUESSES,
  };
}

/** zxcvbn blocks this process while it thinks, with the square of the length; so much of a password tells enough. */
const JUDGED = 64;
/** zxcvbn's scores 0 and 1: fewer than a million guesses. */
const EARLY_GUESSES = 2;
