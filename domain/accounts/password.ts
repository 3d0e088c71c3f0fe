import { ACCOUNT } from '../limits.ts';
import { Problem } from '../problem.ts';

/** Keeps passwords so that a thief of the database has to try each guess slowly (settled.md section 8). */
export interface PasswordHasher {
  /** What is stored in place of the password; another text each time. */
  hash(password: string): Promise<string>;

  /** Whether the text was made from this password. Given null (nobody of that name) it takes as long, and is false. */
  verify(password: string, hash: string | null): Promise<boolean>;

  /** Whether guessers would try it early; `about` are words of the account, such as its email address. */
  isGuessable(password: string, about: readonly string[]): boolean;
}

/**
 * The policy of settled.md section 8: 12 to 128 characters, counted as Unicode code points, and none that is guessed
 * early. Length and not composition is what counts, so nothing else is asked for.
 * @param path names the field in the refusal
 * @throws Problem WEAK_PASSWORD, which never holds the password
 */
export function refuseWeakPassword(
  password: string,
  isGuessable: (password: string) => boolean,
  path = 'password',
): void {
  const length = [...password].length;
  if (length < ACCOUNT.passwordMin) throw weak(path, `has ${length} characters; send at least ${ACCOUNT.passwordMin}`);
  if (length > ACCOUNT.passwordMax) throw weak(path, `has ${length} characters; send at most ${ACCOUNT.passwordMax}`);
  if (isGuessable(password)) throw weak(path, 'is among those that are guessed first; send a longer or less usual one');
}

function weak(path: string, message: string): Problem {
  return new Problem('WEAK_PASSWORD', `The password ${message}.`, { details: [{ path, message }] });
}
