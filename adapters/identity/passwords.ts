import { createHmac } from 'node:crypto';
import { compare, genSaltSync, getRounds, hash } from 'bcrypt';
import { type HashTurn, type PasswordHasher, URGENCY } from '../../domain/accounts/sign-in/password.ts';
import { ACCOUNT } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import type { BreachList } from './breached-passwords.ts';

export interface PasswordOptions {
  /** A secret outside of the database; a hash that another pepper made, and no former one, never matches. */
  readonly pepper: string;
  /** Peppers of before, the newest first: their hashes still match. */
  readonly formerPeppers?: readonly string[];
  /** bcrypt's cost: each step doubles the work. */
  readonly cost?: number;
  /** Default: no list. */
  readonly isBreached?: BreachList;
}

/**
 * bcrypt over base64(HMAC-SHA-384(pepper, password)): 64 characters, so that neither bcrypt's limit of 72 bytes nor a
 * NUL cuts a password short. Two at a time: more would block the thread pool for files and DNS.
 *
 * Once there are former peppers, a hash names its pepper (`1f0c9a2b:$2b$12$...`). One without a name was made by the
 * oldest. So a check always takes one hash, whichever pepper made it.
 */
export function bcryptPasswords({
  pepper,
  formerPeppers = [],
  cost = ACCOUNT.bcryptCost,
  isBreached = async () => false,
}: PasswordOptions): PasswordHasher {
  const peppers = new Map([pepper, ...formerPeppers].map((each) => [nameOf(each), each]));
  const name = formerPeppers.length > 0 ? `${nameOf(pepper)}:` : '';
  const oldest = formerPeppers.at(-1) ?? pepper;
  const inTurn = hashQueue(HASH_QUEUE, HASH_REFUSALS);
  // Belongs to no account: well-formed, of the same cost, and the hash of no password.
  const nobodys = `${genSaltSync(cost)}${'.'.repeat(31)}`;
  return {
    hash: async (password, turn) => name + (await inTurn(() => hash(seasoned(password, pepper), cost), turn)),
    async verify(password, stored, turn) {
      const { name: made, bcrypt } = partsOf(stored ?? nobodys);
      const known = made === null ? oldest : peppers.get(made);
      const matches = await inTurn(() => compare(seasoned(password, known ?? pepper), bcrypt), turn);
      return matches && known !== undefined && stored !== null;
    },
    isOutdated: (stored) => !stored.startsWith(name) || getRounds(partsOf(stored).bcrypt) < cost,
    isBreached,
    async isGuessable(password, about) {
      const { estimator } = await import('./guess-estimator.ts');
      return estimator.check(password.slice(0, JUDGED), [...about, 'stancebook']).score < EARLY_GUESSES;
    },
  };
}

function seasoned(password: string, pepper: string): string {
  return createHmac('sha384', pepper).update(password.normalize('NFC'), 'utf8').digest('base64');
}

/** 32 bits that tell peppers apart; guesses of a pepper cannot be checked by them, because it has 256 bits. */
function nameOf(pepper: string): string {
  return createHmac('sha256', pepper).update('the name of a pepper').digest('hex').slice(0, 8);
}

function partsOf(stored: string): { readonly name: string | null; readonly bcrypt: string } {
  const [, name, bcrypt] = /^([0-9a-f]{8}):(.*)$/.exec(stored) ?? [];
  return name !== undefined && bcrypt !== undefined ? { name, bcrypt } : { name: null, bcrypt: stored };
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
/** zxcvbn's scores 0 and 1: fewer than a million guesses. */
const EARLY_GUESSES = 2;

interface HashQueueLimits {
  readonly atOnce: number;
  readonly waiting: number;
  /** Places, running or waiting, of one owner. */
  readonly ofOwner: number;
  /** Places of one network for one purpose. */
  readonly ofNetwork: number;
}

interface HashQueueRefusals {
  /** Throws for work of an owner or network that has all its places. */
  readonly tooManyOfOne: () => never;
  /** Throws when the queue is full of work that goes before this one. */
  readonly full: () => never;
}

/**
 * Runs up to `atOnce` tasks at a time. The others wait by urgency; among equals, the first of each network goes before
 * the second of any. A full queue gives up its last task for one that goes before it.
 */
export function hashQueue(
  limits: HashQueueLimits,
  { tooManyOfOne, full }: HashQueueRefusals,
): <T>(work: () => Promise<T>, turn: HashTurn | undefined) => Promise<T> {
  const places = new Map<string, number>();
  const waiting: Waiting[] = [];
  let running = 0;

  return async (work, turn) => {
    const holders = turn ? holdersOf(turn, limits) : [];
    if (holders.some(({ name, most }) => (places.get(name) ?? 0) >= most)) tooManyOfOne();
    for (const { name } of holders) places.set(name, (places.get(name) ?? 0) + 1);
    try {
      if (running < limits.atOnce) running += 1;
      else await place(turn);
      return await run(work);
    } finally {
      for (const { name } of holders) leave(places, name);
    }
  };

  function place(turn: HashTurn | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const urgency = turn ? URGENCY.indexOf(turn.purpose) : -1;
    const network = turn?.network ?? '';
    const round = waiting.filter((each) => each.urgency === urgency && each.network === network).length;
    const before = waiting.findIndex(
      (each) => each.urgency > urgency || (each.urgency === urgency && each.round > round),
    );
    if (waiting.length >= limits.waiting && before < 0) full();
    waiting.splice(before < 0 ? waiting.length : before, 0, { urgency, network, round, begin: resolve, end: reject });
    if (waiting.length > limits.waiting) refuse(waiting.pop());
    return promise;
  }

  function refuse(last: Waiting | undefined): void {
    try {
      full();
    } catch (refusal) {
      last?.end(refusal);
    }
  }

  async function run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next.begin();
      else running -= 1;
    }
  }
}

interface Waiting {
  readonly urgency: number;
  readonly network: string;
  /** How many of the same network and urgency waited when it came. */
  readonly round: number;
  readonly begin: () => void;
  readonly end: (refusal: unknown) => void;
}

function holdersOf({ purpose, network, owner_id }: HashTurn, { ofOwner, ofNetwork }: HashQueueLimits) {
  const client = { name: `${purpose} ${network}`, most: ofNetwork };
  return owner_id === undefined ? [client] : [client, { name: `owner ${owner_id}`, most: ofOwner }];
}

function leave(places: Map<string, number>, name: string): void {
  const left = (places.get(name) ?? 0) - 1;
  if (left > 0) places.set(name, left);
  else places.delete(name);
}
