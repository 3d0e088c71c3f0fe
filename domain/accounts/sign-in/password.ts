import { ACCOUNT } from '../../limits.ts';
import { Problem } from '../../problem.ts';

/** What passwords are hashed for, the most urgent first: a login never waits for the others. */
export const URGENCY = ['login', 'sign-up', 'change'] as const;

/** Who waits for a hash, which takes a quarter of a second of a processor, and how urgently. */
export interface HashTurn {
  readonly purpose: (typeof URGENCY)[number];
  /** The client's network, as addresses are counted. */
  readonly network: string;
  /** Of a caller who is logged in. */
  readonly owner_id?: string;
}

/** Hashes passwords so that a thief of the database has to try each guess slowly (settled.md section 8). */
export interface PasswordHasher {
  /**
   * The text to store in place of the password; different each time.
   * @param turn by default that of an operator, which goes first
   * @throws Problem RATE_LIMIT_EXCEEDED while the owner or network has all its places in the queue, SERVICE_UNAVAILABLE
   * when it is full of others
   */
  hash(password: string, turn?: HashTurn): Promise<string>;

  /**
   * Whether the text was made from this password. For null (no such account) it takes as long, and returns false.
   * @throws Problem as `hash`
   */
  verify(password: string, hash: string | null, turn?: HashTurn): Promise<boolean>;

  /** Whether the text was made with a former secret or cost: its owner's next login replaces it. */
  isOutdated(hash: string): boolean;

  /** Whether guessers would try it early; `about` are words of the account, such as its email address. */
  isGuessable(password: string, about: readonly string[]): Promise<boolean>;

  /** Whether it is in the operator's list of passwords from breaches; false where there is none. */
  isBreached(password: string): Promise<boolean>;
}

/**
 * The policy of settled.md section 8: 12 to 128 characters, counted as Unicode code points, and not guessable early.
 * Length counts and composition does not, so nothing else is required.
 * @param path names the field in the refusal
 * @throws Problem WEAK_PASSWORD, which never contains the password
 */
export async function refuseWeakPassword(
  password: string,
  isGuessable: (password: string) => Promise<boolean>,
  path = 'password',
): Promise<void> {
  const length = [...password].length;
  if (length < ACCOUNT.passwordMin) throw weak(path, `has ${length} characters; send at least ${ACCOUNT.passwordMin}`);
  if (length > ACCOUNT.passwordMax) throw weak(path, `has ${length} characters; send at most ${ACCOUNT.passwordMax}`);
  if (await isGuessable(password)) {
    throw weak(path, 'is among those that are guessed first; send a longer or less usual one');
  }
}

/** For a password that is known from a breach of another service. */
export function breachedPassword(path: string): Problem {
  return weak(
    path,
    'was stolen in a breach of another service, so that guessers try it; send one that you use nowhere',
  );
}

function weak(path: string, message: string): Problem {
  return new Problem('WEAK_PASSWORD', `The password ${message}.`, { details: [{ path, message }] });
}
