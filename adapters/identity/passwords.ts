import { createHmac } from 'node:crypto';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { dictionary, adjacencyGraphs as graphs } from '@zxcvbn-ts/language-common';
import { compare, genSaltSync, hash } from 'bcrypt';
import type { PasswordHasher } from '../../domain/accounts/password.ts';
import { ACCOUNT } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import { type HashQueueLimits, type HashQueueRefusals, hashQueue } from './hash-queue.ts';

export interface PasswordOptions {
  /** A secret outside of the database; with another pepper no stored hash matches. */
  readonly pepper: string;
  /** bcrypt's cost: each step doubles the work. */
  readonly cost?: number;
}

/**
 * bcrypt over base64(HMAC-SHA-384(pepper, password)): 64 characters, so that neither bcrypt's limit of 72 bytes nor a
 * NUL cuts a password short. Two at a time: more would block the thread pool for files and DNS.
 */
export function bcryptPasswords({ pepper, cost = ACCOUNT.bcryptCost }: PasswordOptions): PasswordHasher {
  const inTurn = hashQueue(HASH_QUEUE, HASH_REFUSALS);
  // Belongs to no account: well-formed, of the same cost, and the hash of no password.
  const nobodys = `${genSaltSync(cost)}${'.'.repeat(31)}`;
  const seasoned = (password: string) =>
    createHmac('sha384', pepper).update(password.normalize('NFC'), 'utf8').digest('base64');
  return {
    hash: (password, turn) => inTurn(() => hash(seasoned(password), cost), turn),
    verify: async (password, stored, turn) =>
      (await inTurn(() => compare(seasoned(password), stored ?? nobodys), turn)) && stored !== null,
    isGuessable: (password, about) =>
      estimator.check(password.slice(0, JUDGED), [...about, 'stancebook']).score < EARLY_GUESSES,
  };
}

export const HASH_QUEUE: HashQueueLimits = {
  atOnce: ACCOUNT.hashesAtOnce,
  waiting: ACCOUNT.hashesWaiting,
  ofOwner: ACCOUNT.hashesOfOwner,
  ofNetwork: ACCOUNT.hashesOfNetwork,
};

export const HASH_REFUSALS: HashQueueRefusals = {
  tooManyOfOne() {
    throw new Problem('RATE_LIMIT_EXCEEDED', 'Too many passwords of this owner or address are being checked.', {
      suggestion: 'Wait for the replies to your other requests, then send this one again.',
      retry_after_seconds: 5,
    });
  },
  full() {
    throw new Problem('SERVICE_UNAVAILABLE', 'Too many passwords are being checked.', { retry_after_seconds: 30 });
  },
};

/** The estimate blocks this process, the longer the password the longer; this many characters are enough for it. */
const JUDGED = 64;
/** The number of variants of a substitution ("p@5$w0rd") to try: 100, the default, doubles the longest estimate. */
const READINGS = 16;
const estimator = new ZxcvbnFactory({ dictionary, graphs, l33tMaxSubstitutions: READINGS });
/** zxcvbn's scores 0 and 1: fewer than a million guesses. */
const EARLY_GUESSES = 2;
